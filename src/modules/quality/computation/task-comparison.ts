import { Injectable } from '@nestjs/common';
import type { Snapshot } from '../../../core/database/db.js';
import { comparingFrame } from '../../../engines/annotations/assignment.js';
import { finishWithPauses } from '../../../engines/concurrency/steps.js';
import { Turns } from '../../../engines/concurrency/turns.js';
import { FilterError } from '../../../engines/filter/filter-value.js';
import { absoluteFrame, parseFrameStep } from '../../../engines/media/frames.js';
import { countsOfJob } from '../../../engines/quality/attribution.js';
import { type ComparedFrame, comparisonSteps, type FrameResult } from '../../../engines/quality/compare-frame.js';
import type { FrameSize, JobFrames, QualityLabel } from '../../../engines/quality/frame-objects.js';
import { ReportLabels } from '../../../engines/quality/labels.js';
import { type ComparisonReport, conflictsIn, jobReport } from '../../../engines/quality/report.js';
import { type ComparisonSettings, reportParameters } from '../../../engines/quality/settings.js';
import { taskReport } from '../../../engines/quality/task-report.js';
import { AnnotationAuthorsReader, JobAnnotations } from '../../annotations/index.js';
import { MediaSourceRepository } from '../../media/index.js';
import { RequestFailure } from '../../requests/index.js';
import type { ApplicableSettings } from '../settings/quality-settings.repository.js';
import { type CheckedJob, type CheckedTask, CheckedTaskRepository } from './checked-task.repository.js';
import { summaryWith } from './quality-outcome.js';
import { type AnnotatorCounts, type ComputedReport, type ComputedTask, reportDocument } from './computed-report.js';

/** How a comparison runs. */
export interface ComparisonRun {
  readonly signal: AbortSignal;
  /** The base URL that the requester used. */
  readonly baseUrl: string;
  /** Compare only this job, whatever the job filter says. */
  readonly jobId?: number;
  /** @param done 0 to 1 */
  setProgress(done: number): void;
}

/** A frame to compare. Numbers are task-relative. */
interface ValidationFrame {
  readonly frame: number;
  /** The frame of the ground truth: another one if `frame` is a honeypot. */
  readonly real: number;
  readonly size: FrameSize;
}

/** Everything that the comparisons of the jobs of a task share. */
interface Comparison {
  readonly task: CheckedTask;
  readonly settings: ApplicableSettings;
  readonly labels: readonly QualityLabel[];
  readonly reportLabels: ReportLabels;
  readonly frames: readonly ValidationFrame[];
  readonly groundTruth: JobFrames;
  readonly run: ComparisonRun;
  readonly turns: Turns;
}

/** Compares the jobs of a task with its ground truth. */
@Injectable()
export class TaskComparisons {
  constructor(
    private readonly rows: CheckedTaskRepository,
    private readonly media: MediaSourceRepository,
    private readonly annotations: JobAnnotations,
    private readonly authors: AnnotationAuthorsReader,
  ) {}

  /**
   * @param task with finished ground truth
   * @throws RequestFailure for a job filter with unknown terms
   */
  async compare(
    snapshot: Snapshot,
    task: CheckedTask,
    settings: ApplicableSettings,
    run: ComparisonRun,
  ): Promise<ComputedTask> {
    const jobs = await this.jobs(snapshot, task, settings);
    const selected = jobs.filter((job) => (run.jobId === undefined ? job.selected : job.id === run.jobId));
    const comparison = await this.prepare(snapshot, task, settings, run);
    const reports = new Map<number, ComparisonReport>();
    const annotators = new Map<number, AnnotatorCounts[]>();
    for (const [index, job] of selected.entries()) {
      const progress = (done: number): void => run.setProgress((index + done) / selected.length);
      const { report, annotator } = await this.compareJob(snapshot, comparison, job, progress);
      reports.set(job.id, report);
      annotators.set(
        job.id,
        Array.from(countsOfJob(report, annotator), ([user, counts]) => ({ user_id: user, ...counts })),
      );
    }
    const whole = taskReport({
      jobs: jobs.map(({ id }) => id),
      reports,
      labels: comparison.reportLabels.names,
    });
    return computed(comparison, selected, { reports, annotators, whole });
  }

  private async jobs(
    snapshot: Snapshot,
    task: CheckedTask,
    { job_filter: filter }: ApplicableSettings,
  ): Promise<CheckedJob[]> {
    try {
      return await this.rows.jobs(snapshot, task.id, filter);
    } catch (error) {
      if (error instanceof FilterError) throw new RequestFailure(error.message, { cause: error });
      throw error;
    }
  }

  private async prepare(
    snapshot: Snapshot,
    task: CheckedTask,
    settings: ApplicableSettings,
    run: ComparisonRun,
  ): Promise<Comparison> {
    const turns = new Turns(run.signal);
    const labels = await this.annotations.labelsOf(snapshot, task);
    const frames = await this.validationFrames(snapshot, task);
    const real = new Set(frames.map((frame) => frame.real));
    const groundTruth = await this.annotations.read(snapshot, { id: task.gt_id ?? 0, only: real }, labels, turns.take);
    return { task, settings, labels, reportLabels: new ReportLabels(labels), frames, groundTruth, run, turns };
  }

  /** Ascending: those of the ground truth, or the honeypots that repeat them, except deleted and disabled ones. */
  private async validationFrames(snapshot: Snapshot, task: CheckedTask): Promise<ValidationFrame[]> {
    const { data_id: dataId } = task;
    const layout = dataId === null ? undefined : await this.media.validation(snapshot, dataId);
    if (dataId === null || layout === undefined) return [];
    const left = new Set([...layout.disabledFrames, ...layout.deletedFrames]);
    const valid = new Set(layout.frames.filter((frame) => !left.has(frame)));
    const pairs =
      layout.mode === 'gt_pool'
        ? (await this.media.honeypots(snapshot, dataId)).filter(({ real }) => valid.has(real))
        : [...valid].map((frame) => ({ frame, real: frame }));
    const selection = { start: task.start_frame ?? 0, step: parseFrameStep(task.frame_filter ?? '') ?? 1 };
    const absolute = pairs.map(({ frame }) => absoluteFrame(selection, frame));
    const sizes = new Map((await this.rows.sizes(snapshot, dataId, absolute)).map((row) => [row.frame, row]));
    return pairs
      .map(({ frame, real }) => {
        const { width, height } = sizes.get(absoluteFrame(selection, frame)) ?? { width: 0, height: 0 };
        return { frame, real, size: { width, height } };
      })
      .toSorted((a, b) => a.frame - b.frame);
  }

  private async compareJob(
    snapshot: Snapshot,
    { settings, labels, reportLabels, frames, groundTruth, turns }: Comparison,
    job: CheckedJob,
    progress: (done: number) => void,
  ): Promise<{ report: ComparisonReport; annotator: number | null }> {
    const own = frames.filter(({ frame }) => frame >= job.start && frame <= job.stop);
    const numbers = new Set(own.map(({ frame }) => frame));
    const annotations = await this.annotations.read(snapshot, { id: job.id, only: numbers }, labels, turns.take);
    const authors = await this.authors.read(snapshot, job.id, [...numbers]);
    const annotator = authors.annotator ?? job.assignee_id;
    const results = new Map<number, FrameResult>();
    for (const [index, { frame, real, size }] of own.entries()) {
      const compared: ComparedFrame = {
        frame,
        size,
        groundTruth: await finishWithPauses(groundTruth.steps(real), turns.pause),
        annotations: await finishWithPauses(annotations.steps(frame), turns.pause),
        authorOf: (one) => (one && authors.of(one.type, one.obj_id, frame)) ?? annotator,
      };
      const steps = comparingFrame(frame, comparisonSteps(compared, comparisonOf(settings), reportLabels));
      results.set(frame, await finishWithPauses(steps, turns.pause));
      progress((index + 1) / own.length);
      await turns.take();
    }
    const report = jobReport({
      totalFrames: job.stop - job.start + 1,
      frames: results,
      labels: reportLabels.names,
      emptyIsAnnotated: settings.empty_is_annotated,
    });
    return { report, annotator };
  }
}

/** The settings have the names of the comparison. */
export const comparisonOf = (settings: ApplicableSettings): ComparisonSettings =>
  settings as ApplicableSettings & Pick<ComparisonSettings, 'point_size_base'>;

async function computed(
  { task, settings, run, turns }: Comparison,
  jobs: readonly CheckedJob[],
  {
    reports,
    annotators,
    whole,
  }: {
    readonly reports: ReadonlyMap<number, ComparisonReport>;
    readonly annotators: ReadonlyMap<number, readonly AnnotatorCounts[]>;
    readonly whole: ComparisonReport;
  },
): Promise<ComputedTask> {
  const parameters = reportParameters(comparisonOf(settings), settings);
  const taskUrl = `${run.baseUrl}/tasks/${task.id}`;
  const shared = { projectId: null, gtUpdated: task.gt_updated_date };
  const ofJobs: ComputedReport[] = [];
  for (const job of jobs) {
    const report = reports.get(job.id);
    if (report === undefined) continue;
    ofJobs.push({
      ...shared,
      jobId: job.id,
      taskId: null,
      assigneeId: job.assignee_id,
      targetUpdated: job.updated_date,
      summary: summaryWith(report.summary, settings),
      comparison: null,
      annotators: annotators.get(job.id) ?? [],
      document: await reportDocument(report, parameters, taskUrl, turns),
      conflicts: [...conflictsIn(report)],
    });
  }
  if (run.jobId !== undefined) return { task: null, jobs: ofJobs };
  const ofTask: ComputedReport = {
    ...shared,
    jobId: null,
    taskId: task.id,
    assigneeId: task.assignee_id,
    targetUpdated: task.updated_date,
    summary: withCompleted(summaryWith(whole.summary, settings), jobs),
    annotators: null,
    comparison: { inherited: settings.inherited, summary: whole.summary },
    document: await reportDocument(whole, parameters, taskUrl, turns),
    conflicts: [],
  };
  return { task: ofTask, jobs: ofJobs };
}

/** Clients of CVAT 2.80 need the number of completed jobs. */
function withCompleted(summary: ComputedReport['summary'], jobs: readonly CheckedJob[]): ComputedReport['summary'] {
  if (summary.jobs === undefined) return summary;
  const completed = jobs.filter(({ state }) => state === 'completed').length;
  return { ...summary, jobs: { ...summary.jobs, completed } };
}
