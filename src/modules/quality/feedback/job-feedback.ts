import { Injectable } from '@nestjs/common';
import { Actors } from '../../../core/access/actors.js';
import { requireAll } from '../../../core/access/require.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import type { EventMap } from '../../../core/events/event-map.js';
import { NOT_URGENT, OnEvent } from '../../../core/events/on-event.js';
import { NotFound } from '../../../core/http/errors/errors.js';
import { sql } from '../../../engines/sql/sql.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { jobPolicy } from '../../../shared/policy/job.policy.js';
import { JobRepository } from '../../jobs/index.js';
import type { QualityReportSummaryDto } from '../reports/quality-report.dto.js';
import { CheckedTaskRepository } from '../computation/checked-task.repository.js';
import { isCheckable, scoreOf } from '../computation/quality-outcome.js';
import { QualityRequestQueue } from '../computation/quality-requests.js';
import { type ApplicableSettings, QualitySettingsRepository } from '../settings/quality-settings.repository.js';
import type { JobQualityDto } from './job-quality.dto.js';

/** A check that was made when its job was completed. */
interface CheckRow {
  readonly created_date: string;
  readonly summary: QualityReportSummaryDto;
}

/** Checks a job against the ground truth as soon as it is completed, and tells its annotator the outcome. */
@Injectable()
export class JobFeedback {
  constructor(
    private readonly db: Db,
    private readonly jobs: JobRepository,
    private readonly tasks: CheckedTaskRepository,
    private readonly settings: QualitySettingsRepository,
    private readonly queue: QualityRequestQueue,
    private readonly actors: Actors,
  ) {}

  @OnEvent('update:job', { listener: 'quality feedback' })
  async onUpdate(event: EventMap['update:job'], tx: Tx): Promise<typeof NOT_URGENT> {
    const { after, before } = event;
    const isCompleted = after.object.state === 'completed' && before.object.state !== 'completed';
    if (isCompleted && after.object.type !== 'ground_truth') await this.enqueue(event, tx);
    return NOT_URGENT;
  }

  /** Queues a check, at most as many times for each job as the settings allow. */
  private async enqueue({ after: { object: job }, sender }: EventMap['update:job'], tx: Tx): Promise<void> {
    const actor = await this.actors.load(tx, sender?.id ?? null, job.url.replace(/\/api\/jobs\/\d+$/, ''));
    const settings = (await this.settings.ofTasks(tx, [job.task_id])).get(job.task_id);
    if (actor === null || settings === undefined || settings.max_validations_per_job === 0) return;
    const task = await this.tasks.task(tx, job.task_id);
    if (task === undefined || !isCheckable(task)) return;
    const computation = { kind: 'job', id: job.id } as const;
    if ((await this.checks(tx, job.id)).length >= settings.max_validations_per_job) return;
    if (await this.queue.isActive(tx, computation)) return;
    await this.queue.enqueue(tx, actor, {
      ...computation,
      organizationId: task.organization_id,
      projectId: task.project_id,
      taskId: task.id,
      jobId: job.id,
    });
  }

  /**
   * The outcome of the newest check of a job. It has no positions and no annotations: they would reveal the ground truth.
   * @throws NotFound, Forbidden
   */
  async of(actor: Actor, jobId: number): Promise<JobQualityDto> {
    const facts = await this.jobs.facts(this.db, jobId, actor.id);
    const taskId = await this.tasks.taskOfJob(this.db, jobId);
    if (facts === undefined || taskId === undefined) throw NotFound.of('Job');
    requireAll(jobPolicy, ['view'], actor, facts);
    const settings = (await this.settings.ofTasks(this.db, [taskId])).get(taskId);
    if (settings === undefined) throw NotFound.of('Job');
    const isPending = await this.queue.isActive(this.db, { kind: 'job', id: jobId });
    return toJobQuality(await this.checks(this.db, jobId), settings, isPending);
  }

  /** Newest first. */
  private checks(db: Queryable, jobId: number): Promise<CheckRow[]> {
    return db.query<CheckRow>(sql`
      select created_date, summary from quality_report where job_id = ${jobId} and immediate order by id desc`);
  }
}

function toJobQuality(checks: readonly CheckRow[], settings: ApplicableSettings, isPending: boolean): JobQualityDto {
  const [newest] = checks;
  const score = newest === undefined ? { value: null, passed: null } : scoreOf(newest.summary, settings);
  return {
    status: isPending ? 'pending' : newest === undefined ? 'none' : 'checked',
    checked_date: newest?.created_date ?? null,
    target_metric: settings.target_metric,
    target_metric_threshold: settings.target_metric_threshold,
    ...score,
    checked_frames: newest?.summary.frame_count ?? null,
    error_count: newest?.summary.error_count ?? null,
    remaining_checks: Math.max(0, settings.max_validations_per_job - checks.length),
  };
}
