import type { LabeledData, Shape, Tag, Track } from '../../../shared/annotations/model.js';
import type { Dataset, DatasetFrame, DatasetLabel, DatasetTask } from './dataset.js';

/** An entry of `GET /api/server/annotation/formats`. */
export interface FormatInfo {
  /** Display name with the version, as clients name the format in requests. */
  readonly name: string;
  /** Extensions of the files, as `JSON, ZIP`. */
  readonly ext: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly dimension: '2d' | '3d';
}

/** Takes the files of an export, one after the other: each call waits for the one before. */
export interface FileSink {
  addFile(path: string, content: FileContent): Promise<void>;
}

export type FileContent = AsyncIterable<string | Uint8Array> | Uint8Array;

/**
 * The annotations to export, in bounded pieces. Every method is called with tasks of the dataset, possibly several
 * times; a sequence is read to its end, or closed, before another one is asked for. Objects need not be completed with defaults; a codec does that, in place.
 */
export interface AnnotationSource {
  /** By frame. */
  tags(task: DatasetTask): AsyncIterable<readonly Tag[]>;
  /** By frame, with their elements; several jobs are joined by {@link joinByFrame}. */
  shapes(task: DatasetTask): AsyncIterable<readonly Shape[]>;
  /** Complete tracks, by id, with keyframes by frame. */
  tracks(task: DatasetTask): AsyncIterable<readonly Track[]>;
}

/** Writes datasets in one format. */
export interface ExportFormat {
  readonly info: FormatInfo;
  /** The place of a frame's image in the archive; frames of videos, which have no extension, get `.png`. */
  imagePath(frame: DatasetFrame, task: DatasetTask, dataset: Dataset): string;
  /**
   * Writes everything but the images. Annotations on frames that the dataset does not list are left out.
   * @throws FormatError when the format cannot hold the dataset
   */
  write(dataset: Dataset, source: AnnotationSource, sink: FileSink): Promise<void>;
}

/** The files of an import: an archive, or the one file that was sent. */
export interface DatasetFiles {
  /** With `/`, in the order of the archive. */
  readonly paths: readonly string[];
  /** @throws FormatError while reading, for a broken file */
  read(path: string): AsyncIterable<Uint8Array>;
}

/** What the annotations of a file are put on. */
export interface ImportTarget {
  labels: readonly DatasetLabel[];
  /** All frames of the task, or those of the job. */
  frames: readonly DatasetFrame[];
  mode: 'annotation' | 'interpolation';
  /** Whether masks become polygons, in formats that say of an object only which pixels it has. */
  masksToPolygons?: boolean;
  /** Only annotations of this subset; absent: of all. */
  subset?: string;
}

/** An image that a dataset brings along. */
export interface DatasetImage {
  /** As annotations of the same file name it. */
  name: string;
  subset: string;
}

/** A label that a dataset has, for a project without labels. What is not said is left to the server. */
export interface FoundLabel {
  readonly name: string;
  readonly color?: string;
  readonly type?: string;
  readonly attributes?: readonly FoundAttribute[];
  /** Elements of a skeleton. */
  readonly sublabels?: readonly FoundLabel[];
  /** Drawing of a skeleton, with `data-label-name` on its elements. */
  readonly svg?: string;
}

/** As the API takes attributes; they are validated there. */
export interface FoundAttribute {
  readonly name: string;
  readonly mutable: boolean;
  readonly input_type: string;
  readonly default_value: string;
  readonly values: readonly string[];
}

/** Reads datasets in one format. */
export interface ImportFormat {
  readonly info: FormatInfo;
  /** Says which image stands at a path of the archive, if this is the place for images. */
  imageAt(path: string): DatasetImage | undefined;
  /**
   * The labels of the dataset, in its order: they become those of a project without labels. A format without this can
   * only be imported into projects that have labels.
   * @throws FormatError that names the file and the place
   */
  labels?(files: DatasetFiles): Promise<FoundLabel[]>;
  /**
   * Reads annotations in bounded pieces, in the order of the file, with the ids of labels and attributes, frame
   * numbers of the task, source `file` and group 0 where the file says nothing else.
   * @throws FormatError that names the file and the place; pieces may have been yielded before
   */
  read(files: DatasetFiles, target: ImportTarget): AsyncIterable<LabeledData>;
}
