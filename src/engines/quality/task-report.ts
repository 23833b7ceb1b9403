import type { FrameResult, LabelCounts, ShapeCounts } from './compare-frame.js';
import { type AnnotationCounts, ConfusionMatrix, type MatrixDocument, matrixDocument } from './confusion-matrix.js';
import {
  addCounts,
  addLabelCounts,
  annotationsDocument,
  type AnnotationsDocument,
  type ComparisonReport,
  type ComparisonSummary,
  componentsDocument,
  type ComponentsDocument,
  type ConflictCounts,
  type JobsDocument,
  summaryOf,
} from './report.js';

/**
 * Adds up the reports of the jobs of a task. A frame that two jobs share counts twice, except in the list of frames.
 * @param task.jobs ids of all jobs except the ground truth
 * @param task.reports by job id, in the order of the jobs; of the jobs that the filter selects, also those without frames
 * to check
 */
export function taskReport(task: {
  readonly jobs: readonly number[];
  readonly reports: ReadonlyMap<number, ComparisonReport>;
  readonly labels: readonly string[];
}): ComparisonReport {
  const reports = [...task.reports.values()];
  const summaries = reports.map(({ summary }) => summary);
  const total = totalOf(summaries, task.labels);
  const frames = joinFrames(reports);
  const summary = summaryOf({
    frames: [...frames.keys()],
    total_frames: sumOf(summaries, (each) => each.total_frames),
    frame_count: sumOf(summaries, (each) => each.frame_count),
    ...addConflicts(summaries),
    ...total,
    tasks: null,
    jobs: jobsOf(task.jobs, task.reports),
  });
  return { summary, frames, labels: task.labels };
}

function jobsOf(jobs: readonly number[], reports: ReadonlyMap<number, ComparisonReport>): JobsDocument {
  const all = jobs.toSorted((a, b) => a - b);
  const excluded = all.filter((id) => !reports.has(id));
  return jobsDocument({ all, excluded, not_checkable: all.filter((id) => reports.get(id)?.frames.size === 0) });
}

const jobsDocument = (jobs: Pick<JobsDocument, 'all' | 'excluded' | 'not_checkable'>): JobsDocument => ({
  ...jobs,
  total_count: jobs.all.length,
  excluded_count: jobs.excluded.length,
  not_checkable_count: jobs.not_checkable.length,
  included_count: jobs.all.length - jobs.excluded.length,
});

/**
 * The results of all jobs. Of a frame in several jobs, conflicts are joined, counts are added, and the mean similarity is
 * averaged; the scores of its labels are those of the first job.
 */
function joinFrames(reports: readonly ComparisonReport[]): Map<number, FrameResult> {
  const found = new Map<number, FrameResult[]>();
  for (const { frames } of reports) {
    for (const [frame, result] of frames) {
      const known = found.get(frame);
      if (known === undefined) found.set(frame, [result]);
      else known.push(result);
    }
  }
  return new Map([...found].sort(([a], [b]) => a - b).map(([frame, results]) => [frame, joinResults(results)]));
}

function joinResults([first, ...others]: readonly FrameResult[]): FrameResult {
  if (first === undefined) throw new Error('A frame of a report has a result');
  if (others.length === 0) return first;
  const matrix = new ConfusionMatrix(first.matrix.size);
  for (const result of [first, ...others]) matrix.addAll(result.matrix);
  const meanIou = sumOf([first, ...others], ({ shape }) => shape.meanIou) / (1 + others.length);
  return {
    conflicts: [first, ...others].flatMap(({ conflicts }) => conflicts),
    annotations: others.reduce((sum, { annotations }) => addCounts(sum, annotations), first.annotations),
    matrix,
    scored: first.matrix,
    shape: others.reduce((sum, { shape }) => addCounts(sum, shape), { ...first.shape, meanIou }),
    label: others.reduce((sum, { label }) => addLabelCounts(sum, label), first.label),
  };
}

/** A task of a project, and its report, if it has a finished ground truth. */
export interface TaskOfProject {
  readonly id: number;
  readonly report: {
    readonly summary: ComparisonSummary;
    /** Whether it was computed with the settings of the project. */
    readonly inherited: boolean;
  } | null;
}

/**
 * Adds up the reports of the tasks of a project. As tasks may have different shares of frames with ground truth, the
 * numbers of each are divided by its share and rounded up, which extrapolates them to all of its frames. Tasks with
 * settings of their own and tasks without jobs that the filter selects are not counted.
 */
export function projectSummary(tasks: readonly TaskOfProject[]): ComparisonSummary {
  const groups: { custom: number[]; not_configured: number[]; excluded: number[] } = {
    custom: [],
    not_configured: [],
    excluded: [],
  };
  const included: ComparisonSummary[] = [];
  for (const { id, report } of tasks.toSorted((a, b) => a.id - b.id)) {
    if (report === null) groups.not_configured.push(id);
    else if (!report.inherited) groups.custom.push(id);
    else if ((report.summary.jobs?.included_count ?? 0) === 0) groups.excluded.push(id);
    else included.push(report.summary);
  }
  const labels = included
    .map(({ annotations }) => annotations.confusion_matrix?.labels ?? [])
    .reduce((longest, each) => (each.length > longest.length ? each : longest), []);
  const left = groups.custom.length + groups.not_configured.length + groups.excluded.length;
  return summaryOf({
    total_frames: sumOf(included, (each) => each.total_frames),
    frame_count: sumOf(included, (each) => each.frame_count),
    ...addConflicts(included),
    ...totalOf(included, labels, (summary) => 1 / (summary.frame_share || 1)),
    tasks: {
      all: tasks.map(({ id }) => id).sort((a, b) => a - b),
      ...groups,
      total_count: tasks.length,
      custom_count: groups.custom.length,
      not_configured_count: groups.not_configured.length,
      excluded_count: groups.excluded.length,
      included_count: tasks.length - left,
    },
    jobs: jobsDocument({
      all: joined(included, 'all'),
      excluded: joined(included, 'excluded'),
      not_checkable: joined(included, 'not_checkable'),
    }),
  });
}

const joined = (summaries: readonly ComparisonSummary[], key: 'all' | 'excluded' | 'not_checkable'): number[] =>
  [...new Set(summaries.flatMap(({ jobs }) => jobs?.[key] ?? []))].sort((a, b) => a - b);

const sumOf = <T>(items: readonly T[], numberOf: (item: T) => number): number =>
  items.reduce((sum, item) => sum + numberOf(item), 0);

function addConflicts(summaries: readonly ComparisonSummary[]): ConflictCounts {
  const counts: ConflictCounts = {
    conflict_count: sumOf(summaries, (each) => each.conflict_count),
    warning_count: sumOf(summaries, (each) => each.warning_count),
    error_count: sumOf(summaries, (each) => each.error_count),
    conflicts_by_type: {},
  };
  for (const { conflicts_by_type: byType } of summaries) {
    for (const [type, count] of Object.entries(byType)) {
      counts.conflicts_by_type[type] = (counts.conflicts_by_type[type] ?? 0) + count;
    }
  }
  return counts;
}

/** @param weightOf numbers are multiplied by it and rounded up */
function totalOf(
  summaries: readonly ComparisonSummary[],
  labels: readonly string[],
  weightOf?: (summary: ComparisonSummary) => number,
): { annotations: AnnotationsDocument; annotation_components: ComponentsDocument } {
  const matrix = new ConfusionMatrix(labels.length);
  let counts: AnnotationCounts = { valid: 0, missing: 0, extra: 0, total: 0, ds: 0, gt: 0 };
  let shape: ShapeCounts = { ...counts, meanIou: 0 };
  let label: LabelCounts = { valid: 0, invalid: 0, total: 0 };
  for (const summary of summaries) {
    const weight = weightOf?.(summary) ?? 1;
    const scaled = (count: number): number => Math.ceil(count * weight);
    const { annotations, annotation_components: components } = summary;
    addMatrix(matrix, annotations.confusion_matrix, labels, scaled);
    counts = addCounts(counts, countsOf(annotations, scaled));
    shape = addCounts(shape, countsOf(components.shape, scaled));
    const { valid_count: valid, invalid_count: invalid, total_count: total } = components.label;
    label = addLabelCounts(label, { valid: scaled(valid), invalid: scaled(invalid), total: scaled(total) });
  }
  const isEmpty = summaries.length === 0;
  return {
    annotations: annotationsDocument(counts, isEmpty ? null : matrixDocument(matrix, labels)),
    annotation_components: componentsDocument(
      { ...shape, meanIou: isEmpty && weightOf === undefined ? null : 0 },
      label,
    ),
  };
}

/** Labels are found by name, because an older report may have fewer of them. */
function addMatrix(
  sum: ConfusionMatrix,
  document: MatrixDocument | null,
  labels: readonly string[],
  scaled: (count: number) => number,
): void {
  if (document === null) return;
  const positions = new Map(labels.map((name, at) => [name, at]));
  const indices = document.labels.map((name) => positions.get(name) ?? -1);
  for (const [row, column, count] of ConfusionMatrix.fromRows(document.rows).entries()) {
    const [to, of] = [indices[row] ?? -1, indices[column] ?? -1];
    if (to >= 0 && of >= 0) sum.add(to, of, scaled(count));
  }
}

const countsOf = (
  document: Pick<
    AnnotationsDocument,
    'valid_count' | 'missing_count' | 'extra_count' | 'total_count' | 'ds_count' | 'gt_count'
  >,
  scaled: (count: number) => number,
): AnnotationCounts => ({
  valid: scaled(document.valid_count),
  missing: scaled(document.missing_count),
  extra: scaled(document.extra_count),
  total: scaled(document.total_count),
  ds: scaled(document.ds_count),
  gt: scaled(document.gt_count),
});
