import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { findOrganizationFacts } from '../../../core/access/organization-context.js';
import { requireAll } from '../../../core/access/require.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { Forbidden, InvalidList, InvalidString, PlainError } from '../../../core/http/errors/errors.js';
import { parameter, type Query } from '../../../core/list/page-request.js';
import { type Actor, contextOrganization, isAdmin } from '../../../shared/policy/actor.js';
import { loggedEventPolicy, mayExportEvents } from '../../../shared/policy/event.policy.js';
import {
  ExchangeClouds,
  type ExportedFile,
  ExportService,
  fileTimestamp,
  type FileQuery,
  readFile,
  requireKey,
} from '../../exchange/index.js';
import {
  BackgroundRequests,
  requestIdOf,
  RequestRepository,
  ResultFiles,
  type ResultRow,
} from '../../requests/index.js';
import { type EventExportParameters, EXPORT_EVENTS } from './event-export.handler.js';
import { readEventFilter } from './event-filter.js';

/** What the older form of the export responds with. */
export type OlderResponse =
  | { readonly status: 202; readonly queryId: string }
  | { readonly status: 201 }
  | { readonly status: 200; readonly file: ExportedFile; readonly forget: () => Promise<void> };

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const EVENT_EXPORT = /^action=export&target=events&id=[\da-f-]{36}&user_id=\d{1,10}$/;
const ANY_REQUEST = /^action=\w+&target=\w+&/;

/** Exports the event log as CSV, in the background. */
@Injectable()
export class EventExportService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly clouds: ExchangeClouds,
    private readonly exports: ExportService,
    private readonly background: BackgroundRequests,
    private readonly rows: RequestRepository,
    private readonly results: ResultFiles,
  ) {}

  /** Queues an export. @returns the id of the background request @throws Forbidden, InvalidList */
  async start(actor: Actor, query: Query): Promise<string> {
    return this.enqueue(actor, query, randomUUID());
  }

  /** The file of a finished export. @throws ApiError 400, 404, Forbidden */
  async download(actor: Actor, query: Query): Promise<ExportedFile> {
    const id = parameter(query, 'rq_id');
    if (id === '') throw new InvalidList('Missing request id in the query parameters');
    if (!ANY_REQUEST.test(id) || id.includes('\0')) throw new InvalidList('Unexpected request id format');
    if (!EVENT_EXPORT.test(id)) throw new InvalidList('Invalid export request id');
    const row = await this.rows.findResult(this.db, id);
    if (row === undefined) throw new PlainError(400, 'Unknown export request id');
    if (row.owner_id !== actor.id && !isAdmin(actor)) throw new Forbidden();
    return this.fileFor(actor, row);
  }

  /**
   * The older form: the same request starts the export, asks whether it has finished, and downloads it.
   * @throws Forbidden, InvalidList, InvalidString for a failed export, which is then forgotten
   */
  async older(actor: Actor, query: Query): Promise<OlderResponse> {
    requireAll(loggedEventPolicy, ['export'], actor, { organization: contextOrganization(actor) });
    const queryId = parameter(query, 'query_id');
    const action = parameter(query, 'action');
    if (action !== '' && action !== 'download') throw new InvalidList('Unexpected action specified for the request');
    if (parameter(query, 'location') === 'cloud_storage' || parameter(query, 'cloud_storage_id') !== '')
      throw new InvalidList('This endpoint does not support exporting events to cloud storage');
    if (queryId !== '' && !UUID.test(queryId)) throw new InvalidList(`'query_id' must be a UUID`);
    const uuid = (queryId || randomUUID()).toLowerCase();
    const id = idOf(actor, uuid);
    const row = queryId === '' ? undefined : await this.rows.findResult(this.db, id);
    if (row === undefined) await this.enqueue(actor, query, uuid);
    if (row === undefined || row.status === 'queued' || row.status === 'started')
      return { status: 202, queryId: queryId || uuid };
    if (row.status === 'failed') {
      await this.forget(id);
      throw new FailedExport('The export of the events has failed. Start it again.');
    }
    if (action === '') return { status: 201 };
    const file = await this.fileFor(actor, row);
    const name = parameter(query, 'filename') || file.name;
    return { status: 200, file: { ...file, name }, forget: () => this.forget(id) };
  }

  /** The actor may have lost the permission since the export. @throws ApiError 400, 404, Forbidden */
  private async fileFor(actor: Actor, row: ResultRow): Promise<ExportedFile> {
    const { ids } = row.parameters as EventExportParameters;
    const organization = ids.org_id === undefined ? null : await findOrganizationFacts(this.db, ids.org_id, actor.id);
    if (!mayExportEvents(actor, organization, ids)) throw new Forbidden();
    return this.exports.finishedFile(row);
  }

  private async enqueue(actor: Actor, query: Query, uuid: string): Promise<string> {
    const organization = contextOrganization(actor);
    requireAll(loggedEventPolicy, ['export'], actor, { organization });
    const filter = readEventFilter(actor, query);
    const file = readFile(query);
    const cloudStorageId = await this.clouds.select(actor, file);
    const parameters: EventExportParameters = {
      ...filter,
      filename: this.nameOf(file, cloudStorageId),
      cloud_storage_id: cloudStorageId,
    };
    const id = idOf(actor, uuid);
    await this.work.run((tx) =>
      this.background.enqueue(tx, actor, {
        id,
        type: EXPORT_EVENTS,
        target: 'events',
        organizationId: organization?.id ?? null,
        parameters,
      }),
    );
    return id;
  }

  private nameOf({ filename, key }: FileQuery, cloudStorageId: number | null): string {
    const usual = `logs_${fileTimestamp(this.clock.now())}.csv`;
    if (cloudStorageId === null) return filename || usual;
    if (key !== '') requireKey(key);
    return key || usual;
  }

  private async forget(id: string): Promise<void> {
    const file = await this.work.run((tx) => this.rows.forgetEnded(tx, id));
    if (file !== null) await this.results.remove(file);
  }
}

/** 500 with a JSON string. */
class FailedExport extends InvalidString {
  override readonly status = 500;
}

const idOf = (actor: Actor, uuid: string): string =>
  requestIdOf({ action: 'export', target: 'events', id: uuid, userId: actor.id });
