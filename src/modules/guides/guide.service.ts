import { Injectable } from '@nestjs/common';
import { Db, isUniqueViolation, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Forbidden, InvalidList, NotFound, Unauthenticated } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import type { Actor } from '../../shared/policy/actor.js';
import { guidePolicy, type GuideScope } from '../../shared/policy/guide.policy.js';
import { namedId } from '../../core/http/request/ids.js';
import { ProjectService } from '../projects/index.js';
import { TaskService } from '../tasks/index.js';
import { GuideAssets } from './guide-assets.js';
import type { CreateGuideDto, GuideDto, UpdateGuideDto, WrittenGuideDto } from './guide.dto.js';
import { GuideRepository, type GuideRow } from './guide.repository.js';

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
    await this.guides.lockTarget(tx, target);
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
function namedTarget(body: Readonly<Record<string, unknown>>): GuideTarget | undefined {
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

/** Reads and writes the annotation guides of projects and tasks. */
@Injectable()
export class GuideService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly guides: GuideRepository,
    private readonly targets: GuideTargets,
    private readonly assets: GuideAssets,
    private readonly preconditions: Preconditions,
  ) {}

  /** @param actor null for an anonymous client, who can read public guides */
  async get(actor: Actor | null, id: number): Promise<GuideDto> {
    const row = await this.guides.find(this.db, id);
    if (row?.is_public === true) return toGuide(row);
    if (actor === null) throw new Unauthenticated();
    if (row === undefined) throw NotFound.of('AnnotationGuide');
    await this.targets.require(this.db, actor, targetOf(row), 'view');
    return toGuide(row);
  }

  create(actor: Actor, body: Unvalidated<CreateGuideDto>): Promise<WrittenGuideDto> {
    const target = namedTarget(body.raw);
    if (target === undefined) throw new InvalidList('One of project_id or task_id must be specified');
    return this.work.run(async (tx) => {
      await this.targets.take(tx, actor, target, 'create');
      const { markdown = '' } = body.validate();
      const id = await oncePerTarget(target, () => this.guides.insert(tx, target, markdown, tx.now));
      const settled = await this.assets.settle(tx, actor, id, markdown);
      if (settled !== markdown) await this.guides.set(tx, id, target, settled, tx.now);
      await this.targets.touch(tx, actor, target);
      return toWrittenGuide(await this.read(tx, id));
    });
  }

  update(actor: Actor, id: number, body: Unvalidated<UpdateGuideDto>): Promise<WrittenGuideDto> {
    const named = namedTarget(body.raw);
    return this.work.run(async (tx) => {
      const row = await this.lock(tx, actor, id, 'update');
      const before = targetOf(row);
      const target = named ?? before;
      const moves = target.kind !== before.kind || target.id !== before.id;
      if (moves) await this.targets.take(tx, actor, target, 'update');
      const { markdown: sent } = body.validate();
      const markdown = sent === undefined ? row.markdown : await this.assets.settle(tx, actor, id, sent);
      await oncePerTarget(target, () => this.guides.set(tx, id, target, markdown, tx.now));
      if (moves) await this.targets.touch(tx, actor, before);
      await this.targets.touch(tx, actor, target);
      return toWrittenGuide(await this.read(tx, id));
    });
  }

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      const row = await this.lock(tx, actor, id, 'delete');
      await this.assets.forget(tx, id);
      await this.guides.delete(tx, id);
      await this.targets.touch(tx, actor, targetOf(row));
    });
  }

  private async lock(tx: Tx, actor: Actor, id: number, scope: GuideScope): Promise<GuideRow> {
    const row = await this.guides.lock(tx, id);
    if (row === undefined) throw NotFound.of('AnnotationGuide');
    await this.targets.require(tx, actor, targetOf(row), scope);
    await this.preconditions.require(tx, 'guide', toGuide(row));
    return row;
  }

  private async read(tx: Tx, id: number): Promise<GuideRow> {
    const row = await this.guides.find(tx, id);
    if (row === undefined) throw NotFound.of('AnnotationGuide');
    return row;
  }
}

/** @throws InvalidList if the target already has another guide */
async function oncePerTarget<T>(target: GuideTarget, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error, `uq_guide_${target.kind}_id`))
      throw new InvalidList(`The ${target.kind} has a guide already.`);
    throw error;
  }
}

const toGuide = (row: GuideRow): GuideDto => ({
  id: row.id,
  task_id: row.task_id,
  project_id: row.project_id,
  created_date: row.created_date,
  updated_date: row.updated_date,
  markdown: row.markdown,
});

const toWrittenGuide = (row: GuideRow): WrittenGuideDto => ({
  id: row.id,
  task_id: row.task_id,
  project_id: row.project_id,
  markdown: row.markdown,
});
