import { extname } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Db, readSnapshot, type Snapshot } from '../../../core/database/db.js';
import {
  type Dataset,
  type DatasetFrame,
  type DatasetTask,
  dimensionOf,
} from '../../../engines/annotations/formats/dataset.js';
import {
  type AnnotationSource,
  type ExportFormat,
  requireDimension,
} from '../../../engines/annotations/formats/format.js';
import { exportFormats } from '../../../engines/annotations/formats/registry.js';
import type { ZipSink } from '../../../engines/annotations/formats/zip.js';
import {
  type AnnotatedTask,
  AnnotatedTaskRepository,
  MergedAnnotations,
  type ShapeBatch,
  shapesOf,
} from '../../annotations/index.js';
import { asPcd } from '../../../engines/media/point-cloud.js';
import { isPointCloud } from '../../../shared/media-kind.js';
import { MediaFiles, VideoStore } from '../../media/index.js';
import {
  HandlesRequests,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  type RequestResult,
} from '../../requests/index.js';
import { DatasetLoader, type LoadedDataset, type TaskMedia } from '../dataset/dataset.loader.js';
import { DatasetRepository } from '../dataset/dataset.repository.js';
import { adjacentJobs, endingAt, type ExportFilter, filtered, NO_FILTER, selectedJobs } from './export-filter.js';
import { ExportedArchives, type OutgoingFile, progressWhenWritten } from '../exchange-files.js';
import type { ExportTarget } from '../exchange-requests.js';
import { joinByFrame } from '../../../engines/annotations/formats/annotated-frames.js';
import { fromRows } from '../../../engines/annotations/from-rows.js';
import type { Shape, Tag, Track } from '../../../shared/annotations/model.js';

export const EXPORT_TYPES = { annotations: 'export:annotations', dataset: 'export:dataset' } as const;

/** The parameters of the background request. */
export interface ExportParameters extends OutgoingFile {
  readonly kind: ExportTarget['kind'];
  readonly id: number;
  readonly format: string;
  readonly save_images: boolean;
  /** Absent in requests queued by older servers. */
  readonly filter?: ExportFilter;
}

/** A dataset whose annotations are written. */
interface Written extends LoadedDataset {
  /** The paths of a frame's image in the archive. */
  pathsOf(frame: DatasetFrame, task: DatasetTask): readonly string[];
  /** The paths of its context images. */
  relatedPathsOf(frame: DatasetFrame): readonly string[];
}

const DAY_MS = 86_400_000;

/** Writes annotations, and images if requested, to an archive. */
@Injectable()
@HandlesRequests(EXPORT_TYPES.annotations)
@HandlesRequests(EXPORT_TYPES.dataset)
export class ExportHandler implements RequestHandler {
  readonly successTtlMs = DAY_MS;
  readonly failureTtlMs = DAY_MS;

  constructor(
    private readonly db: Db,
    private readonly archives: ExportedArchives,
    private readonly loader: DatasetLoader,
    private readonly rows: DatasetRepository,
    private readonly annotated: AnnotatedTaskRepository,
    private readonly merged: MergedAnnotations,
    private readonly media: MediaFiles,
    private readonly videos: VideoStore,
  ) {}

  async run(request: RequestContext): Promise<RequestResult> {
    const parameters = request.parameters as ExportParameters;
    const format = exportFormats.find(parameters.format);
    if (format === undefined) throw new RequestFailure(`The format ${parameters.format} is no longer available`);
    return this.archives.write(request, async (sink, scratch) => {
      const written = await readSnapshot(this.db, (snapshot) =>
        this.annotations(snapshot, request, format, { sink, scratch }),
      );
      if (parameters.save_images) await this.images(request, written, sink);
    });
  }

  private async annotations(
    snapshot: Snapshot,
    request: RequestContext,
    format: ExportFormat,
    { sink, scratch }: { readonly sink: ZipSink; readonly scratch: string },
  ): Promise<Written> {
    const { kind, id, save_images: withImages, filter = NO_FILTER } = request.parameters as ExportParameters;
    const loaded = await this.loader.load(snapshot, { kind, id }, request.baseUrl, 'kept');
    requireDimension(format.info, dimensionOf(loaded.dataset));
    request.setMessage('Writing annotations');
    const taskIds = loaded.dataset.tasks.map((task) => task.id);
    const [states, ...annotated] = await Promise.all([
      this.rows.jobStates(snapshot, taskIds),
      ...taskIds.map((taskId) => this.target(snapshot, kind, id, taskId)),
    ]);
    const tasks = new Map(
      annotated.map((task) => [task.id, { ...task, jobs: selectedJobs(task, states, filter) }] as const),
    );
    const dataset = filtered(loaded.dataset, tasks, filter);
    const labelIds = filter.labels.length === 0 ? null : new Set(dataset.labels.map((label) => label.id));
    const annotations = new DatasetAnnotations(snapshot, this.merged, { tasks, labelIds }, request.signal);
    const paths = await format.write(dataset, annotations, sink, { withImages, scratch });
    const pathsOf: Written['pathsOf'] = (frame, task) => paths?.(frame) ?? [format.imagePath(frame, task, dataset)];
    return { ...loaded, dataset, pathsOf, relatedPathsOf: (frame) => format.relatedPaths?.(frame, dataset) ?? [] };
  }

  private target(snapshot: Snapshot, kind: ExportTarget['kind'], id: number, taskId: number) {
    return this.annotated.of(snapshot, kind === 'job' ? { kind, id } : { kind: 'task', id: taskId });
  }

  private async images(request: RequestContext, written: Written, sink: ZipSink): Promise<void> {
    const { dataset, media, pathsOf, relatedPathsOf } = written;
    request.setMessage('Copying images');
    const count = frameCount(dataset);
    const share = progressWhenWritten(request.parameters as ExportParameters);
    let done = 0;
    for (const task of dataset.tasks) {
      const stored = media.get(task.id);
      if (stored === undefined) throw new Error(`The images of task ${task.id} are missing`);
      for await (const [frame, image] of this.imagesOf(task, stored, request.signal)) {
        for (const path of pathsOf(frame, task)) {
          await sink.addFile(task.video !== null && extname(path) === '' ? `${path}.png` : path, image);
        }
        for (const [at, path] of relatedPathsOf(frame).entries())
          await sink.addFile(path, await this.media.read(stored, frame.related?.[at] ?? ''));
        request.setProgress((share * ++done) / count);
      }
    }
  }

  private async *imagesOf(
    { frames }: DatasetTask,
    { paths, video, ...stored }: TaskMedia,
    signal: AbortSignal,
  ): AsyncGenerator<[frame: DatasetFrame, image: Buffer]> {
    if (video !== null) {
      const numbers = frames.map(({ number }) => number);
      const images = this.videos.images({ ...stored, path: video }, numbers, signal);
      let at = 0;
      for await (const image of images) {
        const frame = frames[at++];
        if (frame !== undefined) yield [frame, image];
      }
      return;
    }
    for (const frame of frames) {
      signal.throwIfAborted();
      const path = paths.get(frame.number);
      if (path === undefined) continue;
      const image = await this.media.read(stored, path);
      yield [frame, isPointCloud(path) ? asPcd(image, path) : image];
    }
  }
}

const frameCount = ({ tasks }: Dataset): number => tasks.reduce((sum, { frames }) => sum + frames.length, 0);

/** Which annotations are exported. */
interface SelectedAnnotations {
  /** With the selected jobs, by id. */
  readonly tasks: ReadonlyMap<number, AnnotatedTask>;
  /** null: all labels. */
  readonly labelIds: ReadonlySet<number> | null;
}

/** Small batches, so that the objects are collected while they are young. */
const SHAPES_AT_ONCE = 128;

/** The annotations of a dataset, from one snapshot, in the form that formats read. */
class DatasetAnnotations implements AnnotationSource {
  /** @param signal aborts the stream with its reason */
  constructor(
    private readonly snapshot: Snapshot,
    private readonly merged: MergedAnnotations,
    private readonly selected: SelectedAnnotations,
    private readonly signal: AbortSignal,
  ) {}

  async *tags(task: DatasetTask): AsyncGenerator<Tag[]> {
    const jobs = await this.merged.tags(this.snapshot, this.find(task));
    yield* joinByFrame(
      jobs.map(({ start, batches }) => ({
        start,
        batches: this.mapped(batches, (tags) => this.wanted(fromRows({ tags }).tags)),
      })),
    );
  }

  async *shapes(task: DatasetTask): AsyncGenerator<Shape[]> {
    const jobs = await this.merged.shapes(this.snapshot, this.find(task));
    yield* joinByFrame(
      jobs.map(({ start, batches }) => ({
        start,
        batches: this.built(batches),
      })),
    );
  }

  /** Tracks end where the next job is not exported. */
  async *tracks(task: DatasetTask): AsyncGenerator<Track[]> {
    const annotated = this.find(task);
    const groups = adjacentJobs(annotated.jobs);
    for (const [at, jobs] of groups.entries()) {
      const end = at === groups.length - 1 ? null : Math.max(...jobs.map(({ stop }) => stop)) + 1;
      const batches = this.merged.tracks(this.snapshot, { ...annotated, jobs });
      yield* this.mapped(batches, (tracks) => {
        const wanted = this.wanted(tracks);
        return end === null ? wanted : wanted.map((track) => endingAt(track, end));
      });
    }
  }

  private async *built(batches: AsyncIterable<ShapeBatch>): AsyncGenerator<Shape[]> {
    for await (const { rows, elementsOf } of batches) {
      this.signal.throwIfAborted();
      for (let at = 0; at < rows.length; at += SHAPES_AT_ONCE) {
        const some = rows.slice(at, at + SHAPES_AT_ONCE);
        yield this.wanted(shapesOf({ rows: some, elementsOf }));
      }
    }
  }

  private async *mapped<From, To>(batches: AsyncIterable<From>, change: (batch: From) => To): AsyncGenerator<To> {
    for await (const batch of batches) {
      this.signal.throwIfAborted();
      yield change(batch);
    }
  }

  private wanted<T extends { readonly label_id: number }>(objects: T[]): T[] {
    const { labelIds } = this.selected;
    return labelIds === null ? objects : objects.filter(({ label_id: label }) => labelIds.has(label));
  }

  private find({ id }: DatasetTask): AnnotatedTask {
    const task = this.selected.tasks.get(id);
    if (task === undefined) throw new Error(`Task ${id} is not part of the dataset`);
    return task;
  }
}
