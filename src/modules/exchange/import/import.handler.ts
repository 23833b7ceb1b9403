import { Injectable } from '@nestjs/common';
import { dimensionOf } from '../../../engines/annotations/formats/dataset.js';
import type { DatasetFiles } from '../../../engines/annotations/formats/format.js';
import { AnnotationService } from '../../annotations/index.js';
import {
  HandlesRequests,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  type RequestResult,
  stillPermitted,
} from '../../requests/index.js';
import { DatasetLoader } from '../dataset/dataset.loader.js';
import type { ImportMode } from '../exchange-query.js';
import { ExchangeAccess, type ImportTarget } from '../exchange-requests.js';
import { formatOf, withLikelyFormat } from './import-format.js';
import type { IncomingFile } from './import-files.js';
import { IMPORT_TTL_MS, ImportAttempts, stoppable } from './import-attempts.js';
import { ImportReport } from './import-report.js';

export const IMPORT_ANNOTATIONS = 'import:annotations';

/** The parameters of the background request. */
export interface ImportParameters extends IncomingFile {
  readonly kind: ImportTarget['kind'];
  readonly id: number;
  /** Empty in dry runs that recognize the format. */
  readonly format: string;
  /** Absent in requests queued by older servers, as is `mode`. */
  readonly masksToPolygons?: boolean;
  readonly mode?: ImportMode;
  readonly dryRun?: boolean;
  readonly skipUnmatched?: boolean;
  readonly onlyComplete?: boolean;
}

/** Imports the annotations of a file into a task or job, in one transaction. */
@Injectable()
@HandlesRequests(IMPORT_ANNOTATIONS)
export class ImportHandler implements RequestHandler {
  readonly successTtlMs = IMPORT_TTL_MS.success;
  readonly failureTtlMs = IMPORT_TTL_MS.failure;

  constructor(
    private readonly access: ExchangeAccess,
    private readonly loader: DatasetLoader,
    private readonly annotations: AnnotationService,
    private readonly attempts: ImportAttempts,
  ) {}

  run(request: RequestContext): Promise<RequestResult> {
    const parameters = request.parameters as ImportParameters;
    const report = new ImportReport(parameters);
    return this.attempts.runWithReport(request, parameters, report, ({ files }) =>
      withLikelyFormat(parameters, files, report, () => this.save(request, files, report)),
    );
  }

  private async save(request: RequestContext, files: DatasetFiles, report: ImportReport): Promise<void> {
    const parameters = request.parameters as ImportParameters & { readonly kind: 'task' | 'job' };
    const { kind, id, masksToPolygons = false, mode = 'replace' } = parameters;
    await this.attempts.save(request, async (tx, actor) => {
      await stillPermitted(() => this.access.requireImport(actor, { kind, id }, tx));
      const { dataset } = await this.loader.load(tx, { kind, id }, request.baseUrl, 'all');
      const [task] = dataset.tasks;
      if (task === undefined)
        throw new RequestFailure('There is no data yet. Add images or a video to the task first.');
      const format = await formatOf(parameters, files, report, dimensionOf(dataset));
      request.setMessage('Reading annotations');
      report.begin();
      report.nameLabels(dataset.labels);
      const account = report.accountFor(format, files, request);
      await account.requireDimension(dimensionOf(dataset));
      const target = { labels: dataset.labels, frames: task.frames, mode: task.mode, masksToPolygons };
      const batches = stoppable(account.read(target), request.signal);
      report.saved(
        await this.annotations.importAll(tx, actor, { kind, id }, batches, mode),
        { kind, id },
        request.baseUrl,
      );
      account.close({ replaced: report.replaced, withImages: false });
      return report.result();
    });
  }
}
