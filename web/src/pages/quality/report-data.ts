import type { BasicUser, QualityReport } from '../../app/api';

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

export interface AnnotatorRow extends Scores {
  /** Null for jobs without an assignee. */
  readonly user: BasicUser | null;
  readonly jobs: number;
  readonly frames: number;
  readonly conflicts: number;
}

/** @returns the reports of jobs by assignee, worst first. The shares are those of the summed counts */
export function rowsByAnnotator(reports: readonly QualityReport[]): AnnotatorRow[] {
  const groups = new Map<number | null, QualityReport[]>();
  for (const report of reports.filter(isCompared)) {
    const user = report.assignee?.id ?? null;
    groups.set(user, [...(groups.get(user) ?? []), report]);
  }
  return [...groups.values()]
    .map((own) => {
      const total = (name: CountName): number => sum(own.map(({ summary }) => summary[name]));
      const valid = total('valid_count');
      return {
        user: own[0]?.assignee ?? null,
        jobs: own.length,
        frames: total('frame_count'),
        conflicts: total('conflict_count'),
        accuracy: share(valid, total('total_count')),
        precision: share(valid, total('ds_count')),
        recall: share(valid, total('gt_count')),
      };
    })
    .toSorted((a, b) => a.accuracy - b.accuracy);
}

type CountName = 'valid_count' | 'total_count' | 'ds_count' | 'gt_count' | 'frame_count' | 'conflict_count';

/** Jobs without frames of the ground truth have nothing to compare. */
export const isCompared = ({ summary }: QualityReport): boolean => summary.frame_count > 0;

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
