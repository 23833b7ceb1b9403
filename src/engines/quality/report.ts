import type { Conflict, FrameResult, LabelCounts, ShapeCounts } from './compare-frame.js';
import {
  type AnnotationCounts,
  ConfusionMatrix,
  type MatrixDocument,
  matrixDocument,
  ratio,
} from './confusion-matrix.js';

/** The documents of reports, by the names of the API. */
export interface AnnotationsDocument {
  valid_count: number;
  missing_count: number;
  extra_count: number;
  total_count: number;
  ds_count: number;
  gt_count: number;
  accuracy: number;
  precision: number;
  recall: number;
  confusion_matrix: MatrixDocument | null;
}

export interface ComponentsDocument {
  shape: {
    valid_count: number;
    missing_count: number;
    extra_count: number;
    total_count: number;
    ds_count: number;
    gt_count: number;
    /** Null in reports without frames. */
    mean_iou: number | null;
    accuracy: number;
  };
  label: { valid_count: number; invalid_count: number; total_count: number; accuracy: number };
}

export interface ConflictCounts {
  conflict_count: number;
  warning_count: number;
  error_count: number;
  conflicts_by_type: Record<string, number>;
}

export interface FrameDocument extends ConflictCounts {
  conflicts: readonly Conflict[];
  annotations: AnnotationsDocument;
  annotation_components: ComponentsDocument;
}

export interface TasksDocument {
  all: number[];
  custom: number[];
  not_configured: number[];
  excluded: number[];
  total_count: number;
  custom_count: number;
  not_configured_count: number;
  excluded_count: number;
  included_count: number;
}

export interface JobsDocument {
  all: number[];
  excluded: number[];
  not_checkable: number[];
  total_count: number;
  excluded_count: number;
  not_checkable_count: number;
  included_count: number;
}

/** `comparison_summary` of a report. */
export interface ComparisonSummary extends ConflictCounts {
  /** Absent in reports of projects. */
  frames?: number[];
  total_frames: number;
  frame_count: number;
  frame_share: number;
  frame_share_percent: number;
  mean_conflict_count: number;
  annotations: AnnotationsDocument;
  annotation_components: ComponentsDocument;
  tasks: TasksDocument | null;
  jobs: JobsDocument | null;
}

/** A report of a job or task, before it becomes a document. */
export interface ComparisonReport {
  readonly summary: ComparisonSummary;
  /** By frame number, ascending. */
  readonly frames: ReadonlyMap<number, FrameResult>;
  /** Names of the labels, as in the confusion matrix. */
  readonly labels: readonly string[];
}

/** `summary` of a report in lists of the API. */
export interface ReportSummary {
  total_frames: number;
  frame_count: number;
  frame_share: number;
  validation_frames: number;
  validation_frame_share: number;
  conflict_count: number;
  warning_count: number;
  error_count: number;
  conflicts_by_type: Record<string, number>;
  valid_count: number;
  ds_count: number;
  gt_count: number;
  total_count: number;
  accuracy: number;
  precision: number;
  recall: number;
  tasks?: { total: number; custom: number; not_configured: number; excluded: number; included: number };
  jobs?: { total: number; excluded: number; not_checkable: number; included: number };
}

/** @returns the summary of a report object, from that of its document */
export function reportSummary(summary: ComparisonSummary): ReportSummary {
  const { annotations, tasks, jobs } = summary;
  return {
    total_frames: summary.total_frames,
    frame_count: summary.frame_count,
    frame_share: summary.frame_share,
    validation_frames: summary.frame_count,
    validation_frame_share: summary.frame_share,
    conflict_count: summary.conflict_count,
    warning_count: summary.warning_count,
    error_count: summary.error_count,
    conflicts_by_type: summary.conflicts_by_type,
    valid_count: annotations.valid_count,
    ds_count: annotations.ds_count,
    gt_count: annotations.gt_count,
    total_count: annotations.total_count,
    accuracy: annotations.accuracy,
    precision: annotations.precision,
    recall: annotations.recall,
    ...(tasks !== null && {
      tasks: {
        total: tasks.total_count,
        custom: tasks.custom_count,
        not_configured: tasks.not_configured_count,
        excluded: tasks.excluded_count,
        included: tasks.included_count,
      },
    }),
    ...(jobs !== null && {
      jobs: {
        total: jobs.total_count,
        excluded: jobs.excluded_count,
        not_checkable: jobs.not_checkable_count,
        included: jobs.included_count,
      },
    }),
  };
}

/** `frame_results` of one frame. The matrix has a row and a column for every label, so create one document at a time. */
export function frameDocument(result: FrameResult, labels: readonly string[]): FrameDocument {
  const { conflicts, annotations, matrix, scored, shape, label } = result;
  return {
    conflicts,
    annotations: annotationsDocument(annotations, matrixDocument(matrix, labels, scored)),
    annotation_components: componentsDocument(shape, label),
    ...conflictCounts(conflicts),
  };
}

/** Accuracy valid / total, precision valid / annotations, recall valid / ground truth; 0 if the divisor is 0. */
export function annotationsDocument(counts: AnnotationCounts, matrix: MatrixDocument | null): AnnotationsDocument {
  return {
    valid_count: counts.valid,
    missing_count: counts.missing,
    extra_count: counts.extra,
    total_count: counts.total,
    ds_count: counts.ds,
    gt_count: counts.gt,
    accuracy: ratio(counts.valid, counts.total),
    precision: ratio(counts.valid, counts.ds),
    recall: ratio(counts.valid, counts.gt),
    confusion_matrix: matrix,
  };
}

export function componentsDocument(
  shape: AnnotationCounts & { readonly meanIou: number | null },
  label: LabelCounts,
): ComponentsDocument {
  return {
    shape: {
      valid_count: shape.valid,
      missing_count: shape.missing,
      extra_count: shape.extra,
      total_count: shape.total,
      ds_count: shape.ds,
      gt_count: shape.gt,
      mean_iou: shape.meanIou,
      accuracy: ratio(shape.valid, shape.total),
    },
    label: {
      valid_count: label.valid,
      invalid_count: label.invalid,
      total_count: label.total,
      accuracy: ratio(label.valid, label.total),
    },
  };
}

export function conflictCounts(conflicts: Iterable<Conflict>): ConflictCounts {
  const counts: ConflictCounts = { conflict_count: 0, warning_count: 0, error_count: 0, conflicts_by_type: {} };
  for (const { severity, type } of conflicts) {
    counts.conflict_count++;
    if (severity === 'error') counts.error_count++;
    else counts.warning_count++;
    counts.conflicts_by_type[type] = (counts.conflicts_by_type[type] ?? 0) + 1;
  }
  return counts;
}

/** The numbers that follow from others. */
export function summaryOf(
  parts: Omit<ComparisonSummary, 'frame_share' | 'frame_share_percent' | 'mean_conflict_count'>,
): ComparisonSummary {
  const share = ratio(parts.frame_count, parts.total_frames);
  return {
    ...parts,
    frame_share: share,
    frame_share_percent: share * 100,
    mean_conflict_count: ratio(parts.conflict_count, parts.frame_count),
  };
}

const NO_ANNOTATIONS: AnnotationCounts = { valid: 0, missing: 0, extra: 0, total: 0, ds: 0, gt: 0 };

export function addCounts<T extends AnnotationCounts>(sum: T, counts: AnnotationCounts): T {
  return {
    ...sum,
    valid: sum.valid + counts.valid,
    missing: sum.missing + counts.missing,
    extra: sum.extra + counts.extra,
    total: sum.total + counts.total,
    ds: sum.ds + counts.ds,
    gt: sum.gt + counts.gt,
  };
}

export const addLabelCounts = (sum: LabelCounts, { valid, invalid, total }: LabelCounts): LabelCounts => ({
  valid: sum.valid + valid,
  invalid: sum.invalid + invalid,
  total: sum.total + total,
});

/**
 * @param job.totalFrames all frames of the job, deleted ones included
 * @param job.frames the compared ones, by number
 */
export function jobReport(job: {
  readonly totalFrames: number;
  readonly frames: ReadonlyMap<number, FrameResult>;
  readonly labels: readonly string[];
  readonly emptyIsAnnotated: boolean;
}): ComparisonReport {
  const frames = new Map([...job.frames].sort(([a], [b]) => a - b));
  const matrix = new ConfusionMatrix(job.labels.length);
  let shape: ShapeCounts = { ...NO_ANNOTATIONS, meanIou: 0 };
  let label: LabelCounts = { valid: 0, invalid: 0, total: 0 };
  let similarity = 0;
  for (const result of frames.values()) {
    matrix.addAll(result.matrix);
    shape = addCounts(shape, result.shape);
    label = addLabelCounts(label, result.label);
    similarity += result.shape.meanIou;
  }
  const counts = matrix.counts();
  if (job.emptyIsAnnotated) addEmptyFrames(counts, frames.values());
  const meanIou = frames.size === 0 ? null : similarity / frames.size;
  const summary = summaryOf({
    frames: [...frames.keys()],
    total_frames: job.totalFrames,
    frame_count: frames.size,
    ...conflictCounts(conflictsOf(frames.values())),
    annotations: annotationsDocument(counts, matrixDocument(matrix, job.labels)),
    annotation_components: componentsDocument({ ...shape, meanIou }, label),
    tasks: null,
    jobs: null,
  });
  return { summary, frames, labels: job.labels };
}

/**
 * Counts frames without annotations as right ones, the way CVAT does: a side counts as empty if the matrix of the frame
 * has nothing on and above (annotations) or on and below (ground truth) its diagonal.
 */
function addEmptyFrames(counts: AnnotationCounts, frames: Iterable<FrameResult>): void {
  for (const { matrix } of frames) {
    const cells = [...matrix.entries()];
    const isDsEmpty = cells.every(([row, column]) => column < row);
    const isGtEmpty = cells.every(([row, column]) => column > row);
    if (isDsEmpty && isGtEmpty) counts.valid++;
    if (isDsEmpty || isGtEmpty) counts.total++;
    if (isDsEmpty) counts.ds++;
    if (isGtEmpty) counts.gt++;
  }
}

function* conflictsOf(frames: Iterable<FrameResult>): Generator<Conflict> {
  for (const { conflicts } of frames) yield* conflicts;
}

/** @returns all conflicts of a report */
export const conflictsIn = ({ frames }: ComparisonReport): Iterable<Conflict> => conflictsOf(frames.values());
