import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import type { ByteRange, OpenObject } from '../../../core/media-storage/media-place.js';
import { ApiError, Forbidden, InvalidList, PlainError } from '../../../core/http/errors/errors.js';
import { parameter, type Query } from '../../../core/list/page-request.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { currentRequestId, requestIdOf, RequestRepository, ResultFiles, type ResultRow } from '../../requests/index.js';
import { ExchangeClouds, fileTimestamp, type OutgoingFile } from '../exchange-files.js';
import { type ExportQuery, readExportQuery } from '../exchange-query.js';
import { ExchangeRequests, ExchangeAccess, type ExportTarget } from '../exchange-requests.js';
import { EXPORT_TYPES, type ExportParameters } from './export.handler.js';

/** A file to download. */
export interface ExportedFile {
  /** For the client. */
  readonly name: string;
  readonly bytes: number;
  /** Where it is on this machine; undefined for a file in a bucket. */
  readonly path: string | undefined;
  /** Reads it from the storage. @returns undefined if it was removed */
  readonly open: (range?: ByteRange) => Promise<OpenObject | undefined>;
}

const REQUEST_ID = /^action=export&target=(project|task|job)&target_id=(\d{1,10})&user_id=\d{1,10}(&|$)/;

/** Starts exports, which run in the background, and finds their files for their owners. */
@Injectable()
export class ExportService {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly access: ExchangeAccess,
    private readonly clouds: ExchangeClouds,
    private readonly requests: ExchangeRequests,
    private readonly rows: RequestRepository,
    private readonly results: ResultFiles,
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
    await this.requests.enqueue(actor, target, (updated) => {
      const filename = destination.filename || usualName(target, wanted, updated);
      const format = wanted.format.name;
      const parameters: ExportParameters = {
        ...target,
        format,
        save_images: wanted.saveImages,
        filter: wanted.filter,
        ...destination,
        filename,
      };
      return { id, type: EXPORT_TYPES[subresource], format, subresource, parameters };
    });
    return id;
  }

  /** The file of a finished export. @throws ApiError 400, NotFound, Forbidden */
  async download(actor: Actor, target: ExportTarget, query: Query): Promise<ExportedFile> {
    const id = currentRequestId(parameter(query, 'rq_id'));
    if (id === '') throw new InvalidList('Missing request id in the query parameters');
    const [match, kind, targetId] = REQUEST_ID.exec(id) ?? [];
    if (match === undefined || id.includes('\0')) throw new InvalidList('Unexpected request id format');
    const row = await this.rows.findResult(this.db, id);
    if (row === undefined || kind !== target.kind || Number(targetId) !== target.id) {
      throw new PlainError(400, 'Unknown export request id');
    }
    if (row.owner_id !== actor.id) throw new Forbidden();
    await this.access.requireExport(actor, target); // which may have been lost since the export
    return this.finishedFile(row);
  }

  /** The file of an export that has finished. @throws ApiError 400, 404 */
  async finishedFile(row: ResultRow): Promise<ExportedFile> {
    if (row.status !== 'finished') throw new PlainError(400, 'The export process is not finished');
    if ((row.parameters as OutgoingFile).cloud_storage_id != null)
      throw new PlainError(400, 'The file of this export is in a cloud storage');
    const { result_file: path, expiry_date: expiry } = row;
    const expired = expiry !== null && new Date(expiry) <= this.clock.now();
    const bytes = path === null || expired ? undefined : await this.results.bytes(path);
    if (path === null || bytes === undefined)
      throw new ApiError(404, 'The exported file has expired, please retry exporting');
    return {
      name: (row.parameters as OutgoingFile).filename,
      bytes,
      path: await this.results.inFolder(path),
      open: (range) => this.results.open(path, range),
    };
  }
}

/** Format: `task_156_annotations_2026_11_21_08_33_38_cvat for images 1.1.zip`. */
function usualName({ kind, id }: ExportTarget, { format, saveImages }: ExportQuery, updated: Date): string {
  const time = fileTimestamp(updated);
  return `${kind}_${id}_${saveImages ? 'dataset' : 'annotations'}_${time}_${format.name}.${format.ext}`.toLowerCase();
}
