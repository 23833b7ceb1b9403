import { Injectable } from '@nestjs/common';
import type { Db, Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Backlogged } from '../../core/metrics/backlogs.js';
import { HoldsLeases, type LeaseTable, LiveProcesses } from '../../core/worker/live-processes.js';
import { sql, type Sql } from '../../engines/sql/sql.js';
import { activeTraceparent } from '../../engines/tracing/tracing.js';
import type { ImportReportDto } from './import-report.dto.js';
import { type QualityOutcomeDto, REQUEST_FROM, type RequestRow } from './request.dto.js';
import type { RequestOrigin } from '../../shared/policy/actor.js';

export const REQUEST_COLUMNS = sql`background_request.id, background_request.type, background_request.target,
  background_request.status, background_request.message, background_request.progress, background_request.project_id,
  background_request.task_id, background_request.job_id, background_request.format, background_request.subresource,
  background_request.owner_id, owner.username as owner_username, background_request.result_file,
  background_request.result_id, background_request.report, background_request.created_date, background_request.started_date,
  background_request.finished_date, background_request.expiry_date`;

/** A request that this worker processes. */
export interface ClaimedRow {
  readonly row_id: number;
  readonly id: string;
  readonly type: string;
  readonly parameters: unknown;
  readonly project_id: number | null;
  readonly task_id: number | null;
  readonly job_id: number | null;
  readonly owner_id: number | null;
  readonly base_url: string;
  readonly origin: RequestOrigin | null;
  readonly traceparent: string | null;
  readonly attempts: number;
  /** Cancelled: only undo what an earlier attempt did. */
  readonly cancelled: boolean;
  /** Why it must not be tried again; null if it may. Only undo what an earlier attempt did. */
  readonly verdict: string | null;
}

/** Decides which owner comes next. All deleted accounts count as owner 0. */
export interface ClaimOrder {
  /** Owners to skip, because this process already handles enough of their requests. */
  readonly full: readonly number[];
  /** Owners served before, the one served longest ago first. */
  readonly served: readonly number[];
  /** Rows that this process is working on. */
  readonly running: readonly number[];
}

/** A request with the scope of its event. */
export interface PlacedRequestRow extends RequestRow {
  readonly scope_organization: number | null;
  readonly scope_project: number | null;
}

export interface NewRequest {
  readonly id: string;
  readonly type: string;
  readonly target: string;
  readonly projectId: number | null;
  readonly taskId: number | null;
  readonly jobId: number | null;
  readonly organizationId: number | null;
  readonly format: string | null;
  readonly subresource: string | null;
  readonly ownerId: number;
  readonly baseUrl: string;
  readonly origin: RequestOrigin | null;
  readonly parameters: unknown;
  readonly now: Date;
}

export interface Ending {
  readonly status: 'finished' | 'failed';
  readonly message: string;
  readonly resultFile: string | null;
  readonly resultId: number | null;
  readonly report: ImportReportDto | QualityOutcomeDto | null;
  readonly now: Date;
  readonly expiry: Date;
}

export interface ResultRow {
  readonly owner_id: number | null;
  readonly status: string;
  readonly parameters: unknown;
  readonly result_file: string | null;
  readonly expiry_date: string | null;
}

@Injectable()
@HoldsLeases()
export class RequestRepository implements LeaseTable {
  readonly holders = sql`select holder from background_request where holder is not null`;

  constructor(private readonly processes: LiveProcesses) {}

  async releaseLeases(db: Queryable, dead: readonly number[]): Promise<void> {
    await db.query(sql`
      update background_request set leased_by = null, lease_end = null, holder = null
      where holder = any(${[...dead]}::int[]) and status = 'started'`);
  }

  /** A request that has not expired and was not cancelled. */
  async find(db: Queryable, id: string, now: Date): Promise<RequestRow | undefined> {
    const [row] = await db.query<RequestRow>(sql`
      select ${REQUEST_COLUMNS} from ${REQUEST_FROM}
      where background_request.id = ${id} and not cancelled and (expiry_date is null or expiry_date > ${now})`);
    return row;
  }

  /** The result of a request, even if it has expired but is not deleted yet. */
  async findResult(db: Queryable, id: string): Promise<ResultRow | undefined> {
    const [row] = await db.query<ResultRow>(sql`
      select owner_id, status, parameters, result_file, expiry_date from background_request where id = ${id}`);
    return row;
  }

  async isActive(db: Queryable, id: string): Promise<boolean> {
    const rows = await db.query(sql`
      select 1 from background_request where id = ${id} and status in ('queued', 'started')`);
    return rows.length > 0;
  }

  /** Deletes the ended request with this id, if there is one. @returns its result file */
  async forgetEnded(tx: Tx, id: string): Promise<string | null> {
    const [row] = await tx.query<{ result_file: string | null }>(sql`
      delete from background_request where id = ${id} and status in ('finished', 'failed') returning result_file`);
    return row?.result_file ?? null;
  }

  /** The row with the scope of its target, even if its own columns do not contain it. */
  async findWithScope(db: Queryable, rowId: number): Promise<PlacedRequestRow | undefined> {
    const [row] = await db.query<PlacedRequestRow>(sql`
      select ${REQUEST_COLUMNS},
        coalesce(background_request.organization_id, target_task.organization_id, project.organization_id) as scope_organization,
        coalesce(background_request.project_id, target_task.project_id) as scope_project
      from ${REQUEST_FROM}
      left join job on job.id = background_request.job_id
      left join segment on segment.id = job.segment_id
      left join task target_task on target_task.id = coalesce(background_request.task_id, segment.task_id)
      left join project on project.id = background_request.project_id
      where background_request.row_id = ${rowId}`);
    return row;
  }

  /** @returns false if a request with this id is queued or running */
  async insert(tx: Tx, request: NewRequest): Promise<boolean> {
    const rows = await tx.query(sql`
      insert into background_request (id, type, target, project_id, task_id, job_id, organization_id, format, subresource,
        owner_id, base_url, origin, traceparent, parameters, created_date)
      values (${request.id}, ${request.type}, ${request.target}, ${request.projectId}, ${request.taskId}, ${request.jobId},
        ${request.organizationId}, ${request.format}, ${request.subresource}, ${request.ownerId}, ${request.baseUrl},
        ${request.origin === null ? null : JSON.stringify(request.origin)}::json, ${activeTraceparent()},
        ${JSON.stringify(request.parameters)}::jsonb, ${request.now})
      on conflict (id) do nothing returning row_id`);
    return rows.length > 0;
  }

  /**
   * Cancels an unfinished request. A queued one is deleted immediately, a running one after its worker has undone its
   * work.
   * @returns false if the request has ended
   */
  async cancel(tx: Tx, id: string): Promise<boolean> {
    const deleted = await tx.query(sql`
      delete from background_request where id = ${id} and status = 'queued' and started_date is null returning 1`);
    if (deleted.length > 0) return true;
    const cancelled = await tx.query(sql`
      update background_request set cancelled = true where id = ${id} and status in ('queued', 'started') returning 1`);
    return cancelled.length > 0;
  }

  /** @returns the requests that were cancelled while the worker processes them */
  async findCancelled(db: Queryable, rowIds: readonly number[], worker: string): Promise<number[]> {
    const rows = await db.query<{ row_id: number }>(sql`
      select row_id from background_request
      where row_id = any(${[...rowIds]}::bigint[]) and leased_by = ${worker} and status = 'started' and cancelled`);
    return rows.map(({ row_id: rowId }) => rowId);
  }

  /** Deletes a cancelled request that the worker has undone. */
  async forgetCancelled(db: Queryable, rowId: number, worker: string): Promise<void> {
    await db.query(sql`
      delete from background_request
      where row_id = ${rowId} and leased_by = ${worker} and status = 'started' and cancelled`);
  }

  /**
   * Leases the next request that no live worker holds, except those that this worker still processes, although it could not
   * renew their leases while the database was not available: from the owner with the fewest running requests, then from the
   * owner served longest ago. Owners are found by a loose index scan, so a thousand requests of one owner cost as much
   * as one.
   */
  async claim(
    db: Db,
    worker: string,
    { full, served, running }: ClaimOrder,
    now: Date,
    leaseEnd: Date,
  ): Promise<ClaimedRow | undefined> {
    const open = sql`background_request.status in ('queued', 'started')`; // matches the partial index
    const owner = sql`coalesce(background_request.owner_id, 0)`;
    const free = sql`${open} and (background_request.lease_end is null or background_request.lease_end < ${now})
      and background_request.row_id <> all(${[...running]}::bigint[])`;
    const [row] = await db.queryInIndexOrder<ClaimedRow>(sql`
      with recursive waiting(owner) as (
        (select ${owner} from background_request where ${open} order by ${owner} limit 1)
        union all
        select (select ${owner} from background_request where ${open} and ${owner} > waiting.owner order by ${owner} limit 1)
        from waiting where waiting.owner is not null
      ), first as materialized (
        select first.row_id, busy.count, served.turn from waiting
        cross join lateral (
          select row_id from background_request where ${owner} = waiting.owner and ${free}
          order by status desc, row_id limit 1
        ) first
        cross join lateral (
          select count(*) from background_request
          where ${owner} = waiting.owner and ${open} and status = 'started' and lease_end >= ${now}
        ) busy
        left join unnest(${[...served]}::int[]) with ordinality as served(owner, turn) on served.owner = waiting.owner
        where waiting.owner <> all(${[...full]}::int[])
      )
      update background_request set status = 'started',
        started_date = coalesce(started_date, greatest(${now}, created_date + interval '1 microsecond')),
        attempts = attempts + 1, leased_by = ${worker}, lease_end = ${leaseEnd},
        holder = ${this.processes.holder}::int
      where row_id = (
        select background_request.row_id from background_request join first on first.row_id = background_request.row_id
        where ${free}
        order by first.count, first.turn nulls first, background_request.row_id
        limit 1 for update of background_request skip locked)
      returning ${CLAIMED_COLUMNS}`);
    return row;
  }

  /** A request that the worker has claimed. */
  async claimed(db: Queryable, rowId: number, worker: string): Promise<ClaimedRow | undefined> {
    const [row] = await db.query<ClaimedRow>(sql`
      select ${CLAIMED_COLUMNS} from background_request
      where row_id = ${rowId} and leased_by = ${worker} and status = 'started'`);
    return row;
  }

  /**
   * Records why a request must not be tried again. The next attempt only undoes its work.
   * @returns false if another worker holds the request, or it no longer exists
   */
  async condemn(db: Queryable, rowId: number, worker: string, verdict: string): Promise<boolean> {
    const rows = await db.query(sql`
      update background_request set verdict = ${verdict}
      where row_id = ${rowId} and leased_by = ${worker} and status = 'started' returning 1`);
    return rows.length > 0;
  }

  /** @returns false if another worker holds the request, or it no longer exists */
  async renew(db: Queryable, rowId: number, worker: string, leaseEnd: Date): Promise<boolean> {
    const rows = await db.query(sql`
      update background_request set lease_end = ${leaseEnd}
      where row_id = ${rowId} and leased_by = ${worker} and status = 'started' returning 1`);
    return rows.length > 0;
  }

  /**
   * Replaces the parameters. The attempt has made progress, so it is counted as the first one.
   * @returns false if another worker holds the request, or it no longer exists or was cancelled
   */
  async checkpoint(db: Queryable, rowId: number, worker: string, parameters: unknown): Promise<boolean> {
    const rows = await db.query(sql`
      update background_request set parameters = ${JSON.stringify(parameters)}::jsonb, attempts = 1
      where row_id = ${rowId} and leased_by = ${worker} and status = 'started' and not cancelled returning 1`);
    return rows.length > 0;
  }

  async report(db: Queryable, rowId: number, worker: string, message: string, progress: number): Promise<void> {
    await db.query(sql`
      update background_request set message = ${message}, progress = ${progress}
      where row_id = ${rowId} and leased_by = ${worker} and status = 'started'`);
  }

  /** @returns false if another worker holds the request, or it no longer exists or was cancelled */
  async end(db: Queryable, rowId: number, worker: string, ending: Ending): Promise<boolean> {
    const rows = await db.query(sql`
      update background_request set status = ${ending.status}, message = ${ending.message},
        result_file = ${ending.resultFile}, result_id = ${ending.resultId},
        report = ${ending.report === null ? null : JSON.stringify(ending.report)}::jsonb,
        finished_date = greatest(${ending.now}, started_date + interval '1 microsecond'),
        expiry_date = ${ending.expiry}, leased_by = null, lease_end = null, holder = null
      where row_id = ${rowId} and leased_by = ${worker} and status = 'started' and not cancelled returning 1`);
    return rows.length > 0;
  }

  /** Releases an unfinished request until a later time. @param counts whether it has used up an attempt */
  async postpone(db: Queryable, rowId: number, worker: string, until: Date, counts: boolean): Promise<void> {
    await db.query(sql`
      update background_request set status = 'queued', progress = 0, attempts = attempts - ${counts ? 0 : 1}::int,
        leased_by = null, lease_end = ${until}, holder = null
      where row_id = ${rowId} and leased_by = ${worker} and status = 'started'`);
  }

  /**
   * Releases the requests that the worker holds without processing them: their end was not recorded, or their claim was
   * committed although its connection was lost.
   * @param running the rows that it processes
   * @returns whether none are left: another transaction may still lock some
   */
  async postponeLost(db: Queryable, worker: string, running: readonly number[], until: Date): Promise<boolean> {
    const lost = sql`leased_by = ${worker} and status = 'started' and row_id <> all(${[...running]}::bigint[])`;
    const [row] = await db.query<{ is_done: boolean }>(sql`
      with postponed as (
        update background_request set status = 'queued', progress = 0, leased_by = null, lease_end = ${until}, holder = null
        where row_id in (select row_id from background_request where ${lost} for update skip locked) returning 1
      )
      select (select count(*) from background_request where ${lost}) = (select count(*) from postponed) as is_done`);
    return row?.is_done === true;
  }

  /** Releases an unfinished request. @param counts whether it has used up an attempt */
  async release(db: Queryable, rowId: number, worker: string, counts: boolean): Promise<void> {
    await db.query(sql`
      update background_request set status = 'queued', message = '', progress = 0, attempts = attempts - ${counts ? 0 : 1}::int,
        leased_by = null, lease_end = null, holder = null
      where row_id = ${rowId} and leased_by = ${worker} and status = 'started'`);
  }

  /** @returns result files that can no longer be downloaded */
  async deleteExpired(db: Queryable, now: Date): Promise<string[]> {
    const rows = await db.query<{ result_file: string | null }>(sql`
      delete from background_request where expiry_date < ${now} returning result_file`);
    return rows.flatMap(({ result_file }) => (result_file === null ? [] : [result_file]));
  }
}

const CLAIMED_COLUMNS = sql`row_id, id, type, parameters, project_id, task_id, job_id, owner_id, base_url, origin, traceparent,
  attempts, cancelled, verdict`;
const OPEN = sql`status in ('queued', 'started')`; // matches the partial index

/** Declares the backlog of background requests for the metrics. */
@Injectable()
export class RequestMetrics {
  @Backlogged('requests')
  queued(): Sql {
    return sql`
      select count(*) as waiting, min(created_date) as oldest from background_request where ${OPEN} and status = 'queued'`;
  }

  @Backlogged('requests under way')
  started(): Sql {
    return sql`
      select count(*) as waiting, min(started_date) as oldest from background_request where ${OPEN} and status = 'started'`;
  }
}
