import { extname } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Db, readLongSnapshot, type Snapshot } from '../../../core/database/db.js';
import {
  type Dataset,
  type DatasetFrame,
  type DatasetTask,
  dimensionOf,
} from '../../../engines/annotations/formats/dataset.js';
import { type ExportFormat, requireDimension } from '../../../engines/annotations/formats/format.js';
import { exportFormats } from '../../../engines/annotations/formats/registry.js';
import type { ZipSink } from '../../../engines/annotations/formats/zip.js';
import {
  HandlesRequests,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  type RequestResult,
} from '../../requests/index.js';
import { DatasetLoader, type LoadedDataset } from '../dataset/dataset.loader.js';
import { ExportedArchives, type OutgoingFile, progressWhenWritten } from '../exchange-files.js';
import { ExchangeAccess, type ExportTarget } from '../exchange-requests.js';
import { ExportAnnotations } from './export-annotations.js';
import { type ExportFilter, NO_FILTER } from './export-filter.js';
import { ExportImages } from './export-images.js';

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
    private readonly access: ExchangeAccess,
    private readonly archives: ExportedArchives,
    private readonly loader: DatasetLoader,
    private readonly selection: ExportAnnotations,
    private readonly pictures: ExportImages,
  ) {}

  async run(request: RequestContext): Promise<RequestResult> {
    request.signal.throwIfAborted();
    const parameters = request.parameters as ExportParameters;
    const format = exportFormats.find(parameters.format);
    if (format === undefined) throw new RequestFailure(`The format ${parameters.format} is no longer available`);
    return this.archives.write(request, async (sink, scratch) => {
      await this.access.requireExportOfOwner(request, parameters);
      const written = await readLongSnapshot(this.db, (snapshot) =>
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
    const target = { kind, id };
    const loaded = await this.loader.load(snapshot, target, request.baseUrl, 'kept');
    requireDimension(format.info, dimensionOf(loaded.dataset));
    request.setMessage('Writing annotations');
    const selected = await this.selection.select(snapshot, loaded.dataset, target, filter, request.signal);
    const { dataset, annotations } = selected;
    const paths = await format.write(dataset, annotations, sink, { withImages, scratch });
    const pathsOf: Written['pathsOf'] = (frame, task) => paths?.(frame) ?? [format.imagePath(frame, task, dataset)];
    return { ...loaded, dataset, pathsOf, relatedPathsOf: (frame) => format.relatedPaths?.(frame, dataset) ?? [] };
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
      for await (const { frame, image } of this.pictures.of(task, stored, request.signal)) {
        for (const path of pathsOf(frame, task))
          await sink.addFile(task.video !== null && extname(path) === '' ? `${path}.png` : path, image);
        for (const [at, path] of relatedPathsOf(frame).entries())
          await sink.addFile(path, await this.pictures.related(stored, frame, at));
        request.setProgress((share * ++done) / count);
      }
    }
  }
}

const frameCount = ({ tasks }: Dataset): number => tasks.reduce((sum, { frames }) => sum + frames.length, 0);
