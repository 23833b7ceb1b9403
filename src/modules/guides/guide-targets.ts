import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Forbidden, InvalidList } from '../../core/http/errors.js';
import { namedId } from '../../core/http/named-id.js';
import type { Actor } from '../../shared/policy/actor.js';
import { guidePolicy, type GuideScope } from '../../shared/policy/guide.policy.js';
import { ProjectService } from '../projects/index.js';
import { TaskService } from '../tasks/index.js';
import { GuideRepository } from './guide.repository.js';

/** The project or task that a guide belongs to. */
export interface GuideTarget {
  readonly kind: 'project' | 'task';
  readonly id: number;
}

export const targetOf = (row: { readonly task_id: number | null; readonly project_id: number | null }): GuideTarget =>
  row.project_id === null ? { kind: 'task', id: row.task_id ?? 0 } : { kind: 'project', id: row.project_id };

const NAMES = { project: 'Project', task: 'Task' } as const;

/** The projects and tasks that guides belong to. */
@Injectable()
export class GuideTargets {
  constructor(
    private readonly guides: GuideRepository,
    private readonly projects: ProjectService,
    private readonly tasks: TaskService,
  ) {}

  /** @throws InvalidList for a target that does not exist, Forbidden */
  async require(db: Queryable, actor: Actor, target: GuideTarget, scope: GuideScope): Promise<void> {
    const facts = await this.guides.targetFacts(db, target, actor.id);
    if (facts === undefined) throw new InvalidList(`${NAMES[target.kind]} matching query does not exist.`);
    if (!guidePolicy.allow(scope, actor, facts)) throw new Forbidden();
  }

  /** Like `require`, and keeps the target from being deleted, for a guide that is given this target. */
  async take(tx: Tx, actor: Actor, target: GuideTarget, scope: GuideScope): Promise<void> {
    await this.guides.keepTarget(tx, target);
    await this.require(tx, actor, target, scope);
  }

  /** A change of a guide is a change of its project or task. */
  async touch(tx: Tx, actor: Actor, { kind, id }: GuideTarget): Promise<void> {
    if (kind === 'project') await this.projects.touch(tx, actor, id);
    else await this.tasks.touch(tx, actor, id);
  }
}

/**
 * Reads the target in a body that is not validated yet.
 * @returns undefined without a target
 * @throws InvalidList
 */
export function namedTarget(body: Readonly<Record<string, unknown>>): GuideTarget | undefined {
  const project = idIn(body, 'project_id');
  const task = idIn(body, 'task_id');
  if (project !== undefined && task !== undefined)
    throw new InvalidList('Both project_id and task_id must not be specified');
  if (project !== undefined) return { kind: 'project', id: project };
  return task === undefined ? undefined : { kind: 'task', id: task };
}

function idIn(body: Readonly<Record<string, unknown>>, key: 'project_id' | 'task_id'): number | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  const id = namedId(value);
  if (id === undefined) throw new InvalidList(`"${key}" must be an integer`);
  return id;
}
