import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db, type Queryable } from '../../core/database/db.js';
import { changeRow, lockRow, touchRow, type Tx } from '../../core/database/tx.js';
import { NotFound } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import { Events } from '../../core/events/events.js';
import type { Page } from '../../core/list/page-request.js';
import type { WireObject } from '../../core/versioning/representations.js';
import { assignments, type Sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { type ProjectFacts, projectPolicy, type ProjectScope } from '../../shared/policy/project.policy.js';
import { ChangesLabelOwner, RequiresLabelOwner } from '../labels/index.js';
import { projectScope } from './project.events.js';
import { transferScopes } from './transfer.js';
import { type ProjectDto, type ProjectRow, toProject } from './project.dto.js';
import { newAssignee, PROJECT_COLUMNS, projectList, ProjectRepository } from './project.repository.js';

/** Reads projects, and changes their rows for callers that have checked the permission. */
@Injectable()
export class ProjectService {
  constructor(
    private readonly db: Db,
    private readonly rows: ProjectRepository,
    private readonly lists: ListService,
    private readonly events: Events,
  ) {}

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<ProjectDto>> {
    const urls = new Urls(actor.baseUrl);
    return this.lists.page<ProjectRow, ProjectDto>(
      projectList,
      {
        select: PROJECT_COLUMNS,
        visible: projectPolicy.visible(actor),
        organization: listOrganization(actor),
        query,
        url: `${actor.baseUrl}/api/projects`,
      },
      (row) => toProject(row, urls),
    );
  }

  async get(actor: Actor, id: number): Promise<ProjectDto> {
    const found = await this.rows.findWithFacts(this.db, id, actor.id);
    if (found === undefined) throw NotFound.of('Project');
    requireAll(projectPolicy, ['view'], actor, found.facts);
    return toProject(found.row, new Urls(actor.baseUrl));
  }

  facts(db: Queryable, actor: Actor, id: number): Promise<ProjectFacts | undefined> {
    return this.rows.facts(db, id, actor.id);
  }

  /** Reads a project, and locks it until the transaction ends. */
  async lock(tx: Tx, id: number): Promise<ProjectRow | undefined> {
    await this.rows.lock(tx, id);
    return this.rows.find(tx, id);
  }

  /** @throws NotFound, Forbidden unless the actor has all scopes */
  @RequiresLabelOwner('project')
  async require(db: Queryable, actor: Actor, id: number, ...scopes: readonly ProjectScope[]): Promise<ProjectFacts> {
    const facts = await this.facts(db, actor, id);
    if (facts === undefined) throw NotFound.of('Project');
    requireAll(projectPolicy, scopes, actor, facts);
    return facts;
  }

  /**
   * Changes one project: locks it, calls `change`, writes the assignments that it returns, and records `update:project`.
   * @throws NotFound
   */
  async change(
    tx: Tx,
    actor: Actor | null,
    id: number,
    change: (before: ProjectRow) => Promise<readonly Sql[]>,
  ): Promise<ProjectDto> {
    const changed = await changeRow(tx, this.rows, id, change);
    if (changed === undefined) throw NotFound.of('Project');
    return this.recordUpdate(tx, actor, changed);
  }

  /**
   * Changes the organization of a project. The old organization's webhooks get `delete:project`, those of the new one
   * `create:project`, and those of the project `update:project`.
   * @throws NotFound
   */
  async transfer(
    tx: Tx,
    actor: Actor,
    id: number,
    change: (before: ProjectRow) => Promise<readonly Sql[]>,
  ): Promise<ProjectDto> {
    const changed = await changeRow(tx, this.rows, id, change);
    if (changed === undefined) throw NotFound.of('Project');
    const urls = new Urls(actor.baseUrl);
    const [before, object] = [toProject(changed.before, urls), toProject(changed.after, urls)];
    const scopes = transferScopes(changed, id);
    await this.events.deleted(tx, actor, 'project', { object, scope: scopes.left });
    await this.events.created(tx, actor, 'project', { object, scope: scopes.entered });
    await this.events.updated(tx, actor, 'project', { before, after: object, scope: scopes.project });
    return object;
  }

  /** Removes the assignees of projects, for callers that have already checked the permission. */
  async unassign(tx: Tx, actor: Actor, ids: readonly number[]): Promise<void> {
    for (const id of ids)
      await this.change(tx, actor, id, (row) => Promise.resolve(assignments(newAssignee(row, null, tx.now))));
  }

  /** Changes the labels of a project, as a change of the project. */
  @ChangesLabelOwner('project')
  async changeLabels(tx: Tx, actor: Actor, id: number, change: () => Promise<void>): Promise<ProjectDto> {
    await this.rows.lockContents(tx, id);
    return this.change(tx, actor, id, async () => {
      await change();
      await this.rows.touchContents(tx, id, tx.now);
      return [];
    });
  }

  /** Something in the project has changed: gives it a new date and records `update:project`. */
  async touch(tx: Tx, actor: Actor | null, id: number | null): Promise<void> {
    if (id === null) return;
    const before = await lockRow(tx, this.rows, id);
    if (before === undefined) throw NotFound.of('Project');
    await this.touchLocked(tx, actor, before);
  }

  /** Locks the project of a task and reads it in one round trip; undefined if the task is in none. */
  lockOfTask(tx: Tx, taskId: number): Promise<ProjectRow | undefined> {
    return this.rows.lockOfTask(tx, taskId);
  }

  /** Like `touch`, for a locked project. @param extras what older versions show, if the caller has read it */
  async touchLocked(tx: Tx, actor: Actor | null, before: ProjectRow, extras?: WireObject): Promise<void> {
    await this.recordUpdate(tx, actor, { before, after: touchRow(tx, this.rows, before) }, extras);
  }

  private async recordUpdate(
    tx: Tx,
    actor: Actor | null,
    changed: { readonly before: ProjectRow; readonly after: ProjectRow },
    extras?: WireObject,
  ): Promise<ProjectDto> {
    const urls = new Urls(actor?.baseUrl ?? '');
    const [before, after] = [toProject(changed.before, urls), toProject(changed.after, urls)];
    const change = { before, after, scope: projectScope(after), ...(extras && { extras }) };
    await this.events.updated(tx, actor, 'project', change);
    return after;
  }
}
