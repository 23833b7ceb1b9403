import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { DatasetFiles, ImportFormat } from '../../../engines/annotations/formats/format.js';
import { importFormats } from '../../../engines/annotations/formats/registry.js';
import { AnnotationService } from '../../annotations/index.js';
import { HandlesRequests, type RequestContext, RequestFailure, type RequestHandler } from '../../requests/index.js';
import { DatasetLoader } from '../dataset/dataset.loader.js';
import type { ImportMode } from '../exchange-query.js';
import type { ImportTarget } from '../exchange-target.js';
import type { IncomingFile } from './import-files.js';
import { IMPORT_TTL_MS, ImportAttempts, stoppable } from './import-attempts.js';

export const IMPORT_ANNOTATIONS = 'import:annotations';

/** The parameters of the background request. */
export interface ImportParameters extends IncomingFile {
  readonly kind: ImportTarget['kind'];
  readonly id: number;
  readonly format: string;
  /** Absent in requests queued by older servers, as is `mode`. */
  readonly masksToPolygons?: boolean;
  readonly mode?: ImportMode;
}

/** Imports the annotations of a file into a task or job, in one transaction. */
@Injectable()
@HandlesRequests(IMPORT_ANNOTATIONS)
export class ImportHandler implements RequestHandler {
  readonly successTtlMs = IMPORT_TTL_MS.success;
  readonly failureTtlMs = IMPORT_TTL_MS.failure;

  constructor(
    private readonly work: UnitOfWork,
    private readonly loader: DatasetLoader,
    private readonly annotations: AnnotationService,
    private readonly attempts: ImportAttempts,
  ) {}

  async run(request: RequestContext): Promise<void> {
    const parameters = request.parameters as ImportParameters;
    await this.attempts.run(request, parameters, async ({ files }) => {
      const format = importFormats.find(parameters.format);
      if (format === undefined) throw new RequestFailure(`The format ${parameters.format} is no longer available`);
      await this.save(request, format, files);
    });
  }

  private async save(request: RequestContext, format: ImportFormat, files: DatasetFiles): Promise<void> {
    const parameters = request.parameters as ImportParameters & { readonly kind: 'task' | 'job' };
    const { kind, id, masksToPolygons = false, mode = 'replace' } = parameters;
    await this.work.run(async (tx: Tx) => {
      const actor = await this.attempts.owner(tx, request);
      const { dataset } = await this.loader.load(tx, { kind, id }, request.baseUrl, 'all');
      const [task] = dataset.tasks;
      if (task === undefined)
        throw new RequestFailure('There is no data yet. Add images or a video to the task first.');
      request.setMessage('Reading annotations');
      const target = { labels: dataset.labels, frames: task.frames, mode: task.mode, masksToPolygons };
      const pieces = stoppable(format.read(files, target), request.signal);
      await this.annotations.importAll(tx, actor, { kind, id }, pieces, mode);
      await request.finish(tx);
    });
  }
}
