import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db } from '../../core/database/db.js';
import { InvalidList, InvalidString } from '../../core/http/errors/errors.js';
import { namedId } from '../../core/http/request/ids.js';
import type { TaskLabel } from '../../engines/functions/mapping.js';
import { sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { type LambdaFacts, lambdaPolicy, type LambdaScope } from '../../shared/policy/lambda.policy.js';
import { LabelService } from '../labels/index.js';
import { type MediaSource, MediaSourceRepository } from '../media/index.js';
import { shortened } from './lambda-function.js';

/** The task or job that a function works on. */
export interface LambdaTarget {
  readonly taskId: number;
  /** Null: the whole task. */
  readonly jobId: number | null;
  readonly projectId: number | null;
  readonly organizationId: number | null;
  readonly facts: LambdaFacts;
  readonly source: MediaSource;
  readonly labels: readonly TaskLabel[];
}

interface TaskRow {
  readonly project_id: number | null;
  readonly organization_id: number | null;
  readonly dimension: string;
}

const MODELS = { job: 'Job', task: 'Task' } as const;

/** Finds the task or job of a call, and checks the permission for it. */
@Injectable()
export class LambdaTargets {
  constructor(
    private readonly db: Db,
    private readonly sources: MediaSourceRepository,
    private readonly labels: LabelService,
  ) {}

  /**
   * The task or job that a body names. The job takes precedence.
   * @param functionId for errors
   * @throws InvalidString, InvalidList, Forbidden
   */
  async require(
    actor: Actor,
    body: Readonly<Record<string, unknown>>,
    scope: LambdaScope,
    functionId: string,
  ): Promise<LambdaTarget> {
    const named = { task: idIn(body, 'task'), job: idIn(body, 'job') };
    if (named.job === null && named.task === null)
      throw new InvalidString(`\`${shortened(functionId)}\` lambda function was run with wrong arguments ('task')`);
    const target = await this.find(actor, named, scope);
    if (named.task !== null && named.task !== target.taskId)
      throw new InvalidString('Job task id does not match task id');
    return target;
  }

  /** @throws InvalidList if it does not exist, Forbidden, InvalidString if functions cannot work on it */
  async find(
    actor: Actor,
    named: { readonly task: number | null; readonly job: number | null },
    scope: LambdaScope,
  ): Promise<LambdaTarget> {
    const { facts, source } = await this.load(actor, named);
    requireAll(lambdaPolicy, [scope], actor, facts);
    if (source === null || source.size === 0) throw new InvalidString('The task has no data yet');
    const { taskId } = source;
    const [[task], labels] = await Promise.all([
      this.db.query<TaskRow>(sql`select project_id, organization_id, dimension from task where id = ${taskId}`),
      this.labels.usedIn(this.db, 'task', [taskId]),
    ]);
    if (task === undefined) throw missing('task');
    if (task.dimension !== '2d')
      throw new InvalidString(
        `Functions work on images, but this task has ${task.dimension === '3d' ? 'point clouds' : 'audio'}`,
      );
    const { project_id: projectId, organization_id: organizationId } = task;
    return { taskId, jobId: named.job, projectId, organizationId, facts, source, labels };
  }

  /** What the policy needs to know. @throws InvalidList if the task or job does not exist */
  async facts(
    actor: Actor,
    named: { readonly task: number | null; readonly job: number | null },
  ): Promise<LambdaFacts> {
    return (await this.load(actor, named)).facts;
  }

  private async load(
    actor: Actor,
    { task, job }: { readonly task: number | null; readonly job: number | null },
  ): Promise<{ facts: LambdaFacts; source: MediaSource | null }> {
    if (job !== null) {
      const found = await this.sources.ofJob(this.db, job, actor.id);
      if (found === undefined) throw missing('job');
      return { facts: { task: found.facts.task, job: found.facts }, source: found.source };
    }
    const found = await this.sources.ofTask(this.db, task ?? 0, actor.id);
    if (found === undefined) throw missing('task');
    return { facts: { task: found.facts, job: null }, source: found.source };
  }
}

const missing = (kind: keyof typeof MODELS): InvalidList =>
  new InvalidList(`${MODELS[kind]} matching query does not exist.`);

function idIn(body: Readonly<Record<string, unknown>>, key: 'task' | 'job'): number | null {
  const value = body[key];
  if (value === undefined || value === null) return null;
  const id = namedId(value);
  if (id === undefined) throw new InvalidString(`${key} must be an integer`);
  return id;
}

/** Whether the task or job has a frame. Deleted frames count. */
export function hasFrame({ segment, size }: MediaSource, frame: number): boolean {
  if (!Number.isInteger(frame)) return false;
  if (segment === null) return frame >= 0 && frame < size;
  return frame >= segment.start && frame <= segment.stop && (segment.included?.includes(frame) ?? true);
}

/** The frames of the task or job without deleted ones, ascending. */
export function framesOf({ segment, size, deletedFrames }: MediaSource): number[] {
  const deleted = new Set(deletedFrames);
  const [start, stop] = segment === null ? [0, size - 1] : [segment.start, segment.stop];
  const all = segment?.included ?? Array.from({ length: stop - start + 1 }, (_, at) => start + at);
  return all.filter((frame) => !deleted.has(frame));
}
