import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import type { Queryable } from '../../core/database/db.js';
import { ApiError, Invalid } from '../../core/http/errors/errors.js';
import { namedId } from '../../core/http/request/ids.js';
import { parameter, type Query } from '../../core/list/page-request.js';
import type { Actor, OrganizationFacts } from '../../shared/policy/actor.js';
import { jobPolicy } from '../../shared/policy/job.policy.js';
import { projectPolicy } from '../../shared/policy/project.policy.js';
import type { QualityTarget } from '../../shared/policy/quality.policy.js';
import { taskPolicy } from '../../shared/policy/task.policy.js';
import { JobRepository } from '../jobs/index.js';
import { ProjectRepository } from '../projects/index.js';
import { TaskRepository } from '../tasks/index.js';

export const OBJECT_KINDS = ['job', 'task', 'project'] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];

/** A job, task or project that a list is filtered by. */
export interface NamedObject {
  readonly kind: ObjectKind;
  readonly id: number;
}

export type TargetKind = QualityTarget['kind'];

const NAMES: Readonly<Record<ObjectKind, string>> = { job: 'Job', task: 'Task', project: 'Project' };

/** Finds the jobs, tasks and projects that requests about quality name, and checks who may see them. */
@Injectable()
export class QualityTargets {
  constructor(
    private readonly projects: ProjectRepository,
    private readonly tasks: TaskRepository,
    private readonly jobs: JobRepository,
  ) {}

  /** The facts that the policy needs about a task or project; undefined if it does not exist. */
  async find(
    db: Queryable,
    actor: Actor,
    { kind, id }: { kind: TargetKind; id: number },
  ): Promise<QualityTarget | undefined> {
    if (kind === 'task') {
      const facts = await this.tasks.facts(db, id, actor.id);
      return facts === undefined ? undefined : { kind, facts };
    }
    const facts = await this.projects.facts(db, id, actor.id);
    return facts === undefined ? undefined : { kind, facts };
  }

  /**
   * Checks that the actor may view an object that filters a list.
   * @returns its organization
   * @throws ApiError 404, Forbidden
   */
  async requireView(db: Queryable, actor: Actor, object: NamedObject): Promise<OrganizationFacts | null> {
    const { kind, id } = object;
    if (kind === 'job') {
      const facts = await this.jobs.facts(db, id, actor.id);
      if (facts === undefined) throw unknownObject(object);
      requireAll(jobPolicy, ['view'], actor, facts);
      return facts.task.organization;
    }
    const target = await this.find(db, actor, { kind, id });
    if (target === undefined) throw unknownObject(object);
    if (target.kind === 'task') requireAll(taskPolicy, ['view'], actor, target.facts);
    else requireAll(projectPolicy, ['view'], actor, target.facts);
    return target.facts.organization;
  }

  /** @throws ApiError 404 */
  async requireExisting(db: Queryable, actor: Actor, object: NamedObject): Promise<void> {
    const { kind, id } = object;
    const found = kind === 'job' ? await this.jobs.facts(db, id, actor.id) : await this.find(db, actor, { kind, id });
    if (found === undefined) throw unknownObject(object);
  }
}

/** 404 for a filter that names an object that does not exist. */
const unknownObject = ({ kind, id }: NamedObject): ApiError => doesNotExist(NAMES[kind], id);

export const doesNotExist = (model: string, id: number): ApiError =>
  new ApiError(404, { detail: `${model} ${id} does not exist` });

/** The object ids among the parameters of a list, in the order job, task, project. @throws Invalid */
export const namedObjects = (query: Query): NamedObject[] =>
  OBJECT_KINDS.flatMap((kind) => {
    const id = idParameter(query, `${kind}_id`);
    return id === undefined ? [] : [{ kind, id }];
  });

/**
 * The id in a parameter of a list.
 * @returns undefined if it is absent or empty; 0, which no object has, for a number out of range
 * @throws Invalid for anything but a number
 */
export function idParameter(query: Query, name: string): number | undefined {
  const text = parameter(query, name).trim();
  if (text === '') return undefined;
  const id = namedId(text);
  if (id === undefined) throw new Invalid({ [name]: ['Enter a number.'] });
  return id;
}

/** One of the words that a parameter of a list can have. @throws ApiError 400 */
export function wordParameter<Word extends string>(
  query: Query,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const text = parameter(query, name);
  if (text === '') return undefined;
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  throw new ApiError(400, [`Unexpected '${name}' filter value '${text}'. Valid values are: ${words.join(', ')}`]);
}
