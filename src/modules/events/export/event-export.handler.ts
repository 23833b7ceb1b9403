import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { Db, rowsOf } from '../../../core/database/db.js';
import { pendingFor } from '../../../core/events/unhandled.js';
import { csvLine } from '../../../shared/csv.js';
import { and, raw, type Sql, sql } from '../../../engines/sql/sql.js';
import { ExchangeClouds, type OutgoingFile, toExchangeFailure } from '../../exchange/index.js';
import {
  HandlesRequests,
  type RequestContext,
  type RequestHandler,
  type RequestResult,
  ResultFiles,
} from '../../requests/index.js';
import { EVENT_LOG_LISTENER } from '../server/server-events.js';
import type { EventFilter } from './event-filter.js';

export const EXPORT_EVENTS = 'export:events';

/** The parameters of the background request. */
export interface EventExportParameters extends OutgoingFile, EventFilter {}

const DAY_MS = 86_400_000;
const ROWS_AT_ONCE = 500;
/** Changes are in the log a moment after their commit; longer only if no process relays events. */
const RELAY = { pollMs: 25, maxMs: 2_000 };

const COLUMNS = [
  'scope', 'obj_name', 'obj_id', 'obj_val', 'source', 'timestamp', 'count', 'duration', 'project_id', 'task_id', 'job_id',
  'user_id', 'user_name', 'user_email', 'org_id', 'org_slug', 'payload', 'access_token_id',
] as const; // prettier-ignore

type Row = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>;

/** The contract stores milliseconds, and shows six digits unless the fraction is zero. */
const TIME = raw(`regexp_replace(to_char(date_trunc('milliseconds', event_time) at time zone 'UTC',
  'YYYY-MM-DD HH24:MI:SS.US'), '\\.000000$', '')`);

/** Writes the rows of the event log that match a filter to a CSV file. Memory does not depend on their number. */
@Injectable()
@HandlesRequests(EXPORT_EVENTS)
export class EventExportHandler implements RequestHandler {
  readonly successTtlMs = DAY_MS;
  readonly failureTtlMs = DAY_MS;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly results: ResultFiles,
    private readonly clouds: ExchangeClouds,
  ) {}

  async run(request: RequestContext): Promise<RequestResult> {
    request.signal.throwIfAborted();
    const file = await this.results.newPath(request, '.csv');
    try {
      await this.caughtUp(request.signal);
      const lines = this.lines(request.parameters as EventExportParameters, request.signal);
      await pipeline(Readable.from(lines, { highWaterMark: 1 }), createWriteStream(file));
      return await this.clouds.deliver(request, file);
    } catch (error) {
      await rm(file, { force: true });
      throw toExchangeFailure(error, request);
    }
  }

  /** Waits until the log has the changes that were committed before. */
  private async caughtUp(signal: AbortSignal): Promise<void> {
    const pending = pendingFor(EVENT_LOG_LISTENER);
    const [row] = await this.db.query<{ last: number | null }>(
      sql`select max(event_id) as last from (${pending}) pending`,
    );
    const last = row?.last ?? null;
    if (last === null) return;
    for (let waited = 0; waited < RELAY.maxMs; waited += RELAY.pollMs) {
      const rows = await this.db.query(sql`select from (${pending}) pending where event_id <= ${last} limit 1`);
      if (rows.length === 0) return;
      await pause(RELAY.pollMs, undefined, { signal });
    }
  }

  private async *lines(filter: EventFilter, signal: AbortSignal): AsyncGenerator<string> {
    yield csvLine(COLUMNS);
    const where = await this.condition(filter);
    for await (const rows of this.batches(where)) {
      signal.throwIfAborted();
      yield rows.map((row) => csvLine(COLUMNS.map((name) => row[name]))).join('');
    }
  }

  /** Reads through a cursor: the partitions are merged in the order of their indexes. */
  private async *batches(where: Sql): AsyncGenerator<Row[]> {
    const client = await this.db.connect();
    let failure: Error | undefined;
    try {
      await client.query('begin transaction read only');
      await rowsOf(
        client,
        sql`declare event_export no scroll cursor for
          select scope, obj_name, obj_id, obj_val, source, ${TIME} as timestamp, count, duration, project_id, task_id,
            job_id, user_id, user_name, user_email, org_id, org_slug, payload, token_id as access_token_id
          from logged_event where ${where} order by event_time, id`,
        { dynamic: true },
      );
      for (;;) {
        const rows = await rowsOf<Row>(client, raw(`fetch ${ROWS_AT_ONCE} from event_export`), { dynamic: true });
        if (rows.length > 0) yield rows;
        if (rows.length < ROWS_AT_ONCE) break;
      }
    } finally {
      await client.query('rollback').catch((error: Error) => (failure = error));
      client.release(failure);
    }
  }

  private async condition({ ids, from, to }: EventFilter): Promise<Sql> {
    const start = from ?? (await this.creation(ids));
    return and([
      raw(`source in ('client', 'server') and scope <> 'send:exception'`),
      ...Object.entries(ids).map(([name, value]) => sql`${raw(name)} = ${value}`),
      sql`event_time <= ${to ?? this.clock.now().toISOString()}::timestamptz`,
      ...(start === null ? [] : [sql`event_time >= ${start}::timestamptz`]),
    ]);
  }

  /** When the named object was created: nothing can have happened to it before. */
  private async creation(ids: EventFilter['ids']): Promise<string | null> {
    const statement = creationOf(ids);
    if (statement === null) return null;
    const [row] = await this.db.query<{ created_date: string | null }>(statement);
    return row?.created_date ?? null;
  }
}

/** Null if no object is named. */
function creationOf({ job_id: job, task_id: task, project_id: project, org_id: organization }: EventFilter['ids']) {
  const own = (table: string, id: number): Sql => sql`select created_date from ${raw(table)} where id = ${id}`;
  if (job !== undefined) return own('job', job);
  if (task !== undefined) return own('task', task);
  if (project !== undefined) return own('project', project);
  if (organization === undefined) return null;
  return sql`select least((${own('organization', organization)}),
    (select min(created_date) from project where organization_id = ${organization}),
    (select min(created_date) from task where organization_id = ${organization})) as created_date`;
}
