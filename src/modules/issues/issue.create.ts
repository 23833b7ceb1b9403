import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Discovery, methodHook } from '../../core/discovery/discovery.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { InvalidList } from '../../core/http/errors/errors.js';
import { parentId } from '../../core/http/request/ids.js';
import { Urls } from '../../core/http/response/urls.js';
import { Events } from '../../core/events/events.js';
import { type Actor, contextOrganization } from '../../shared/policy/actor.js';
import { issuePolicy } from '../../shared/policy/issue.policy.js';
import { JobRepository } from '../jobs/index.js';
import { type CreateIssueDto, type IssueDto, toIssue } from './issue.dto.js';
import { issueScope } from './issue.events.js';
import { IssueRepository } from './issue.repository.js';
import { requireAssignee } from './issue.service.js';

/** Calls the method with the message of a new issue, to insert it as the issue's first comment. */
export const WritesFirstComment = methodHook<
  void,
  (tx: Tx, actor: Actor, issueId: number, message: string) => Promise<unknown>
>();

/** Opens issues. */
@Injectable()
export class IssueCreation {
  constructor(
    private readonly work: UnitOfWork,
    private readonly rows: IssueRepository,
    private readonly jobs: JobRepository,
    private readonly discovery: Discovery,
    private readonly people: ReferencedUsers,
    private readonly events: Events,
  ) {}

  /** Also inserts the first comment, whose event follows the issue's. */
  create(actor: Actor, body: Unvalidated<CreateIssueDto>): Promise<IssueDto> {
    const jobId = parentId(body.raw['job'], 'Job');
    return this.work.run(async (tx) => {
      const job = await this.jobs.facts(tx, jobId, actor.id);
      if (job === undefined) throw new InvalidList('Job matching query does not exist.');
      requireAll(issuePolicy, ['create@job'], actor, { ownerId: null, assigneeId: null, job });
      await requireAssignee(this.people, tx, actor, contextOrganization(actor), body.raw['assignee']);
      const { frame, position, assignee = null, resolved = false, message } = body.validate();
      const ownerId = actor.id;
      const issue = { jobId, frame, position, ownerId, assigneeId: assignee, resolved, now: tx.now };
      const row = await this.rows.insert(tx, issue);
      const urls = new Urls(actor.baseUrl);
      await this.events.created(tx, actor, 'issue', { object: toIssue(row, urls), scope: issueScope(row) });
      for (const { found } of this.discovery.methods(WritesFirstComment)) await found(tx, actor, row.id, message);
      return toIssue({ ...row, comment_count: 1 }, urls);
    });
  }
}
