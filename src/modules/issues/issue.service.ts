import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import { Db } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Invalid, InvalidList, NotFound } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Urls } from '../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import { BeforeDeleting, type Cascade, Cascades } from '../../core/events/cascades.js';
import { Events, inBatches } from '../../core/events/events.js';
import type { Page } from '../../core/list/page-request.js';
import { assignments, join } from '../../engines/sql/sql.js';
import type { Actor, OrganizationFacts } from '../../shared/policy/actor.js';
import { type IssueFacts, issuePolicy, type IssueScope, visibleInJob } from '../../shared/policy/issue.policy.js';
import { type IssueDto, type IssueRow, toIssue, type UpdateIssueDto } from './issue.dto.js';
import { issueScope } from './issue.events.js';
import { ISSUE_COLUMNS, issueList, IssueRepository } from './issue.repository.js';

/** Reads and changes issues. */
@Injectable()
export class IssueService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: IssueRepository,
    private readonly lists: ListService,
    private readonly people: ReferencedUsers,
    private readonly events: Events,
    private readonly preconditions: Preconditions,
  ) {}

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<IssueDto>> {
    const urls = new Urls(actor.baseUrl);
    const visible = issuePolicy.visible(actor);
    const options = {
      select: ISSUE_COLUMNS,
      visible: query['job_id'] === undefined ? visible : visibleInJob(actor, visible),
      organization: listOrganization(actor),
      query,
      url: `${actor.baseUrl}/api/issues`,
    };
    return this.lists.page<IssueRow, IssueDto>(issueList, options, (row) => toIssue(row, urls));
  }

  async get(actor: Actor, id: number): Promise<IssueDto> {
    const found = await this.rows.findWithFacts(this.db, id, actor.id);
    if (found === undefined) throw NotFound.of('Issue');
    requireAll(issuePolicy, ['view'], actor, found.facts);
    return toIssue(found.row, new Urls(actor.baseUrl));
  }

  update(actor: Actor, id: number, body: Unvalidated<UpdateIssueDto>): Promise<IssueDto> {
    return this.work.run(async (tx) => {
      const { row, facts } = await this.lock(tx, actor, id, 'update');
      await requireAssignee(this.people, tx, actor, facts.job.task.organization, body.raw['assignee']);
      const { position, assignee, resolved } = body.validate();
      const changes = assignments({ position, assignee_id: assignee, resolved, updated_date: tx.now });
      this.rows.set(tx, id, join(changes, ', '));
      const urls = new Urls(actor.baseUrl);
      const issue = toIssue(await this.read(tx, id), urls);
      const change = { before: toIssue(row, urls), after: issue, scope: issueScope(row) };
      await this.events.updated(tx, actor, 'issue', change);
      return issue;
    });
  }

  /** Removes the assignees of issues, for callers that have already checked the permission. */
  async unassign(tx: Tx, actor: Actor, ids: readonly number[]): Promise<void> {
    const urls = new Urls(actor.baseUrl);
    for (const part of inBatches(ids)) {
      const before = await this.rows.lockAll(tx, part);
      await this.rows.unassign(tx, part, tx.now);
      const after = new Map((await this.rows.findAll(tx, part)).map((row) => [row.id, row]));
      const changes = before.map((row) => ({
        before: toIssue(row, urls),
        after: toIssue(after.get(row.id) ?? row, urls),
        scope: issueScope(row),
      }));
      await this.events.updated(tx, actor, 'issue', changes);
    }
  }

  /** Locks an issue for a change. @throws NotFound, Forbidden */
  async lock(tx: Tx, actor: Actor, id: number, scope: IssueScope): Promise<{ row: IssueRow; facts: IssueFacts }> {
    const [, found] = await Promise.all([this.rows.lock(tx, id), this.rows.findWithFacts(tx, id, actor.id)]);
    if (found === undefined) throw NotFound.of('Issue');
    requireAll(issuePolicy, [scope], actor, found.facts);
    await this.preconditions.require(tx, 'issue', toIssue(found.row, new Urls(actor.baseUrl)));
    return found;
  }

  private async read(tx: Tx, id: number): Promise<IssueRow> {
    const row = await this.rows.find(tx, id);
    if (row === undefined) throw NotFound.of('Issue');
    return row;
  }
}

/** Deletes issues with their comments: one by request, or those of jobs that are deleted. */
@Injectable()
export class IssueDeletion {
  constructor(
    private readonly work: UnitOfWork,
    private readonly issues: IssueService,
    private readonly rows: IssueRepository,
    private readonly cascades: Cascades,
    private readonly events: Events,
  ) {}

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      const { row } = await this.issues.lock(tx, actor, id, 'delete');
      await this.record(tx, actor, [row]);
      await this.rows.delete(tx, id);
    });
  }

  @BeforeDeleting('job')
  async onDeletionOfJobs(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    await this.record(tx, actor, await this.rows.ofJobs(tx, ids));
  }

  private async record(tx: Tx, actor: Actor, rows: readonly IssueRow[]): Promise<void> {
    await this.cascades.run(tx, { resource: 'issue', ids: rows.map((row) => row.id), actor });
    const urls = new Urls(actor.baseUrl);
    const deleted = rows.map((row) => ({ object: toIssue(row, urls), scope: issueScope(row) }));
    await this.events.deleted(tx, actor, 'issue', deleted);
  }
}

/** An unknown assignee is an error of the field. */
export async function requireAssignee(
  people: ReferencedUsers,
  tx: Tx,
  actor: Actor,
  organization: OrganizationFacts | null,
  id: unknown,
): Promise<void> {
  try {
    await people.require(tx, actor, organization, [id]);
  } catch (error) {
    if (!(error instanceof InvalidList)) throw error;
    throw new Invalid({ assignee: [`Invalid pk "${String(id)}" - object does not exist.`] });
  }
}
