import { Injectable } from '@nestjs/common';
import { reserveIds, type Tx } from '../../../core/database/tx.js';
import { sql } from '../../../engines/sql/sql.js';
import type { ComputedReport, ComputedTask } from './computed-report.js';

/** Conflicts in one piece of COPY's input. */
const LINES = 1_000;

export interface WrittenTask {
  /** The report of the task; null if only one job was compared. */
  readonly taskReportId: number | null;
  /** By job id. */
  readonly jobReportIds: ReadonlyMap<number, number>;
}

/** Stores reports. */
@Injectable()
export class ReportWriter {
  /**
   * The report of a task and those of its jobs. Jobs that were deleted meanwhile have none.
   * @returns undefined if the task was deleted meanwhile
   */
  async writeTask(tx: Tx, taskId: number, computed: ComputedTask, immediate = false): Promise<WrittenTask | undefined> {
    const [task, rows] = await Promise.all([
      tx.query(sql`select from task where id = ${taskId} for key share`),
      tx.query<{ id: number }>(sql`select id from job where task_id = ${taskId} order by id for key share`),
    ]);
    if (task.length === 0) return undefined;
    const there = new Set(rows.map(({ id }) => id));
    const jobs = computed.jobs.filter(({ jobId }) => jobId !== null && there.has(jobId));
    const taskReportId = computed.task === null ? null : await this.write(tx, computed.task, immediate);
    const jobReportIds = new Map<number, number>();
    for (const job of jobs) jobReportIds.set(job.jobId ?? 0, await this.write(tx, job, immediate));
    if (taskReportId !== null) this.writeParts(tx, taskReportId, [...jobReportIds.values()]);
    await this.writeConflicts(tx, jobs, jobReportIds);
    return { taskReportId, jobReportIds };
  }

  /**
   * The report of a project.
   * @param parts the reports of its tasks
   * @returns undefined if the project was deleted meanwhile
   */
  async writeProject(
    tx: Tx,
    projectId: number,
    computed: ComputedReport,
    parts: readonly number[],
  ): Promise<number | undefined> {
    const project = await tx.query(sql`select from project where id = ${projectId} for key share`);
    if (project.length === 0) return undefined;
    const id = await this.write(tx, computed, false);
    this.writeParts(tx, id, parts);
    return id;
  }

  private async write(tx: Tx, report: ComputedReport, immediate: boolean): Promise<number> {
    const [id = 0] = await reserveIds(tx, 'quality_report', 1);
    tx.write(sql`
      insert into quality_report (id, job_id, task_id, project_id, assignee_id, immediate, summary, comparison, annotators,
        document,         created_date, target_last_updated, gt_last_updated)
      values (${id}, ${report.jobId}, ${report.taskId}, ${report.projectId},
        (select id from app_user where id = ${report.assigneeId}::int for key share), ${immediate},
        ${JSON.stringify(report.summary)}::jsonb,
        ${report.comparison === null ? null : JSON.stringify(report.comparison)}::jsonb,
        ${report.annotators === null ? null : JSON.stringify(report.annotators)}::jsonb, ${report.document}, ${tx.now}, ${report.targetUpdated}::timestamptz, ${report.gtUpdated}::timestamptz)`);
    return id;
  }

  /** Leaves out parts that were deleted meanwhile. */
  private writeParts(tx: Tx, parentId: number, childIds: readonly number[]): void {
    tx.write(sql`
      insert into quality_report_part (parent_id, child_id)
      select ${parentId}::int, id from quality_report where id = any(${[...childIds]}::int[]) order by id for key share`);
  }

  private async writeConflicts(
    tx: Tx,
    jobs: readonly ComputedReport[],
    ids: ReadonlyMap<number, number>,
  ): Promise<void> {
    if (jobs.every(({ conflicts }) => conflicts.length === 0)) return;
    const columns = ['report_id', 'frame', 'type', 'severity', 'annotation_ids'];
    await tx.copyIn('quality_conflict', columns, conflictLines(jobs, ids));
  }
}

/** Lines in COPY's text format. The values contain no characters that need escapes. */
function* conflictLines(jobs: readonly ComputedReport[], ids: ReadonlyMap<number, number>): Generator<string> {
  for (const { jobId, conflicts } of jobs) {
    const reportId = ids.get(jobId ?? 0);
    for (let at = 0; at < conflicts.length; at += LINES) {
      const lines = conflicts
        .slice(at, at + LINES)
        .map(({ frame_id: frame, type, severity, annotation_ids: annotations }) =>
          [reportId, frame, type, severity, JSON.stringify(annotations)].join('\t'),
        );
      yield `${lines.join('\n')}\n`;
    }
  }
}
