import type { QualityReport } from '../../app/api';

/** The fields of a report's document that the page shows (`GET /api/quality/reports/{id}/data`). */
export interface ReportDocument {
  readonly parameters: { readonly inherited: boolean };
  readonly comparison_summary: {
    readonly annotations: { readonly confusion_matrix: ConfusionMatrix | null };
  };
}

/** Lists as long as `labels`, whose last one is `unmatched`. */
export interface ConfusionMatrix {
  readonly labels: readonly string[];
  /** A row for each label of the annotations, a column for each label of the ground truth. */
  readonly rows: readonly (readonly number[])[];
  readonly precision: readonly number[];
  readonly recall: readonly number[];
  readonly accuracy: readonly number[];
  readonly jaccard_index: readonly number[];
}

/** The three numbers that every comparison has, from 0 to 1. */
export interface Scores {
  readonly accuracy: number;
  readonly precision: number;
  readonly recall: number;
}

export interface LabelRow extends Scores {
  readonly label: string;
  /** Number of annotations with this label, of objects with it in the ground truth, and of those that match. */
  readonly annotated: number;
  readonly truth: number;
  readonly matched: number;
}

/** @returns a row for each label that was compared */
export function rowsByLabel(matrix: ConfusionMatrix | null): LabelRow[] {
  if (matrix === null) return [];
  const { labels, rows } = matrix;
  return labels
    .map((label, at) => ({
      label,
      annotated: sum(rows[at] ?? []),
      truth: sum(rows.map((row) => row[at] ?? 0)),
      matched: rows[at]?.[at] ?? 0,
      accuracy: matrix.accuracy[at] ?? 0,
      precision: matrix.precision[at] ?? 0,
      recall: matrix.recall[at] ?? 0,
    }))
    .filter(({ annotated, truth }, at) => at < labels.length - 1 && annotated + truth > 0);
}

/** Jobs without frames of the ground truth have nothing to compare. */
export const isCompared = ({ summary }: QualityReport): boolean => summary.frame_count > 0;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
