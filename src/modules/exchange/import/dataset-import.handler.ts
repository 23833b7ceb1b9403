import { Injectable } from '@nestjs/common';
import type { AccountTarget } from '../../../engines/annotations/formats/archive-account.js';
import type { DatasetFrame } from '../../../engines/annotations/formats/dataset.js';
import type { ImportFormat } from '../../../engines/annotations/formats/format.js';
import { ImportedImages } from '../../media/index.js';
import {
  HandlesRequests,
  type RequestContext,
  RequestFailure,
  type RequestHandler,
  type RequestResult,
  stillPermitted,
} from '../../requests/index.js';
import { DatasetRepository } from '../dataset/dataset.repository.js';
import { ExchangeAccess } from '../exchange-requests.js';
import { type DatasetImages, imagesBySubset } from './dataset-images.js';
import { type DatasetPart, DatasetTasks } from './dataset-tasks.js';
import { type Attempt, IMPORT_TTL_MS, ImportAttempts, stoppable } from './import-attempts.js';
import { formatOf, withLikelyFormat } from './import-format.js';
import type { ImportParameters } from './import.handler.js';
import { ImportReport } from './import-report.js';

export const IMPORT_DATASET = 'import:dataset';

/** An archive whose images are stored. */
interface PreparedDataset extends Pick<DatasetImages, 'ignored' | 'loose'> {
  readonly format: ImportFormat;
  readonly parts: readonly DatasetPart[];
}

/**
 * Creates a task for each subset of a dataset, with annotations, in one transaction. Images are stored before it begins.
 */
@Injectable()
@HandlesRequests(IMPORT_DATASET)
export class DatasetImportHandler implements RequestHandler {
  readonly successTtlMs = IMPORT_TTL_MS.success;
  readonly failureTtlMs = IMPORT_TTL_MS.failure;

  constructor(
    private readonly access: ExchangeAccess,
    private readonly datasets: DatasetRepository,
    private readonly tasks: DatasetTasks,
    private readonly images: ImportedImages,
    private readonly attempts: ImportAttempts,
  ) {}

  run(request: RequestContext): Promise<RequestResult> {
    const parameters = request.parameters as ImportParameters;
    const report = new ImportReport(parameters);
    return this.attempts.runWithReport(request, parameters, report, (attempt) =>
      withLikelyFormat(parameters, attempt.files, report, async () => {
        const prepared = await this.prepare(request, attempt, report);
        await this.save(request, attempt, report, prepared);
      }),
    );
  }

  private async prepare(
    request: RequestContext,
    { files, reserve }: Attempt,
    report: ImportReport,
  ): Promise<PreparedDataset> {
    const format = await formatOf(request.parameters as ImportParameters, files, report, undefined);
    request.setMessage('Images are being extracted');
    const { subsets, uniqueNames, ...others } = await imagesBySubset(
      format,
      files,
      report.accountFor(format, files, request),
    );
    const parts: DatasetPart[] = [];
    for (const [subset, images] of subsets) {
      const data = await this.images.prepare(await reserve(), images, {
        signal: request.signal,
        onProgress: (done) => request.setProgress((parts.length + done) / subsets.size),
      });
      parts.push({ subset, data, uniqueNames: uniqueNames?.get(subset) });
    }
    return { format, parts, ...others };
  }

  private async save(
    request: RequestContext,
    { files }: Attempt,
    report: ImportReport,
    { format, parts, ignored, loose }: PreparedDataset,
  ): Promise<void> {
    const { id: projectId, masksToPolygons = false } = request.parameters as ImportParameters;
    request.setMessage('Reading annotations');
    await this.attempts.save(request, async (tx, actor) => {
      const scope = await this.datasets.findScope(tx, { kind: 'project', id: projectId });
      if (scope === undefined) throw new RequestFailure('The project was deleted');
      await stillPermitted(() => this.access.requireImport(actor, { kind: 'project', id: projectId }, tx));
      report.begin();
      const account = report.accountFor(format, files, request);
      account.useImages(loose);
      const labels = await this.tasks.labels(tx, actor, projectId, account);
      report.nameLabels(labels);
      for (const [path, reason] of ignored) report.notes.ignore(path, reason);
      const project = { id: projectId, organizationId: scope.organization_id };
      for (const { part, place } of placed(parts)) {
        const target = { labels, mode: 'annotation', masksToPolygons, ...place } as const;
        const batches = stoppable(account.read(target), request.signal);
        await this.tasks.create(tx, actor, project, { ...part, batches });
        report.tasks++;
      }
      account.close({ replaced: 0, withImages: true });
      return report.result();
    });
  }
}

interface PlacedPart {
  readonly part: DatasetPart;
  readonly place: Pick<AccountTarget, 'frames' | 'subset' | 'range'>;
}

/**
 * Each task with its frames. In layouts of other tools, the subset does not tell which files have its annotations, so they
 * are searched for those of all tasks.
 */
function placed(parts: readonly DatasetPart[]): PlacedPart[] {
  const frames: DatasetFrame[] = [];
  return parts.map((part) => {
    if (part.uniqueNames === undefined) return { part, place: { frames: framesOf(part), subset: part.subset } };
    const first = frames.length;
    for (const frame of framesOf(part, first)) frames.push(frame);
    return { part, place: { frames, range: { first, count: frames.length - first } } };
  });
}

const framesOf = ({ data, uniqueNames }: DatasetPart, first = 0): DatasetFrame[] =>
  data.images.map(({ path, width, height }, at) => {
    const frame = first + at;
    return { frame, number: frame, name: uniqueNames?.get(path) ?? path, width, height };
  });
