import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Actors } from '../../../core/access/actors.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { type OpenDatasetFiles, openDatasetFiles } from '../../../engines/annotations/formats/dataset-files.js';
import type { ImportFormat } from '../../../engines/annotations/formats/format.js';
import { importFormat } from '../../../engines/annotations/formats/registry.js';
import type { LabeledData } from '../../../engines/annotations/model.js';
import { AnnotationService } from '../../annotations/index.js';
import {
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  RequestHandlers,
  RequestInterrupted,
} from '../../requests/index.js';
import { DatasetLoader } from '../dataset/dataset.loader.js';
import type { ImportMode } from '../exchange-query.js';
import type { ImportTarget } from '../exchange-target.js';
import { told } from '../told.js';
import { FetchedFiles } from './fetched-files.js';
import { ImportFiles } from './import-files.js';

export const IMPORT_ANNOTATIONS = 'import:annotations';

/** What the worker is told. */
export interface ImportParameters {
  readonly kind: ImportTarget['kind'];
  readonly id: number;
  readonly format: string;
  /** The stored file. */
  readonly path: string;
  /** As the client calls it. */
  readonly name: string;
  /** Absent in requests of older servers, as is `mode`. */
  readonly masksToPolygons?: boolean;
  readonly mode?: ImportMode;
  /** The file is in a cloud storage, and is brought to its path first. */
  readonly cloud_storage_id?: number;
  readonly key?: string;
}

/** How long an ended import can be asked for. */
export const IMPORT_TTL_MS = 3_600_000;

/** Puts the annotations of a file on a task or job, or beside those that are there: all of them in one commit, or none. */
@Injectable()
export class ImportHandler implements RequestHandler, OnModuleInit {
  readonly successTtlMs = IMPORT_TTL_MS;
  readonly failureTtlMs = IMPORT_TTL_MS;

  constructor(
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(Actors) private readonly actors: Actors,
    @Inject(DatasetLoader) private readonly loader: DatasetLoader,
    @Inject(AnnotationService) private readonly annotations: AnnotationService,
    @Inject(ImportFiles) private readonly files: ImportFiles,
    @Inject(FetchedFiles) private readonly fetched: FetchedFiles,
    @Inject(RequestHandlers) private readonly handlers: RequestHandlers,
  ) {}

  onModuleInit(): void {
    this.handlers.register(IMPORT_ANNOTATIONS, this);
  }

  async run(request: RequestContext): Promise<void> {
    const { format: name, path, name: fileName } = request.parameters as ImportParameters;
    let files: OpenDatasetFiles | undefined;
    try {
      const format = importFormat(name);
      if (format === undefined) throw new RequestFailure(`The format ${name} is not known any more`);
      await this.fetched.require(request);
      files = await openDatasetFiles(path, fileName);
      await this.save(request, format, files);
      await this.files.remove(path);
    } catch (error) {
      // Another attempt goes on with the file.
      if (!request.signal.aborted && !(error instanceof RequestInterrupted)) await this.files.remove(path);
      throw told(error, request);
    } finally {
      files?.close();
    }
  }

  private async save(request: RequestContext, format: ImportFormat, files: OpenDatasetFiles): Promise<void> {
    const parameters = request.parameters as ImportParameters & { readonly kind: 'task' | 'job' };
    const { kind, id, masksToPolygons = false, mode = 'replace' } = parameters;
    await this.work.run(async (tx: Tx) => {
      const actor = request.ownerId === null ? null : await this.actors.load(tx, request.ownerId, request.baseUrl);
      if (actor === null) throw new RequestFailure('The account of the one who asked is gone');
      const { dataset } = await this.loader.load(tx, { kind, id }, request.baseUrl, 'all');
      const [task] = dataset.tasks;
      if (task === undefined) throw new RequestFailure('There is no data: annotations belong to frames');
      request.say('Reading annotations');
      const target = { labels: dataset.labels, frames: task.frames, mode: task.mode, masksToPolygons };
      const pieces = stoppable(format.read(files, target), request.signal);
      await this.annotations.importAll(tx, actor, { kind, id }, pieces, mode);
      await request.finish(tx);
    });
  }
}

/** @returns the same pieces until the request is to stop */
export async function* stoppable(pieces: AsyncIterable<LabeledData>, signal: AbortSignal): AsyncGenerator<LabeledData> {
  for await (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
  }
}
