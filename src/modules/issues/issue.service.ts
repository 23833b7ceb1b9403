import { Inject, Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import type { Tx } from '../../core/database/tx.js';
import { Discovery } from '../../core/discovery/discovery.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body.js';
import { Invalid, InvalidList, NotFound } from '../../core/http/errors.js';
import { Preconditions } from '../../core/http/preconditions.js';
import { Urls } from '../../core/http/urls.js';
import { BeforeDeleting, type Cascade, Cascades } from '../../core/outbox/cascades.js';
import { EventRecorder, NOWHERE, type PlacedChange } from '../../core/outbox/event-recorder.js';
import { join, type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization, type OrganizationFacts } from '../../shared/policy/actor.js';
import { type IssueFacts, issuePolicy, type IssueScope } from '../../shared/policy/issue.policy.js';
import { JobRepository } from '../jobs/index.js';
import { WritesFirstComment } from './first-comment.js';
import type { CreateIssueDto, IssueDto, UpdateIssueDto } from './issue.dto.js';
import { type IssueRow, placeOf, toIssue } from './issue.mapper.js';
import { IssueRepository } from './issue.repository.js';
import { parentId } from './parent-id.js';

/** Changing issues. */
@Injectable()
export class IssueService {
  constructor(
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(IssueRepository) private readonly issues: IssueRepository,
    @Inject(JobRepository) private readonly jobs: JobRepository,
    @Inject(Discovery) private readonly discovery: Discovery,
    @Inject(ReferencedUsers) private readonly people: ReferencedUsers,
    @Inject(EventRecorder) private readonly events: EventRecorder,
    @Inject(Cascades) private readonly cascades: Cascades,
    @Inject(Preconditions) private readonly preconditions: Preconditions,
  ) {}

  @BeforeDeleting('job')
  async onDeletionOfJobs(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    await this.tellDeletion(tx, actor, await this.issues.ofJobs(tx, ids));
  }

  /** With its first comment, which is told after the issue. */
  create(actor: Actor, body: Unvalidated<CreateIssueDto>): Promise<IssueDto> {
    const jobId = parentId(body.raw['job'], 'Job');
    return this.work.run(async (tx) => {
      const job = await this.jobs.facts(tx, jobId, actor.id);
      if (job === undefined) throw new InvalidList('Job matching query does not exist.');
      requireAll(issuePolicy, ['create@job'], actor, { ownerId: null, assigneeId: null, job });
      await this.requireAssignee(tx, actor, contextOrganization(actor), body.raw['assignee']);
      const { frame, position, assignee = null, resolved = false, message } = body.validate();
      const now = tx.now;
      const id = await this.issues.insert(tx, {
        jobId,
        frame,
        position,
        ownerId: actor.id,
        assigneeId: assignee,
        resolved,
        now,
      });
      const row = await this.read(tx, id);
      const urls = new Urls(actor.baseUrl);
      await this.tell(tx, actor, 'create', [{ after: toIssue(row, urls), place: placeOf(row) }]);
      for (const { found } of this.discovery.methods(WritesFirstComment)) await found(tx, actor, id, message);
      return toIssue({ ...row, comment_count: 1 }, urls);
    });
  }

  update(actor: Actor, id: number, body: Unvalidated<UpdateIssueDto>): Promise<IssueDto> {
    return this.work.run(async (tx) => {
      const { row, facts } = await this.lock(tx, actor, id, 'update');
      await this.requireAssignee(tx, actor, facts.job.task.organization, body.raw['assignee']);
      const changed = join([...assignments(body.validate()), sql`updated_date = ${tx.now}`], ', ');
      await this.issues.set(tx, id, changed);
      const urls = new Urls(actor.baseUrl);
      const issue = toIssue(await this.read(tx, id), urls);
      await this.tell(tx, actor, 'update', [{ after: issue, before: toIssue(row, urls), place: placeOf(row) }]);
      return issue;
    });
  }

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      const { row } = await this.lock(tx, actor, id, 'delete');
      await this.tellDeletion(tx, actor, [row]);
      await this.issues.delete(tx, id);
    });
  }

  private async tellDeletion(tx: Tx, actor: Actor, rows: readonly IssueRow[]): Promise<void> {
    await this.cascades.run(tx, { resource: 'issue', ids: rows.map((row) => row.id), actor });
    const urls = new Urls(actor.baseUrl);
    const changes = rows.map((row) => ({ after: toIssue(row, urls), place: placeOf(row) }));
    await this.tell(tx, actor, 'delete', changes);
  }

  private tell(
    tx: Tx,
    actor: Actor,
    operation: 'create' | 'update' | 'delete',
    changes: readonly PlacedChange[],
  ): Promise<void> {
    return this.events.record(tx, actor, { operation, resource: 'issue' }, NOWHERE, changes);
  }

  /** @throws NotFound, Forbidden */
  private async lock(
    tx: Tx,
    actor: Actor,
    id: number,
    scope: IssueScope,
  ): Promise<{ row: IssueRow; facts: IssueFacts }> {
    await this.issues.lock(tx, id);
    const found = await this.issues.findWithFacts(tx, id, actor.id);
    if (found === undefined) throw NotFound.of('Issue');
    requireAll(issuePolicy, [scope], actor, found.facts);
    await this.preconditions.require(tx, 'issue', toIssue(found.row, new Urls(actor.baseUrl)));
    return found;
  }

  private async read(tx: Tx, id: number): Promise<IssueRow> {
    const row = await this.issues.find(tx, id);
    if (row === undefined) throw NotFound.of('Issue');
    return row;
  }

  /** Somebody who does not exist is an error of the field. */
  private async requireAssignee(
    tx: Tx,
    actor: Actor,
    organization: OrganizationFacts | null,
    id: unknown,
  ): Promise<void> {
    try {
      await this.people.require(tx, actor, organization, [id]);
    } catch (error) {
      if (!(error instanceof InvalidList)) throw error;
      throw new Invalid({ assignee: [`Invalid pk "${String(id)}" - object does not exist.`] });
    }
  }
}

function assignments({ position, assignee, resolved }: UpdateIssueDto): Sql[] {
  return [
    ...(position === undefined ? [] : [sql`position = ${position}`]),
    ...(assignee === undefined ? [] : [sql`assignee_id = ${assignee}`]),
    ...(resolved === undefined ? [] : [sql`resolved = ${resolved}`]),
  ];
}
