import { Inject, Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db } from '../../core/database/db.js';
import { NotFound } from '../../core/http/errors.js';
import { Urls } from '../../core/http/urls.js';
import { listOrganization } from '../../core/list/list-organization.js';
import { ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page.dto.js';
import type { Actor } from '../../shared/policy/actor.js';
import { issuePolicy, visibleInJob } from '../../shared/policy/issue.policy.js';
import type { IssueDto } from './issue.dto.js';
import { issueList } from './issue.list.js';
import { type IssueRow, toIssue } from './issue.mapper.js';
import { ISSUE_COLUMNS, IssueRepository } from './issue.repository.js';

/** Reading issues. */
@Injectable()
export class IssueQueries {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(IssueRepository) private readonly issues: IssueRepository,
    @Inject(ListService) private readonly lists: ListService,
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
    const found = await this.issues.findWithFacts(this.db, id, actor.id);
    if (found === undefined) throw NotFound.of('Issue');
    requireAll(issuePolicy, ['view'], actor, found.facts);
    return toIssue(found.row, new Urls(actor.baseUrl));
  }
}
