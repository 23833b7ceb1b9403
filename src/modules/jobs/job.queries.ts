import { Inject, Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db } from '../../core/database/db.js';
import { NotFound } from '../../core/http/errors.js';
import { listOrganization } from '../../core/list/list-organization.js';
import { ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page.dto.js';
import { raw, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { jobPolicy } from '../../shared/policy/job.policy.js';
import { TaskService } from '../tasks/index.js';
import type { JobDto } from './job.dto.js';
import { jobListOf } from './job.list.js';
import { factsOf, type JobRow, toJob } from './job.mapper.js';
import { JOB_COLUMNS, JobRepository } from './job.repository.js';

/** Reading jobs. */
@Injectable()
export class JobQueries {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(JobRepository) private readonly jobs: JobRepository,
    @Inject(TaskService) private readonly tasks: TaskService,
    @Inject(ListService) private readonly lists: ListService,
  ) {}

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<JobDto>> {
    const options = {
      select: JOB_COLUMNS,
      visible: jobPolicy.visible(actor),
      organization: listOrganization(actor),
      query,
      url: `${actor.baseUrl}/api/jobs`,
    };
    return this.lists.page<JobRow, JobDto>(jobListOf(actor.id), options, (row) => toJob(row, actor));
  }

  /** All jobs of one task. Whoever may see the task may see them. */
  async ofTask(actor: Actor, taskId: number, query: Record<string, unknown>): Promise<Page<JobDto>> {
    await this.tasks.require(this.db, actor, taskId, 'view');
    const options = {
      select: JOB_COLUMNS,
      visible: raw('true'),
      organization: 'any' as const,
      query,
      url: `${actor.baseUrl}/api/tasks/${taskId}/jobs`,
      where: sql`job.task_id = ${taskId}`,
    };
    return this.lists.page<JobRow, JobDto>(jobListOf(actor.id), options, (row) => toJob(row, actor));
  }

  async get(actor: Actor, id: number): Promise<JobDto> {
    const row = await this.jobs.find(this.db, id, actor.id);
    if (row === undefined) throw NotFound.of('Job');
    requireAll(jobPolicy, ['view'], actor, factsOf(row));
    return toJob(row, actor);
  }
}
