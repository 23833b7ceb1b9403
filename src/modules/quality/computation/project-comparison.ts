import { Injectable } from '@nestjs/common';
import { Db, readLongSnapshot } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { sql } from '../../../engines/sql/sql.js';
import { reportParameters } from '../../../engines/quality/settings.js';
import { projectSummary, type TaskOfProject } from '../../../engines/quality/task-report.js';
import type { RequestContext } from '../../requests/index.js';
import { type ApplicableSettings, QualitySettingsRepository } from '../settings/quality-settings.repository.js';
import { type CheckedTask, CheckedTaskRepository } from './checked-task.repository.js';
import { type ComputedReport, projectDocument, type TaskComparison } from './computed-report.js';
import { finished, gone, isCheckable, summaryWith } from './quality-outcome.js';
import { ReportWriter } from './report-writer.js';
import { comparisonOf, TaskComparisons } from './task-comparison.js';

/** A report of a task that is part of the report of its project. */
interface TaskPart {
  readonly reportId: number;
  readonly comparison: TaskComparison;
  /** How many of the included jobs are completed. */
  readonly completedJobs: number;
}

/** Computes reports of projects, and those of their tasks where needed. */
@Injectable()
export class ProjectComparisons {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: CheckedTaskRepository,
    private readonly settings: QualitySettingsRepository,
    private readonly comparisons: TaskComparisons,
    private readonly writer: ReportWriter,
  ) {}

  /**
   * Each report of a task is stored as soon as it is complete, so that the next attempt after an interruption does not
   * need more memory, and is useful without the project's.
   */
  async run(request: RequestContext, projectId: number): Promise<void> {
    const [project, settings] = [
      await this.rows.project(this.db, projectId),
      await this.settings.ofTarget(this.db, 'project', projectId),
    ];
    if (project === undefined || settings === undefined) throw gone('project');
    const tasks = await this.rows.tasksOfProject(this.db, projectId);
    const used = await this.settings.ofTasks(
      this.db,
      tasks.map(({ id }) => id),
    );
    const found: TaskOfProject[] = [];
    const parts = new Map<number, TaskPart>();
    for (const [index, task] of tasks.entries()) {
      const setProgress = (done: number): void => request.setProgress((index + done) / tasks.length);
      const part = await this.partOf(request, task, used.get(task.id), setProgress);
      if (part === 'deleted') continue;
      found.push({ id: task.id, report: part?.comparison ?? null });
      if (part !== undefined) parts.set(task.id, part);
    }
    const summary = projectSummary(found);
    const parameters = reportParameters(comparisonOf({ ...settings, inherited: false }), {
      inherited: false,
      job_filter: settings.job_filter,
    });
    const report: ComputedReport = {
      jobId: null,
      taskId: null,
      projectId,
      assigneeId: null,
      annotators: null,
      targetUpdated: project.updated_date,
      gtUpdated: null,
      summary: withCompleted(summaryWith(summary, settings), tasks, parts),
      comparison: null,
      document: await projectDocument(summary, parameters),
      conflicts: [],
    };
    const partIds = [...parts.values()].map(({ reportId }) => reportId);
    await this.work.run(async (tx) => {
      const id = await this.writer.writeProject(tx, projectId, report, partIds);
      if (id === undefined) throw gone('project');
      await request.finish(tx, finished(id, 'project', report.summary, settings));
    });
  }

  /** The newest report of the task, if nothing has changed since; otherwise a new one. Undefined without ground truth. */
  private async partOf(
    request: RequestContext,
    task: CheckedTask,
    settings: ApplicableSettings | undefined,
    setProgress: (done: number) => void,
  ): Promise<TaskPart | 'deleted' | undefined> {
    request.signal.throwIfAborted();
    if (settings === undefined) return 'deleted';
    if (!isCheckable(task)) return undefined;
    const newest = await this.newest(task, settings);
    if (newest !== undefined) return newest;
    const computed = await readLongSnapshot(this.db, async (snapshot) => {
      const now = await this.rows.task(snapshot, task.id);
      // Of the same moment as the task: the report counts as current by the dates of both.
      const current = (await this.settings.ofTasks(snapshot, [task.id])).get(task.id);
      if (now === undefined || current === undefined) return 'deleted';
      if (!isCheckable(now)) return undefined;
      return this.comparisons.compare(snapshot, now, current, {
        signal: request.signal,
        baseUrl: request.baseUrl,
        setProgress,
      });
    });
    if (computed === 'deleted' || computed === undefined) return computed;
    const written = await this.work.run(async (tx) => {
      await request.hold(tx);
      return this.writer.writeTask(tx, task.id, computed);
    });
    if (written?.taskReportId == null || computed.task?.comparison == null) return 'deleted';
    const { comparison, summary } = computed.task;
    return { reportId: written.taskReportId, comparison, completedJobs: summary.jobs?.completed ?? 0 };
  }

  /**
   * The newest report of a task, unless the task or its settings have changed since. A change of settings also gives the task
   * the same date, so a report from after it has a later date only if the task changed again. Imported reports may be too old to be reused.
   */
  private async newest(task: CheckedTask, settings: ApplicableSettings): Promise<TaskPart | undefined> {
    const [row] = await this.db.query<Omit<TaskPart, 'reportId'> & { id: number; current: boolean }>(sql`
      select id, comparison, coalesce((summary->'jobs'->>'completed')::int, 0) as "completedJobs",
        target_last_updated >= ${task.updated_date}::timestamptz and target_last_updated > ${settings.updated_date}::timestamptz
          and comparison->'summary'->'total_frames' is not null as current
      from quality_report where task_id = ${task.id} order by id desc limit 1`);
    return row?.current === true ? { ...row, reportId: row.id } : undefined;
  }
}

/** Clients of CVAT 2.80 need the numbers of completed tasks and jobs. */
function withCompleted(
  summary: ComputedReport['summary'],
  tasks: readonly CheckedTask[],
  parts: ReadonlyMap<number, TaskPart>,
): ComputedReport['summary'] {
  const included = tasks.flatMap((task) => {
    const part = parts.get(task.id);
    const isIncluded = part?.comparison.inherited === true && (part.comparison.summary.jobs?.included_count ?? 0) > 0;
    return isIncluded ? [{ task, jobs: part.completedJobs }] : [];
  });
  const completedTasks = included.filter(({ task: { status } }) => status === 'completed').length;
  const completedJobs = included.reduce((sum, { jobs }) => sum + jobs, 0);
  return {
    ...summary,
    ...(summary.tasks && { tasks: { ...summary.tasks, completed: completedTasks } }),
    ...(summary.jobs && { jobs: { ...summary.jobs, completed: completedJobs } }),
  };
}
