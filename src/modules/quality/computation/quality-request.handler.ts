import { Injectable } from '@nestjs/common';
import { Db, readLongSnapshot } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { TooManyPairs } from '../../../engines/annotations/assignment.js';
import { sql } from '../../../engines/sql/sql.js';
import {
  HandlesRequests,
  type RequestContext,
  type RequestHandler,
  type RequestResult,
  toRequestFailure,
} from '../../requests/index.js';
import { type ApplicableSettings, QualitySettingsRepository } from '../settings/quality-settings.repository.js';
import { CheckedTaskRepository } from './checked-task.repository.js';
import type { ComputedTask } from './computed-report.js';
import { ProjectComparisons } from './project-comparison.js';
import { finished, gone, isCheckable } from './quality-outcome.js';
import { ReportWriter } from './report-writer.js';
import { TaskComparisons } from './task-comparison.js';

export const CALCULATE_QUALITY = 'calculate:quality';

/** What the request is about. */
export interface QualityRequestParameters {
  readonly kind: 'job' | 'task' | 'project';
  readonly id: number;
}

const SUCCESS_TTL_MS = 120_000;
const FAILURE_TTL_MS = 365 * 86_400_000;

/** Computes quality reports. */
@Injectable()
@HandlesRequests(CALCULATE_QUALITY)
export class QualityRequestHandler implements RequestHandler {
  readonly successTtlMs = SUCCESS_TTL_MS;
  readonly failureTtlMs = FAILURE_TTL_MS;

  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: CheckedTaskRepository,
    private readonly settings: QualitySettingsRepository,
    private readonly comparisons: TaskComparisons,
    private readonly projects: ProjectComparisons,
    private readonly writer: ReportWriter,
  ) {}

  async run(request: RequestContext): Promise<RequestResult | void> {
    const { kind, id } = request.parameters as QualityRequestParameters;
    request.signal.throwIfAborted();
    request.setMessage('Comparing annotations with ground truth');
    try {
      if (kind === 'project') await this.projects.run(request, id);
      else if (kind === 'task') await this.runTask(request, id);
      else await this.runJob(request, id);
    } catch (error) {
      throw toRequestFailure(error, request, TooManyPairs);
    }
  }

  /** There is no report if the ground truth is no longer finished. */
  private async runTask(request: RequestContext, taskId: number): Promise<void> {
    const compared = await this.compare(request, taskId);
    if (compared?.computed.task == null) return;
    const { computed, settings } = compared;
    const { summary } = compared.computed.task;
    await this.work.run(async (tx) => {
      const written = await this.writer.writeTask(tx, taskId, computed);
      if (written?.taskReportId == null) throw gone('task');
      await request.finish(tx, finished(written.taskReportId, 'task', summary, settings));
    });
  }

  /** The check that follows the completion of a job. There is none if the ground truth does not cover any of its frames. */
  private async runJob(request: RequestContext, jobId: number): Promise<void> {
    const taskId = await this.rows.taskOfJob(this.db, jobId);
    if (taskId === undefined) throw gone('job');
    const compared = await this.compare(request, taskId, jobId);
    const job = compared?.computed.jobs[0];
    if (compared === undefined || job === undefined || job.summary.frame_count === 0) return;
    const { computed, settings } = compared;
    await this.work.run(async (tx) => {
      await tx.query(sql`select from job where id = ${jobId} for no key update`);
      const [checks] = await tx.query<{ count: number }>(sql`
        select count(*) as count from quality_report where job_id = ${jobId} and immediate`);
      if ((checks?.count ?? 0) >= settings.max_validations_per_job) return;
      const written = await this.writer.writeTask(tx, taskId, computed, true);
      const reportId = written?.jobReportIds.get(jobId);
      if (reportId === undefined) throw gone('job');
      await request.finish(tx, finished(reportId, 'job', job.summary, settings));
    });
  }

  private compare(
    request: RequestContext,
    taskId: number,
    jobId?: number,
  ): Promise<{ computed: ComputedTask; settings: ApplicableSettings } | undefined> {
    return readLongSnapshot(this.db, async (snapshot) => {
      const task = await this.rows.task(snapshot, taskId);
      const settings = (await this.settings.ofTasks(snapshot, [taskId])).get(taskId);
      if (task === undefined || settings === undefined) throw gone('task');
      if (!isCheckable(task)) return undefined;
      const { signal, baseUrl } = request;
      const setProgress = (done: number): void => request.setProgress(done);
      const run = { signal, baseUrl, setProgress, ...(jobId === undefined ? {} : { jobId }) };
      return { computed: await this.comparisons.compare(snapshot, task, settings, run), settings };
    });
  }
}
