import type { Steps } from '../concurrency/steps.js';
import { type Augmentation, flipPath } from './augmenting-path.js';

/**
 * The Hungarian method by shortest augmenting paths (D. F. Crouse, "On implementing 2D rectangular assignment
 * algorithms", 2016), with the order of `scipy.optimize.linear_sum_assignment`: open columns are visited from the last
 * to the first, a closed one is replaced by the last of the list, and among equal costs a free column comes first.
 * @param matrix square, row by row
 * @returns the column of each row
 */
export function* denseColumns(matrix: Float64Array, size: number): Steps<Int32Array> {
  const search = new DenseSearch(matrix, size);
  for (let row = 0; row < size; row++) {
    yield;
    search.assign(row);
  }
  return search.columnOf;
}

class DenseSearch implements Augmentation {
  readonly columnOf: Int32Array;
  readonly rowOf: Int32Array;
  readonly rowBefore: Int32Array;
  private readonly rowPrice: Float64Array;
  private readonly columnPrice: Float64Array;
  private readonly distance: Float64Array;
  private readonly open: Int32Array;

  constructor(
    private readonly matrix: Float64Array,
    private readonly size: number,
  ) {
    this.columnOf = new Int32Array(size).fill(-1);
    this.rowOf = new Int32Array(size).fill(-1);
    this.rowPrice = new Float64Array(size);
    this.columnPrice = new Float64Array(size);
    this.distance = new Float64Array(size);
    this.rowBefore = new Int32Array(size);
    this.open = new Int32Array(size);
  }

  assign(start: number): void {
    const { size, open, distance, rowOf } = this;
    for (let at = 0; at < size; at++) open[at] = size - 1 - at;
    distance.fill(Infinity);
    const rows = [start];
    const closed: number[] = [];
    let [row, length, end] = [start, 0, -1];
    for (let left = size; end < 0; left--) {
      const nearest = this.relax(row, length, left);
      const column = open[nearest] ?? 0;
      length = distance[column] ?? 0;
      open[nearest] = open[left - 1] ?? 0;
      closed.push(column);
      row = rowOf[column] ?? -1;
      if (row < 0) end = column;
      else rows.push(row);
    }
    this.reprice(rows, closed, length);
    flipPath(this, start, end);
  }

  /** Updates the distances of the open columns through a row. @returns the position of the nearest one in `open` */
  private relax(row: number, length: number, left: number): number {
    const { matrix, open, distance, rowOf, columnPrice, rowBefore } = this;
    const first = row * this.size;
    const price = this.rowPrice[row] ?? 0;
    let [nearest, lowest] = [-1, Infinity];
    for (let at = 0; at < left; at++) {
      const column = open[at] ?? 0;
      const through = length + (matrix[first + column] ?? 1) - price - (columnPrice[column] ?? 0);
      let known = distance[column] ?? Infinity;
      if (through < known) {
        rowBefore[column] = row;
        known = distance[column] = through;
      }
      if (known < lowest || (known === lowest && rowOf[column] === -1)) [lowest, nearest] = [known, at];
    }
    return nearest;
  }

  private reprice([start = 0, ...others]: readonly number[], closed: readonly number[], length: number): void {
    const { rowPrice, columnPrice, distance, columnOf } = this;
    rowPrice[start] = (rowPrice[start] ?? 0) + length;
    for (const row of others) rowPrice[row] = (rowPrice[row] ?? 0) + length - (distance[columnOf[row] ?? 0] ?? 0);
    for (const column of closed) columnPrice[column] = (columnPrice[column] ?? 0) - length + (distance[column] ?? 0);
  }
}
