import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db } from '../../core/database/db.js';
import { dateToWire } from '../../core/database/data-source.js';
import { reserveIds, type Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { InvalidList, NotFound } from '../../core/http/errors/errors.js';
import { parentId } from '../../core/http/request/ids.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Urls } from '../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import { BeforeDeleting, type Cascade } from '../../core/events/cascades.js';
import { Events } from '../../core/events/events.js';
import type { Page } from '../../core/list/page-request.js';
import type { Actor } from '../../shared/policy/actor.js';
import { commentPolicy, type CommentScope } from '../../shared/policy/comment.policy.js';
import { visibleInJob } from '../../shared/policy/issue.policy.js';
import { IssueRepository, issueScope, type NewComment, WritesFirstComment } from '../issues/index.js';
import { senderOf } from '../users/index.js';
import {
  type CommentDto,
  type CommentRow,
  type CreateCommentDto,
  toComment,
  type UpdateCommentDto,
} from './comment.dto.js';
import { COMMENT_COLUMNS, commentList, CommentRepository } from './comment.repository.js';

/** Reads and changes comments. */
@Injectable()
export class CommentService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: CommentRepository,
    private readonly issues: IssueRepository,
    private readonly lists: ListService,
    private readonly events: Events,
    private readonly preconditions: Preconditions,
  ) {}

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<CommentDto>> {
    const urls = new Urls(actor.baseUrl);
    const visible = commentPolicy.visible(actor);
    const options = {
      select: COMMENT_COLUMNS,
      visible: query['job_id'] === undefined ? visible : visibleInJob(actor, visible),
      organization: listOrganization(actor),
      query,
      url: `${actor.baseUrl}/api/comments`,
    };
    return this.lists.page<CommentRow, CommentDto>(commentList, options, (row) => toComment(row, urls));
  }

  async get(actor: Actor, id: number): Promise<CommentDto> {
    const found = await this.rows.findWithFacts(this.db, id, actor.id);
    if (found === undefined) throw NotFound.of('Comment');
    requireAll(commentPolicy, ['view'], actor, found.facts);
    return toComment(found.row, new Urls(actor.baseUrl));
  }

  @BeforeDeleting('issue')
  async onDeletionOfIssues(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    await this.recordDeletion(tx, actor, await this.rows.ofIssues(tx, ids));
  }

  create(actor: Actor, body: Unvalidated<CreateCommentDto>): Promise<CommentDto> {
    const issueId = parentId(body.raw['issue'], 'Issue');
    return this.work.run(async (tx) => {
      const [issue, [id = 0]] = await Promise.all([
        this.issues.findWithFacts(tx, issueId, actor.id),
        reserveIds(tx, 'comment', 1),
      ]);
      if (issue === undefined) throw new InvalidList('Issue matching query does not exist.');
      requireAll(commentPolicy, ['create@issue'], actor, { ownerId: null, issue: issue.facts });
      const { message = '' } = body.validate();
      return this.insert(tx, actor, id, { issueId, message, scope: issueScope(issue.row) });
    });
  }

  update(actor: Actor, id: number, body: Unvalidated<UpdateCommentDto>): Promise<CommentDto> {
    return this.work.run(async (tx) => {
      const row = await this.lock(tx, actor, id, 'update');
      this.rows.set(tx, id, body.validate().message, tx.now);
      const urls = new Urls(actor.baseUrl);
      const comment = toComment(await this.read(tx, id), urls);
      const change = { before: toComment(row, urls), after: comment, scope: issueScope(row) };
      await this.events.updated(tx, actor, 'comment', change);
      return comment;
    });
  }

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      const row = await this.lock(tx, actor, id, 'delete');
      await this.recordDeletion(tx, actor, [row]);
      await this.rows.delete(tx, id);
    });
  }

  @WritesFirstComment()
  async insertFirst(tx: Tx, actor: Actor, comment: NewComment): Promise<void> {
    const [id = 0] = await reserveIds(tx, 'comment', 1);
    await this.insert(tx, actor, id, comment);
  }

  private async insert(tx: Tx, actor: Actor, id: number, { issueId, message, scope }: NewComment): Promise<CommentDto> {
    const date = dateToWire(tx.now);
    const owner = senderOf(actor);
    const comment = { id, issue: issueId, owner, message, created_date: date, updated_date: date };
    this.rows.insert(tx, comment, actor.id);
    await this.events.created(tx, actor, 'comment', { object: comment, scope });
    return comment;
  }

  private async recordDeletion(tx: Tx, actor: Actor, rows: readonly CommentRow[]): Promise<void> {
    const urls = new Urls(actor.baseUrl);
    const deleted = rows.map((row) => ({ object: toComment(row, urls), scope: issueScope(row) }));
    await this.events.deleted(tx, actor, 'comment', deleted);
  }

  /** @throws NotFound, Forbidden */
  private async lock(tx: Tx, actor: Actor, id: number, scope: CommentScope): Promise<CommentRow> {
    const [, found] = await Promise.all([this.rows.lock(tx, id), this.rows.findWithFacts(tx, id, actor.id)]);
    if (found === undefined) throw NotFound.of('Comment');
    requireAll(commentPolicy, [scope], actor, found.facts);
    await this.preconditions.require(tx, 'comment', toComment(found.row, new Urls(actor.baseUrl)));
    return found.row;
  }

  private async read(tx: Tx, id: number): Promise<CommentRow> {
    const row = await this.rows.find(tx, id);
    if (row === undefined) throw NotFound.of('Comment');
    return row;
  }
}
