import { finish, type Steps } from '../concurrency/steps.js';
import { denseColumns } from './dense-assignment.js';
import { sparseColumns } from './sparse-assignment.js';

/** Two objects, by their positions in two lists, and their similarity (0..1). */
export interface Pair {
  a: number;
  b: number;
  similarity: number;
}

/**
 * Selects pairs so that each object is in at most one and the sum of similarities is maximal.
 * @param pairs the acceptable pairs
 */
export function* bestPairs(pairs: readonly Pair[]): Steps<Pair[]> {
  const [rowOf, columnOf] = [numbered(pairs.map(({ a }) => a)), numbered(pairs.map(({ b }) => b))];
  const candidates = new Candidates(rowOf.size, columnOf.size);
  for (const { a, b, similarity } of pairs) candidates.add(rowOf.get(a) ?? 0, columnOf.get(b) ?? 0, similarity);
  const chosen = yield* sparseColumns(candidates);
  return pairs.filter(({ a, b }) => chosen[rowOf.get(a) ?? 0] === columnOf.get(b));
}

/** Numbers distinct values from 0, in the order in which they first appear. */
function numbered(values: readonly number[]): Map<number, number> {
  const positions = new Map<number, number>();
  for (const value of values) if (!positions.has(value)) positions.set(value, positions.size);
  return positions;
}

/** The number of pairs that candidates may have: they take about 100 MB. 2,200 shapes at one position have as many. */
const MAX_CANDIDATES = 5_000_000;

/** Too many shapes overlap each other to keep all pairs in memory. */
export class TooManyPairs extends Error {
  override name = 'TooManyPairs';

  constructor(message = 'too many shapes overlap each other', options?: ErrorOptions) {
    super(message, options);
  }
}

/** The comparison of one frame. @throws TooManyPairs with a message for users */
export function* comparingFrame<T>(frame: number, steps: Steps<T>): Steps<T> {
  try {
    return yield* steps;
  } catch (error) {
    if (!(error instanceof TooManyPairs)) throw error;
    throw new TooManyPairs(
      `Frame ${frame} cannot be compared: ${error.message}. Remove duplicates, or delete the frame.`,
    );
  }
}

/** The pairs of rows and columns that may be assigned to each other. A pair costs 1 − similarity, any other pair 1. */
export class Candidates {
  /** Of each row, in the order in which they were added. */
  readonly columns: number[][];
  readonly similarities: number[][];
  private count = 0;

  constructor(
    readonly rowCount: number,
    readonly columnCount: number,
  ) {
    this.columns = Array.from({ length: rowCount }, () => []);
    this.similarities = Array.from({ length: rowCount }, () => []);
  }

  /** @param similarity above 0 @throws TooManyPairs */
  add(row: number, column: number, similarity: number): void {
    if (++this.count > MAX_CANDIDATES) throw new TooManyPairs();
    this.columns[row]?.push(column);
    this.similarities[row]?.push(similarity);
  }

  /** @returns 0 if the pair was not added */
  similarity(row: number, column: number): number {
    return this.similarities[row]?.[this.columns[row]?.indexOf(column) ?? -1] ?? 0;
  }
}

/** Up to this number of rows or columns, ties are resolved exactly as scipy does; the matrix takes half a megabyte. */
export const MAX_DENSE = 256;

/**
 * The assignment with the lowest total cost. Not being assigned costs 1.
 * Equally good assignments: up to {@link MAX_DENSE} rows and columns, the one that `scipy.optimize.linear_sum_assignment`
 * finds in the square matrix filled with 1. Larger ones take time by the number of candidates, not by the cube of the
 * number of rows, and a few seconds at most.
 * @returns the column of each row; -1 for rows that stay alone
 */
export function cheapestAssignment(candidates: Candidates): Int32Array {
  return finish(assignmentSteps(candidates));
}

/** The same in short steps. */
export function* assignmentSteps(candidates: Candidates): Steps<Int32Array> {
  return Math.max(candidates.rowCount, candidates.columnCount) <= MAX_DENSE
    ? yield* denseAssignment(candidates)
    : yield* sparseColumns(candidates);
}

function* denseAssignment({ rowCount, columnCount, columns, similarities }: Candidates): Steps<Int32Array> {
  const size = Math.max(rowCount, columnCount);
  const matrix = new Float64Array(size * size).fill(1);
  columns.forEach((found, row) => {
    found.forEach((column, at) => (matrix[row * size + column] = 1 - (similarities[row]?.[at] ?? 0)));
  });
  const assigned = yield* denseColumns(matrix, size);
  return assigned.map((column, row) => ((matrix[row * size + column] ?? 1) < 1 ? column : -1)).subarray(0, rowCount);
}
