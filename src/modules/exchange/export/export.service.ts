import { stat } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { ApiError, Forbidden, InvalidList, NotFound, PlainError } from '../../../core/http/errors/errors.js';
import { parameter, type Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { BackgroundRequests, currentRequestId, requestIdOf, RequestRepository } from '../../requests/index.js';
import { DatasetRepository } from '../dataset/dataset.repository.js';
import { ExchangeClouds, fileTimestamp } from '../exchange-clouds.js';
import { type ExportQuery, readExportQuery } from '../exchange-query.js';
import { ExchangeAccess, type ExportTarget } from '../exchange-target.js';
import { EXPORT_TYPES, type ExportParameters } from './export.handler.js';

/** A file to download. */
export interface ExportedFile {
  readonly path: string;
  readonly name: string;
}

const REQUEST_ID = /^action=export&target=(project|task|job)&target_id=(\d{1,10})&user_id=\d{1,10}(&|$)/;

/** Starts exports, which run in the background, and finds their files for their owners. */
@Injectable()
export class ExportService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly access: ExchangeAccess,
    private readonly clouds: ExchangeClouds,
    private readonly datasets: DatasetRepository,
    private readonly background: BackgroundRequests,
    private readonly requests: RequestRepository,
  ) {}

  /**
   * Queues an export.
   * @returns the id of the background request
   * @throws NotFound, Forbidden, InvalidList, OperationInProgress
   */
  async start(actor: Actor, target: ExportTarget, query: Query): Promise<string> {
    await this.access.requireExport(actor, target);
    const wanted = readExportQuery(query);
    const destination = await this.clouds.destination(actor, target, wanted);
    const subresource = wanted.saveImages ? 'dataset' : 'annotations';
    const id = requestIdOf({
      action: 'export',
      target: target.kind,
      targetId: target.id,
      userId: actor.id,
      format: wanted.format.name,
      subresource,
    });
    await this.work.run(async (tx) => {
      const scope = await this.datasets.findScope(tx, target);
      if (scope === undefined) throw new NotFound();
      const parameters: ExportParameters = {
        ...target,
        format: wanted.format.name,
        save_images: wanted.saveImages,
        ...destination,
        filename: destination.filename || usualName(target, wanted, new Date(scope.updated_date)),
      };
      await this.background.enqueue(tx, actor, {
        id,
        type: EXPORT_TYPES[subresource],
        target: target.kind,
        projectId: scope.project_id,
        taskId: scope.task_id,
        jobId: scope.job_id,
        organizationId: scope.organization_id,
        format: wanted.format.name,
        subresource,
        parameters,
      });
    });
    return id;
  }

  /** The file of a finished export. @throws ApiError 400, 404, Forbidden */
  async download(actor: Actor, target: ExportTarget, query: Query): Promise<ExportedFile> {
    const id = currentRequestId(parameter(query, 'rq_id'));
    if (id === '') throw new InvalidList('Missing request id in the query parameters');
    const [match, kind, targetId] = REQUEST_ID.exec(id) ?? [];
    if (match === undefined || id.includes('\0')) throw new InvalidList('Unexpected request id format');
    const row = await this.requests.findResult(this.db, id);
    if (row === undefined || kind !== target.kind || Number(targetId) !== target.id) {
      throw new PlainError(400, 'Unknown export request id');
    }
    if (row.owner_id !== actor.id) throw new Forbidden();
    if (row.status !== 'finished') throw new PlainError(400, 'The export process is not finished');
    if ((row.parameters as ExportParameters).cloud_storage_id != null)
      throw new PlainError(400, 'The file of this export is in a cloud storage');
    const { result_file: path, expiry_date: expiry } = row;
    const expired = expiry !== null && new Date(expiry) <= this.clock.now();
    if (path === null || expired || !(await isThere(path))) {
      throw new ApiError(404, 'The exported file has expired, please retry exporting');
    }
    return { path, name: (row.parameters as ExportParameters).filename };
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Format: `task_156_annotations_2026_11_21_08_33_38_cvat for images 1.1.zip`. */
function usualName({ kind, id }: ExportTarget, { format, saveImages }: ExportQuery, updated: Date): string {
  const time = fileTimestamp(updated);
  return `${kind}_${id}_${saveImages ? 'dataset' : 'annotations'}_${time}_${format.name}.${format.ext}`.toLowerCase();
}
