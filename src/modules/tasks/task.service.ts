import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db, type Queryable } from '../../core/database/db.js';
import { changeRow, lockRow, touchRow, type Tx } from '../../core/database/tx.js';
import { NotFound } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import { Events, inBatches } from '../../core/events/events.js';
import type { Page } from '../../core/list/page-request.js';
import type { WireObject } from '../../core/versioning/representations.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { type TaskFacts, taskPolicy, type TaskScope } from '../../shared/policy/task.policy.js';
import { ChangesLabelOwner, RequiresLabelOwner } from '../labels/index.js';
import { ProjectService, transferScopes } from '../projects/index.js';
import { taskScope } from './task.events.js';
import { type TaskDto, type TaskRow, toTask } from './task.dto.js';
import { taskList } from './task.list.js';
import { TASK_COLUMNS, TaskRepository } from './task.repository.js';

export interface TaskChangeOptions {
  /** Also update the date of the project, and record `update:project`. */
  readonly touchProject?: boolean;
}

/** Reads tasks, and changes their rows for callers that have already checked the permission. */
@Injectable()
export class TaskService {
  /** The date that each task had before a unit of work changed it for the first time. */
  private readonly datesBefore = new WeakMap<Tx, Map<number, string>>();

  constructor(
    private readonly db: Db,
    private readonly rows: TaskRepository,
    private readonly projects: ProjectService,
    private readonly lists: ListService,
    private readonly events: Events,
  ) {}

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<TaskDto>> {
    const urls = new Urls(actor.baseUrl);
    return this.lists.page<TaskRow, TaskDto>(
      taskList,
      {
        select: TASK_COLUMNS,
        visible: taskPolicy.visible(actor),
        organization: listOrganization(actor),
        query,
        url: `${actor.baseUrl}/api/tasks`,
      },
      (row) => toTask(row, urls),
    );
  }

  async get(actor: Actor, id: number): Promise<TaskDto> {
    const found = await this.rows.findWithFacts(this.db, id, actor.id);
    if (found === undefined) throw NotFound.of('Task');
    requireAll(taskPolicy, ['view'], actor, found.facts);
    return toTask(found.row, new Urls(actor.baseUrl));
  }

  /** @throws NotFound, Forbidden unless the actor has all scopes */
  @RequiresLabelOwner('task')
  async require(db: Queryable, actor: Actor, id: number, ...scopes: readonly TaskScope[]): Promise<TaskFacts> {
    const facts = await this.rows.facts(db, id, actor.id);
    if (facts === undefined) throw NotFound.of('Task');
    requireAll(taskPolicy, scopes, actor, facts);
    return facts;
  }

  /**
   * Changes one task: locks it, calls `change`, writes the assignments that it returns, and records `update:task`.
   * @throws NotFound
   */
  async change(
    tx: Tx,
    actor: Actor | null,
    id: number,
    change: (before: TaskRow) => Promise<readonly Sql[]>,
    options: TaskChangeOptions = {},
  ): Promise<TaskDto> {
    const changed = await changeRow(tx, this.rows, id, change);
    if (changed === undefined) throw NotFound.of('Task');
    const after = await this.recordUpdate(tx, actor, changed);
    if (options.touchProject === true) await this.projects.touch(tx, actor, after.project_id);
    return after;
  }

  /**
   * Changes the organization of a task without a project. The old organization's webhooks get `delete:task`, those of
   * the new one `create:task`.
   * @throws NotFound
   */
  async transfer(
    tx: Tx,
    actor: Actor,
    id: number,
    change: (before: TaskRow) => Promise<readonly Sql[]>,
  ): Promise<TaskDto> {
    const changed = await changeRow(tx, this.rows, id, change);
    if (changed === undefined) throw NotFound.of('Task');
    const object = toTask(changed.after, new Urls(actor.baseUrl));
    const scopes = transferScopes(changed, null);
    await this.events.deleted(tx, actor, 'task', { object, scope: scopes.left });
    await this.events.created(tx, actor, 'task', { object, scope: scopes.entered });
    return object;
  }

  /** Updates the date of a task in which something has changed, and records `update:task`. */
  async touch(tx: Tx, actor: Actor | null, id: number, options: TaskChangeOptions = {}): Promise<TaskDto> {
    const after = await this.touchLocked(tx, actor, await this.lock(tx, id));
    if (options.touchProject === true) await this.projects.touch(tx, actor, after.project_id);
    return after;
  }

  /** Locks the task and reads it in one round trip. @throws NotFound */
  async lock(tx: Tx, id: number): Promise<TaskRow> {
    const row = await lockRow(tx, this.rows, id);
    if (row === undefined) throw NotFound.of('Task');
    return row;
  }

  /** Like `touch`, for a locked task. @param extras what older versions show, if the caller has read it */
  touchLocked(tx: Tx, actor: Actor | null, before: TaskRow, extras?: WireObject): Promise<TaskDto> {
    return this.recordUpdate(tx, actor, { before, after: touchRow(tx, this.rows, before) }, extras);
  }

  /** Updates the dates of a task and its jobs, because clients cache frames by date. Records no event. */
  async touchWithJobs(tx: Tx, id: number): Promise<void> {
    this.rows.set(tx, id, sql`updated_date = ${tx.now}`);
    await this.touchJobs(tx, id);
  }

  /** Updates the dates of a task's jobs. Records no event. */
  touchJobs(tx: Tx, id: number): Promise<void> {
    return this.rows.touchJobs(tx, id, tx.now);
  }

  /** Changes the labels of a task that is in no project, as a change of the task. */
  @ChangesLabelOwner('task')
  changeLabels(tx: Tx, actor: Actor, id: number, change: () => Promise<void>): Promise<TaskDto> {
    return this.change(tx, actor, id, async () => {
      await change();
      await this.touchJobs(tx, id);
      return [];
    });
  }

  /**
   * Writes new statuses and records `update:task` for each, by ascending id. The caller has locked the tasks. The number
   * of statements does not depend on the number of tasks.
   */
  async setStatuses(tx: Tx, actor: Actor, statuses: ReadonlyMap<number, string>): Promise<void> {
    await this.changeAll(tx, actor, [...statuses.keys()], () => this.rows.setStatuses(tx, statuses, tx.now));
  }

  /** Removes the assignees of tasks, and records `update:task` for each. */
  async unassign(tx: Tx, actor: Actor, ids: readonly number[]): Promise<void> {
    for (const part of inBatches(ids)) {
      await this.rows.lockAll(tx, part);
      await this.changeAll(tx, actor, part, () => this.rows.unassign(tx, part, tx.now));
    }
  }

  /** @param ids of tasks that the caller has locked */
  private async changeAll(tx: Tx, actor: Actor, ids: readonly number[], write: () => Promise<void>): Promise<void> {
    if (ids.length === 0) return;
    const urls = new Urls(actor.baseUrl);
    const before = new Map((await this.rows.findAll(tx, ids)).map((row) => [row.id, toTask(row, urls)]));
    await write();
    const changes = (await this.rows.findAll(tx, ids)).map((row) => {
      const after = toTask(row, urls);
      return { after, before: before.get(row.id) ?? after, scope: taskScope(after) };
    });
    await this.events.updated(tx, actor, 'task', changes);
  }

  private async recordUpdate(
    tx: Tx,
    actor: Actor | null,
    changed: { readonly before: TaskRow; readonly after: TaskRow },
    extras?: WireObject,
  ): Promise<TaskDto> {
    const urls = new Urls(actor?.baseUrl ?? '');
    const before = toTask({ ...changed.before, updated_date: this.dateBefore(tx, changed.before) }, urls);
    const after = toTask(changed.after, urls);
    const change = { before, after, scope: taskScope(after), ...(extras && { extras }) };
    await this.events.updated(tx, actor, 'task', change);
    return after;
  }

  /** All changes in a unit of work have the same time, and each event must still show that the date has changed. */
  private dateBefore(tx: Tx, { id, updated_date: date }: TaskRow): string {
    const dates = this.datesBefore.get(tx) ?? new Map<number, string>();
    this.datesBefore.set(tx, dates);
    const before = dates.get(id) ?? date;
    dates.set(id, before);
    return before;
  }
}
