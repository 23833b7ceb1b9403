import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import { updateScopes } from '../../core/access/update-scopes.js';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body.js';
import { NotFound } from '../../core/http/errors.js';
import { Preconditions } from '../../core/http/preconditions.js';
import { Urls } from '../../core/http/urls.js';
import { Cascades } from '../../core/outbox/cascades.js';
import { EventRecorder } from '../../core/outbox/event-recorder.js';
import { join, type Sql, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../policy/actor.js';
import { type TaskFacts, taskPolicy, type TaskScope } from '../../policy/task.policy.js';
import { deletedLabels, LabelOwners, LabelService } from '../labels/index.js';
import { ProjectService } from '../projects/index.js';
import { StorageService } from '../storages/index.js';
import type { TaskDto, UpdateTaskDto } from './task.dto.js';
import { type TaskRow, toTask } from './task.mapper.js';
import { TaskMove } from './task.move.js';
import { TaskRepository } from './task.repository.js';

const UPDATE_SCOPES: Readonly<Record<string, TaskScope>> = {
  name: 'update:desc',
  labels: 'update:desc',
  bug_tracker: 'update:desc',
  subset: 'update:desc',
  owner_id: 'update:owner',
  assignee_id: 'update:assignee',
  project_id: 'update:project',
  organization: 'update:organization',
  source_storage: 'update:storages',
  target_storage: 'update:storages',
};

export interface TaskChangeOptions {
  /** Tell the project, too. */
  readonly touchProject?: boolean;
}

/** Changing tasks. Every change of a task's row goes through `change`. */
@Injectable()
export class TaskService implements OnModuleInit {
  /** Of the tasks that each unit of work has changed. */
  private readonly datesBefore = new WeakMap<Tx, Map<number, string>>();

  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(TaskRepository) private readonly tasks: TaskRepository,
    @Inject(TaskMove) private readonly move: TaskMove,
    @Inject(ProjectService) private readonly projects: ProjectService,
    @Inject(LabelService) private readonly labels: LabelService,
    @Inject(LabelOwners) private readonly labelOwners: LabelOwners,
    @Inject(StorageService) private readonly storages: StorageService,
    @Inject(ReferencedUsers) private readonly people: ReferencedUsers,
    @Inject(EventRecorder) private readonly events: EventRecorder,
    @Inject(Cascades) private readonly cascades: Cascades,
    @Inject(Preconditions) private readonly preconditions: Preconditions,
  ) {}

  onModuleInit(): void {
    this.labelOwners.register('task', {
      require: async (db, actor, id, scope) => void (await this.require(db, actor, id, scope)),
      change: (actor, id, change, deleted) =>
        this.work.run(async (tx) => {
          await this.labels.lockDeleted(tx, { kind: 'task', id }, deleted);
          return this.change(tx, actor, id, async () => {
            await change(tx);
            await this.tasks.touchJobs(tx, id, tx.now);
            return [];
          });
        }),
    });
  }

  async get(actor: Actor, id: number): Promise<TaskDto> {
    const found = await this.tasks.findWithFacts(this.db, id, actor.id);
    if (found === undefined) throw NotFound.of('Task');
    requireAll(taskPolicy, ['view'], actor, found.facts);
    return toTask(found.row, new Urls(actor.baseUrl));
  }

  /** @throws NotFound, Forbidden */
  async require(db: Queryable, actor: Actor, id: number, scope: TaskScope): Promise<TaskFacts> {
    const facts = await this.tasks.facts(db, id, actor.id);
    if (facts === undefined) throw NotFound.of('Task');
    requireAll(taskPolicy, [scope], actor, facts);
    return facts;
  }

  update(actor: Actor, id: number, body: Unvalidated<UpdateTaskDto>): Promise<TaskDto> {
    return this.work.run(async (tx) => {
      const facts = await this.tasks.facts(tx, id, actor.id);
      if (facts === undefined) throw NotFound.of('Task');
      requireAll(taskPolicy, ['view', ...updateScopes(body.raw, UPDATE_SCOPES)], actor, facts);
      await this.people.require(tx, actor, facts.organization, [body.raw['owner_id'], body.raw['assignee_id']]);
      const dto = body.validate();
      await this.labels.lockDeleted(tx, { kind: 'task', id }, deletedLabels(dto.labels));
      if (dto.project_id !== undefined) await this.cascades.lock(tx, 'task', [id]); // its annotations get other labels
      const change = async (row: TaskRow): Promise<Sql[]> => {
        await this.preconditions.require(tx, 'task', toTask(row, new Urls(actor.baseUrl)));
        return this.assignments(tx, actor, row, dto);
      };
      return this.change(tx, actor, id, change, { touchProject: true });
    });
  }

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      await this.require(tx, actor, id, 'delete');
      await this.cascades.lock(tx, 'task', [id]);
      await this.tasks.lock(tx, id);
      const row = await this.tasks.find(tx, id);
      if (row === undefined) throw NotFound.of('Task');
      const task = toTask(row, new Urls(actor.baseUrl));
      await this.preconditions.require(tx, 'task', task);
      await this.cascades.run(tx, { resource: 'task', ids: [id], actor });
      await this.projects.touch(tx, actor, row.project_id);
      await this.events.record(tx, actor, { operation: 'delete', resource: 'task' }, placeOf(task), [{ after: task }]);
      await this.tasks.delete(tx, id);
    });
  }

  /**
   * Changes one task: locks it, lets `change` do its part, writes the assignments with a new date, and tells
   * `update:task` (and `update:project`).
   */
  async change(
    tx: Tx,
    actor: Actor | null,
    id: number,
    change: (before: TaskRow) => Promise<Sql[]>,
    options: TaskChangeOptions = {},
  ): Promise<TaskDto> {
    await this.tasks.lock(tx, id);
    const before = await this.tasks.find(tx, id);
    if (before === undefined) throw NotFound.of('Task');
    const urls = new Urls(actor?.baseUrl ?? '');
    const old = toTask({ ...before, updated_date: this.dateBefore(tx, before) }, urls);
    const assignments = await change(before);
    await this.tasks.set(tx, id, join([...assignments, sql`updated_date = ${tx.now}`], ', '));
    const after = await this.tasks.find(tx, id);
    if (after === undefined) throw NotFound.of('Task');
    const task = toTask(after, urls);
    await this.events.record(tx, actor, { operation: 'update', resource: 'task' }, placeOf(task), [
      { after: task, before: old },
    ]);
    if (options.touchProject === true) await this.projects.touch(tx, actor, task.project_id);
    return task;
  }

  /** A unit of work has one time, and each of several changes in it tells that the date is another one than before it. */
  private dateBefore(tx: Tx, { id, updated_date: date }: TaskRow): string {
    const dates = this.datesBefore.get(tx) ?? new Map<number, string>();
    this.datesBefore.set(tx, dates);
    const before = dates.get(id) ?? date;
    dates.set(id, before);
    return before;
  }

  /** New dates of a task and its jobs, for clients that cache frames. No event tells it. */
  async touchWithJobs(tx: Tx, id: number): Promise<void> {
    await this.tasks.set(tx, id, sql`updated_date = ${tx.now}`);
    await this.tasks.touchJobs(tx, id, tx.now);
  }

  private async assignments(tx: Tx, actor: Actor, row: TaskRow, dto: UpdateTaskDto): Promise<Sql[]> {
    const { id } = row;
    const now = tx.now;
    if (dto.labels !== undefined && row.project_id === null) {
      await this.labels.changeAll(tx, actor, { kind: 'task', id }, dto.labels);
      await this.tasks.touchJobs(tx, id, now);
    }
    const source = dto.source_storage ?? undefined;
    const target = dto.target_storage ?? undefined;
    return [
      ...(dto.project_id === undefined ? [] : await this.move.into(tx, actor, row, dto.project_id)),
      ...(dto.name === undefined ? [] : [sql`name = ${dto.name}`]),
      ...(dto.bug_tracker === undefined ? [] : [sql`bug_tracker = ${dto.bug_tracker}`]),
      ...(dto.subset === undefined ? [] : [sql`subset = ${dto.subset}`]),
      ...(dto.owner_id === undefined ? [] : [sql`owner_id = ${dto.owner_id}`]),
      ...(dto.assignee_id === undefined || dto.assignee_id === row.assignee_id
        ? []
        : [sql`assignee_id = ${dto.assignee_id}, assignee_updated_date = ${now}`]),
      ...(source === undefined
        ? []
        : [
            sql`source_storage_id = ${await this.storages.update(tx, actor, { id: row.source_storage_id, field: 'source_storage' }, source)}`,
          ]),
      ...(target === undefined
        ? []
        : [
            sql`target_storage_id = ${await this.storages.update(tx, actor, { id: row.target_storage_id, field: 'target_storage' }, target)}`,
          ]),
    ];
  }
}

export const placeOf = (task: TaskDto): { organizationId: number | null; projectId: number | null } => ({
  organizationId: task.organization,
  projectId: task.project_id,
});
