import { Injectable } from '@nestjs/common';
import { ReferencedUsers } from '../../core/access/referenced-users.js';
import { requireAll } from '../../core/access/require.js';
import { dateToWire } from '../../core/database/data-source.js';
import { reserveIds, type Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Discovery, methodHook } from '../../core/discovery/discovery.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Invalid, InvalidList } from '../../core/http/errors/errors.js';
import { parentId } from '../../core/http/request/ids.js';
import { Urls } from '../../core/http/response/urls.js';
import type { EventScope } from '../../core/events/event-map.js';
import { Events } from '../../core/events/events.js';
import { missingFrame } from '../../engines/annotations/frames.js';
import { type Actor, contextOrganization } from '../../shared/policy/actor.js';
import { issuePolicy } from '../../shared/policy/issue.policy.js';
import { JobRepository } from '../jobs/index.js';
import { senderOf } from '../users/index.js';
import { type CreateIssueDto, type IssueDto, toIssue } from './issue.dto.js';
import { IssueRepository } from './issue.repository.js';
import { requireAssignee } from './issue.service.js';

/** A comment on an issue that exists, or that this transaction inserts. */
export interface NewComment {
  readonly issueId: number;
  readonly message: string;
  /** The scope of events about the issue. */
  readonly scope: EventScope;
}

/** Calls the method with the message of a new issue, to insert it as the issue's first comment. */
export const WritesFirstComment = methodHook<void, (tx: Tx, actor: Actor, comment: NewComment) => Promise<unknown>>();

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
      const [job, [id = 0]] = await Promise.all([
        this.jobs.factsWithScope(tx, jobId, actor.id),
        reserveIds(tx, 'issue', 1),
      ]);
      if (job === undefined) throw new InvalidList('Job matching query does not exist.');
      const { facts, scope, taskSize } = job;
      requireAll(issuePolicy, ['create@job'], actor, { ownerId: null, assigneeId: null, job: facts });
      await requireAssignee(this.people, tx, actor, contextOrganization(actor), body.raw['assignee']);
      const dto = body.validate();
      if (dto.frame >= taskSize) throw new Invalid({ frame: [missingFrame(dto.frame, taskSize)] });
      const issue = await this.insert(tx, actor, { ...dto, id, job: jobId });
      await this.events.created(tx, actor, 'issue', { object: issue, scope });
      for (const { found } of this.discovery.methods(WritesFirstComment)) {
        await found(tx, actor, { issueId: id, message: dto.message, scope });
      }
      return { ...issue, comments: { ...issue.comments, count: 1 } };
    });
  }

  private async insert(tx: Tx, actor: Actor, { id, ...dto }: CreateIssueDto & { id: number }): Promise<IssueDto> {
    const { job, frame, position, assignee = null, resolved = false } = dto;
    const now = tx.now;
    this.rows.insert(tx, { id, jobId: job, frame, position, ownerId: actor.id, assigneeId: assignee, resolved, now });
    const urls = new Urls(actor.baseUrl);
    // The assignee's name is in another table, so it has to be read.
    const row = assignee === null ? undefined : await this.rows.find(tx, id);
    if (row !== undefined) return toIssue(row, urls);
    return {
      id,
      frame,
      position,
      job,
      owner: senderOf(actor),
      assignee: null,
      created_date: dateToWire(now),
      updated_date: dateToWire(now),
      resolved,
      comments: { count: 0, url: urls.children('comments', 'issue_id', id) },
    };
  }
}
