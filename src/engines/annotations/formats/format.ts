import type { LabeledData, Shape, Tag, Track } from '../../../shared/annotations/model.js';
import type { Dataset, DatasetFrame, DatasetLabel, DatasetTask } from './dataset.js';
import type { ArchiveSample } from './archive-sample.js';
import type { ImportNotes } from './import-notes.js';

/**
 * A file that cannot be imported, or a dataset that a format cannot express. The message is one sentence that says
 * which file, where, and what is wrong.
 */
export class FormatError extends Error {
  override name = 'FormatError';
}

/** A position in a file, for messages: `annotations.xml, line 12`. */
export type FileLocation = string;

/** Rejects the content at a position. */
export function refuse(location: FileLocation, fault: string, cause?: unknown): never {
  throw new FormatError(`${location}: ${fault}`, { cause });
}

/** An archive without the files of its format. */
export class DatasetNotFound extends FormatError {
  /** @param hint what is missing; empty if it is the files that the format requires */
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(`Failed to find dataset. ${message}`);
  }
}

/** An archive without the files of its format. @param missing the files that it requires, or a sentence that says what is missing */
export const datasetNotFound = (missing: string | readonly string[]): FormatError =>
  typeof missing === 'string' ? new DatasetNotFound(missing, missing) : new DatasetNotFound(mustContain(missing), '');

/** @param patterns of paths */
export const mustContain = (patterns: readonly string[]): string =>
  `Dataset must contain a file: ${patterns.map((pattern) => `"${pattern}"`).join(' ')}`;

/** Shortens text of a file to one short line for a message. */
export function shown(text: string): string {
  const short = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return `'${short.replaceAll(/[\p{Cc}\u2028\u2029]/gu, '?')}'`;
}

/** A shape read from a file, by default a rectangle. */
export const fileShape = (shape: Partial<Shape> & Pick<Shape, 'label_id' | 'frame' | 'points'>): Shape => ({
  id: null,
  group: 0,
  source: 'file',
  type: 'rectangle',
  rotation: 0,
  occluded: false,
  outside: false,
  z_order: 0,
  attributes: [],
  elements: [],
  score: 1,
  ...shape,
});

/** An entry of `GET /api/server/annotation/formats`. */
export interface FormatInfo {
  /** Display name with version, as clients name the format in requests. */
  readonly name: string;
  /** File extensions, such as `JSON, ZIP`. */
  readonly ext: string;
  readonly version: string;
  readonly enabled: boolean;
  readonly dimension: '2d' | '3d';
}

/** CVAT's own formats store annotations of any media as they are. */
const ANY_DIMENSION = /^CVAT /;

/**
 * Whether a format is made for images or for point clouds, whichever the dataset has.
 * @param dimension undefined for a dataset without frames, which fits every format
 */
export const fitsDimension = ({ name, dimension: own }: FormatInfo, dimension: '2d' | '3d' | undefined): boolean =>
  dimension === undefined || dimension === own || ANY_DIMENSION.test(name);

/** @throws FormatError if the format is made for other media */
export function requireDimension(info: FormatInfo, dimension: '2d' | '3d' | undefined): void {
  if (fitsDimension(info, dimension)) return;
  const [made, has] = info.dimension === '3d' ? ['point clouds', 'images'] : ['images', 'point clouds'];
  throw new FormatError(
    `The format ${info.name} is for ${made}, but the frames are ${has}. Select a format for ${has}.`,
  );
}

/** Receives the files of an export one after the other: each call waits for the previous one. */
export interface FileSink {
  addFile(path: string, content: FileContent): Promise<void>;
}

export type FileContent = AsyncIterable<string | Uint8Array> | Uint8Array;

/**
 * The annotations to export, in bounded batches. Every method is called with tasks of the dataset, possibly several
 * times. A caller reads a sequence to its end, or closes it, before it requests another one. Objects may lack default
 * values; a codec adds them in place.
 */
export interface AnnotationSource {
  /** Sorted by frame. */
  tags(task: DatasetTask): AsyncIterable<readonly Tag[]>;
  /** Sorted by frame, with their elements; {@link joinByFrame} merges several jobs. */
  shapes(task: DatasetTask): AsyncIterable<readonly Shape[]>;
  /** Complete tracks sorted by id, with keyframes sorted by frame. */
  tracks(task: DatasetTask): AsyncIterable<readonly Track[]>;
}

/** Writes datasets in one format. */
export interface ExportFormat {
  readonly info: FormatInfo;
  /** The path of a frame's image in the archive. Frames of videos have no extension and get `.png`. */
  imagePath(frame: DatasetFrame, task: DatasetTask, dataset: Dataset): string;
  /** The paths of a frame's context images in the archive, in their order. Without this, an export has none. */
  relatedPaths?(frame: DatasetFrame, dataset: Dataset): readonly string[];
  /**
   * Writes everything except the images. Annotations on frames that the dataset does not list are left out.
   * @returns paths of images that depend on annotations; they replace those of `imagePath`
   * @throws FormatError if the format cannot express the dataset
   */
  write(
    dataset: Dataset,
    source: AnnotationSource,
    sink: FileSink,
    options: ExportOptions,
  ): Promise<ImagePaths | undefined | void>;
}

export interface ExportOptions {
  /** Whether the images follow. */
  readonly withImages: boolean;
  /** Path at which a format may create a temporary file, which it removes. */
  readonly scratch: string;
}

/** The paths of a frame's image in the archive: one for each copy. */
export type ImagePaths = (frame: DatasetFrame) => readonly string[];

/** The files of an import: those of an archive, or a single uploaded file. */
export interface DatasetFiles {
  /** Separated by `/`, in the order of the archive. */
  readonly paths: readonly string[];
  /** @throws FormatError while reading, if the file is broken */
  read(path: string): AsyncIterable<Uint8Array>;
  /** As `read`, to look at the file without importing it. */
  peek?(path: string): AsyncIterable<Uint8Array>;
  /** Marks a file as imported without reading it, if its path says everything. */
  markRead?(path: string): void;
  /** Marks a file as one without annotations, such as a list of images. */
  setAside?(path: string): void;
}

/** The object that annotations are imported into. */
export interface ImportTarget {
  labels: readonly DatasetLabel[];
  /** All frames of the task, or those of the job. */
  frames: readonly DatasetFrame[];
  mode: 'annotation' | 'interpolation';
  /** Whether to convert masks to polygons, in formats that store objects only as pixels. */
  masksToPolygons?: boolean;
  /** Import only annotations of this subset; all if absent. */
  subset?: string;
  /** Receives what the import leaves out. */
  notes?: ImportNotes;
}

/** An image in a dataset. */
export interface DatasetImage {
  /** The name that annotations of the same archive use. */
  name: string;
  subset: string;
  /** For context images: the name of the frame without extension. `name` is then that of the file, without folders. */
  contextOf?: string;
}

/** A label found in a dataset, for a project without labels. The server chooses what is absent. */
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

/** An attribute as in the API, which validates it. */
export interface FoundAttribute {
  readonly name: string;
  readonly mutable: boolean;
  readonly input_type: string;
  readonly default_value: string;
  readonly values: readonly string[];
}

/** How well files fit a format: not at all, as many others do, well, or beyond doubt. */
export type Likeness = 0 | 1 | 2 | 3;

/** Reads datasets in one format. */
export interface ImportFormat {
  readonly info: FormatInfo;
  /**
   * What an archive of the format must have: patterns of paths, for the message of an import that finds nothing. Empty if
   * that cannot be said in patterns.
   */
  readonly requires?: readonly string[];
  /**
   * Files of the format without annotations, such as lists of labels. Every other file that is not read is reported,
   * except images and files that no format has.
   */
  readonly auxiliary?: RegExp;
  /** Files that have all annotations of a file in another form. If one of them is read, the file need not be. */
  sameAs?(path: string): readonly string[];
  /** Images that hold annotations. Without it, no image does. */
  readonly masks?: RegExp;
  /** Tells whether files are of this format, by their content rather than their names. */
  recognize?(sample: ArchiveSample): Promise<Likeness> | Likeness;
  /** The image at a path of the archive; undefined if the path is not one of an image. */
  imageAt(path: string): DatasetImage | undefined;
  /**
   * For formats in which only annotations tell whether a folder is a subset or a part of the names of images. Takes
   * precedence over `imageAt`.
   * @throws FormatError that names file and position
   */
  imagesIn?(files: DatasetFiles): Promise<(path: string) => DatasetImage | undefined>;
  /**
   * For formats that list the images of subsets in files: the subset of each image, by name without extension. Other
   * images have the subset that `imageAt` tells.
   * @throws FormatError that names file and position
   */
  subsets?(files: DatasetFiles): Promise<ReadonlyMap<string, string>>;
  /**
   * The labels of the dataset, in its order. They become the labels of a project that has none. A format without this
   * method can only be imported into projects that have labels.
   * @throws FormatError that names file and position
   */
  labels?(files: DatasetFiles): Promise<FoundLabel[]>;
  /**
   * Reads annotations in bounded batches, in the order of the file, with ids of labels and attributes and frame numbers
   * of the task. If the file says nothing else, the source is `file` and the group 0.
   * @throws FormatError that names file and position, possibly after some batches
   */
  read(files: DatasetFiles, target: ImportTarget): AsyncIterable<LabeledData>;
}
