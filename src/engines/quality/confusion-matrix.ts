/** Counts of pairs by label of the annotation (row) and label of the ground truth (column); the last label is "unmatched". */
export class ConfusionMatrix {
  /** Only counts above 0, since reports have a matrix for every frame. */
  private readonly cells = new Map<number, number>();

  /** @param size number of labels, "unmatched" included */
  constructor(readonly size: number) {}

  static fromRows(rows: readonly (readonly number[])[]): ConfusionMatrix {
    const matrix = new ConfusionMatrix(rows.length);
    rows.forEach((row, i) => row.forEach((count, j) => matrix.add(i, j, count)));
    return matrix;
  }

  add(row: number, column: number, count = 1): void {
    if (count === 0) return;
    const cell = row * this.size + column;
    this.cells.set(cell, (this.cells.get(cell) ?? 0) + count);
  }

  addAll(other: ConfusionMatrix): void {
    for (const [row, column, count] of other.entries()) this.add(row, column, count);
  }

  *entries(): Generator<[row: number, column: number, count: number]> {
    for (const [cell, count] of this.cells) yield [Math.floor(cell / this.size), cell % this.size, count];
  }

  rows(): number[][] {
    const rows = Array.from({ length: this.size }, () => Array.from({ length: this.size }, () => 0));
    for (const [row, column, count] of this.entries()) {
      const counts = rows[row];
      if (counts !== undefined) counts[column] = count;
    }
    return rows;
  }

  counts(): AnnotationCounts {
    const counts = { valid: 0, missing: 0, extra: 0, total: 0, ds: 0, gt: 0 };
    const unmatched = this.size - 1;
    for (const [row, column, count] of this.entries()) {
      counts.total += count;
      if (row === column) counts.valid += count;
      if (row === unmatched) counts.missing += count;
      else counts.ds += count;
      if (column === unmatched) counts.extra += count;
      else counts.gt += count;
    }
    return counts;
  }
}

/** Numbers of annotations. */
export interface AnnotationCounts {
  /** Pairs with the right label. */
  valid: number;
  missing: number;
  extra: number;
  total: number;
  /** Annotations that are checked. */
  ds: number;
  /** Annotations of the ground truth. */
  gt: number;
}

export interface MatrixDocument {
  labels: readonly string[];
  rows: number[][];
  axes: { cols: 'gt'; rows: 'ds' };
  precision: number[];
  recall: number[];
  accuracy: number[];
  jaccard_index: number[];
}

/** A quotient; a divisor of 0 counts as 1. */
export const ratio = (part: number, of: number): number => part / (of || 1);

/** A matrix of more labels would take many megabytes, and there is one for every frame. */
const MAX_LABELS = 2_000;

/**
 * The matrix with the scores of each label. With m annotations that have the label on both sides, D that have it, G of the
 * ground truth, and T in total: precision m/D, recall m/G, Jaccard index m/(D + G − m), accuracy (T − (D − m) − (G − m))/T.
 * @param labels names in the order of the matrix
 * @param scored the matrix that the scores are computed from, if it is another one
 * @returns null if there are too many labels, or none
 */
export function matrixDocument(
  matrix: ConfusionMatrix,
  labels: readonly string[],
  scored = matrix,
): MatrixDocument | null {
  if (labels.length === 0 || labels.length > MAX_LABELS) return null;
  const zeros = (): number[] => labels.map(() => 0);
  const [both, ofDs, ofGt] = [zeros(), zeros(), zeros()];
  let total = 0;
  const add = (counts: number[], at: number, count: number): void => {
    counts[at] = (counts[at] ?? 0) + count;
  };
  for (const [row, column, count] of scored.entries()) {
    if (row === column) add(both, row, count);
    add(ofDs, row, count);
    add(ofGt, column, count);
    total += count;
  }
  const scores = (score: (m: number, d: number, g: number) => number): number[] =>
    both.map((m, i) => score(m, ofDs[i] ?? 0, ofGt[i] ?? 0));
  return {
    labels,
    rows: matrix.rows(),
    axes: { cols: 'gt', rows: 'ds' },
    precision: scores((m, d) => ratio(m, d)),
    recall: scores((m, _, g) => ratio(m, g)),
    accuracy: scores((m, d, g) => ratio(total - (d - m) - (g - m), total)),
    jaccard_index: scores((m, d, g) => ratio(m, d + g - m)),
  };
}
