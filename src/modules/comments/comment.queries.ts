import { Inject, Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db } from '../../core/database/db.js';
import { NotFound } from '../../core/http/errors.js';
import { Urls } from '../../core/http/urls.js';
import { listOrganization } from '../../core/list/list-organization.js';
import { ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page.dto.js';
import type { Actor } from '../../shared/policy/actor.js';
import { commentPolicy } from '../../shared/policy/comment.policy.js';
import { visibleInJob } from '../../shared/policy/issue.policy.js';
import type { CommentDto } from './comment.dto.js';
import { commentList } from './comment.list.js';
import { type CommentRow, toComment } from './comment.mapper.js';
import { COMMENT_COLUMNS, CommentRepository } from './comment.repository.js';

/** Reading comments. */
@Injectable()
export class CommentQueries {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(CommentRepository) private readonly comments: CommentRepository,
    @Inject(ListService) private readonly lists: ListService,
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
    const found = await this.comments.findWithFacts(this.db, id, actor.id);
    if (found === undefined) throw NotFound.of('Comment');
    requireAll(commentPolicy, ['view'], actor, found.facts);
    return toComment(found.row, new Urls(actor.baseUrl));
  }
}
