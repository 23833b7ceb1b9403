import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { and, raw, type Sql, sql } from '../../../engines/sql/sql.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { lambdaPolicy } from '../../../shared/policy/lambda.policy.js';
import type { FunctionCallDto } from '../lambda.dto.js';
import type { Region } from '../lambda-function.js';

export const ANNOTATE = 'autoannotate:task';

/** The id of the request that annotates a task, or one of its jobs: there is at most one. */
export const requestIdOfTask = (taskId: number): string => `action=autoannotate&target=task&target_id=${taskId}`;

/** @returns undefined for other ids */
export function taskOfRequestId(id: string): number | undefined {
  const digits = /^action=autoannotate&target=task&target_id=(\d{1,10})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The parameters of a request of an HTTP function, and how far it has come. */
export interface AnnotateParameters {
  readonly functionId: string;
  readonly threshold: number | null;
  readonly cleanup: boolean;
  /** When the request was made. What people draw later is not deleted. */
  readonly requested: string;
  readonly masksToPolygons: boolean;
  /** As sent by the client. */
  readonly mapping: unknown;
  readonly maxDistance: number | null;
  readonly region: Region | null;
  /** The results of earlier frames are stored. */
  readonly nextFrame: number;
  /** The annotations that `cleanup` deletes are deleted. */
  readonly isCleaned: boolean;
}

/** A request of an HTTP function or of a function of an agent. */
export interface FunctionRequestRow {
  /** The id of the request in the queue of agents; null: an HTTP function. */
  readonly queued_id: string | null;
  readonly task_id: number;
  readonly job_id: number | null;
  readonly owner_id: number | null;
  readonly function_id: string;
  readonly threshold: number | null;
  readonly status: string;
  /** 0 to 1. */
  readonly progress: number;
  readonly error: string;
  readonly created_date: string;
  readonly started_date: string | null;
  readonly finished_date: string | null;
}

const aliveIn = (table: Sql, now: Date): Sql => sql`(${table}.expiry_date is null or ${table}.expiry_date > ${now})`;

/**
 * The requests of HTTP functions are background requests, those of agents are in their queues.
 * @param condition on the tables `task` and `project`
 */
const requestsOf = (condition: Sql, now: Date): Sql => sql`
  select null as queued_id, background_request.task_id, background_request.job_id, background_request.owner_id,
    background_request.parameters->>'functionId' as function_id,
    (background_request.parameters->>'threshold')::float8 as threshold, background_request.status,
    background_request.progress, background_request.message as error, background_request.created_date,
    background_request.started_date, background_request.finished_date
  from background_request join task on task.id = background_request.task_id left join project on project.id = task.project_id
  where background_request.type = ${ANNOTATE} and not background_request.cancelled
    and ${aliveIn(raw('background_request'), now)} and ${condition}
  union all
  select annotation_request.id::text, annotation_request.task_id, annotation_request.job_id, annotation_request.owner_id,
    annotation_request.function_id::text, (annotation_request.params->>'threshold')::float8, annotation_request.status,
    annotation_request.progress, annotation_request.error, annotation_request.created_date,
    annotation_request.started_date, annotation_request.finished_date
  from annotation_request join task on task.id = annotation_request.task_id left join project on project.id = task.project_id
  where annotation_request.category = 'batch' and annotation_request.status <> 'cancelled'
    and ${aliveIn(raw('annotation_request'), now)} and ${condition}`;

/** Clients know one request of a task: the newest. */
const newestOf = (condition: Sql, now: Date): Sql => sql`
  select distinct on (found.task_id) found.* from (${requestsOf(condition, now)}) found
  order by found.task_id, found.created_date desc`;

/** The requests that annotate tasks, whoever executes them. */
@Injectable()
export class FunctionRequestRepository {
  async ofTask(db: Queryable, taskId: number, now: Date): Promise<FunctionRequestRow | undefined> {
    const [row] = await db.query<FunctionRequestRow>(newestOf(sql`task.id = ${taskId}`, now));
    return row;
  }

  /** Requests that have not failed, of the tasks that the actor may see, newest first. */
  visible(db: Queryable, actor: Actor, organization: Sql, now: Date): Promise<FunctionRequestRow[]> {
    const newest = newestOf(and([organization, lambdaPolicy.visible(actor)]), now);
    return db.query<FunctionRequestRow>(sql`
      select newest.* from (${newest}) newest where newest.status <> 'failed'
      order by newest.created_date desc limit ${raw('1000')}`);
  }

  /** Makes all other requests for this task wait until the transaction ends. */
  async lock(tx: Tx, taskId: number): Promise<void> {
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`autoannotate ${taskId}`}, 0))`);
  }

  /** Deletes the requests for this task in the queues of agents that have ended. */
  async forgetQueued(tx: Tx, taskId: number): Promise<void> {
    await tx.query(sql`
      delete from annotation_request
      where task_id = ${taskId} and category = 'batch' and status in ('finished', 'failed')`);
  }
}

export const toFunctionCall = (row: FunctionRequestRow): FunctionCallDto => ({
  id: requestIdOfTask(row.task_id),
  function: {
    id: row.function_id,
    threshold: row.threshold,
    task: row.task_id,
    ...(row.job_id === null ? {} : { job: row.job_id }),
  },
  status: row.status,
  progress: progressOf(row),
  enqueued: row.created_date,
  started: row.started_date,
  ended: row.finished_date,
  exc_info: row.status === 'failed' ? row.error.trim() : null,
});

/** Percent. */
function progressOf({ status, progress }: FunctionRequestRow): number | null {
  if (status === 'queued') return null;
  return status === 'finished' ? 100 : Math.round(progress * 100);
}
