import type { Steps } from '../concurrency/steps.js';
import type { Candidates } from './assignment.js';
import { type Augmentation, flipPath } from './augmenting-path.js';

/**
 * Augmenting row reduction, then shortest augmenting paths for the rows that it leaves over (R. Jonker, A. Volgenant, "A
 * shortest augmenting path algorithm for dense and sparse linear assignment problems", 1987), over the candidates alone. A
 * path ends at a free column, or at a row that gives its column away and stays alone at cost 1. So a search never leaves
 * the connected group of its row.
 * @returns the column of each row; -1 for rows that stay alone
 */
export function* sparseColumns(candidates: Candidates): Steps<Int32Array> {
  const search = new SparseSearch(candidates);
  for (const row of yield* search.reduce()) yield* search.assign(row);
  return search.columnOf;
}

const ALONE = 1;

/**
 * The number of candidates that searches may look at, a few seconds of work. Thousands of objects of which each is similar
 * to each would need far more; the rows that are left then take the best free column.
 */
const MAX_WORK = 200_000_000;

/** Row reduction takes a column from another row at most this often, per row: near ties would go back and forth. */
const MAX_TAKEN = 4;

interface PathEnd {
  length: number;
  /** The row that takes the free column, or stays alone. */
  row: number;
  /** -1 if the row stays alone. */
  column: number;
}

function setEnd(end: PathEnd, length: number, row: number, column: number): void {
  end.length = length;
  end.row = row;
  end.column = column;
}

class SparseSearch implements Augmentation {
  readonly columnOf: Int32Array;
  readonly rowOf: Int32Array;
  readonly rowBefore: Int32Array;
  private readonly rowPrice: Float64Array;
  private readonly columnPrice: Float64Array;
  private readonly distance: Float64Array;
  /** Whether the shortest path to a column is known. Rounding must not change it, or paths would run in circles. */
  private readonly isClosed: Uint8Array;
  private reached: number[] = [];
  private work = 0;
  private heap = new ColumnHeap();

  constructor(private readonly candidates: Candidates) {
    const { rowCount, columnCount } = candidates;
    this.columnOf = new Int32Array(rowCount).fill(-1);
    this.rowOf = new Int32Array(columnCount).fill(-1);
    this.rowPrice = new Float64Array(rowCount);
    this.columnPrice = new Float64Array(columnCount);
    this.distance = new Float64Array(columnCount).fill(Infinity);
    this.isClosed = new Uint8Array(columnCount);
    this.rowBefore = new Int32Array(columnCount);
  }

  /**
   * Gives each row its cheapest column, and makes that one more expensive by what the row would pay for the second best.
   * @returns the rows that are left
   */
  *reduce(): Steps<number[]> {
    const { rowCount } = this.candidates;
    const waiting = Array.from({ length: rowCount }, (_, at) => rowCount - 1 - at);
    const left: number[] = [];
    let budget = MAX_TAKEN * rowCount;
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
      yield;
      const { column, cost, second } = this.cheapest(row);
      this.rowPrice[row] = Math.min(second, ALONE);
      if (column < 0 || cost >= ALONE) continue;
      const owner = this.rowOf[column] ?? -1;
      if (owner >= 0 && (cost === second || budget-- <= 0)) {
        this.rowPrice[row] = cost;
        left.push(row);
        continue;
      }
      this.columnPrice[column] = (this.columnPrice[column] ?? 0) - (Math.min(second, ALONE) - cost);
      this.rowOf[column] = row;
      this.columnOf[row] = column;
      if (owner < 0) continue;
      this.columnOf[owner] = -1;
      waiting.push(owner);
    }
    return left;
  }

  /** The cheapest column of a row, a free one if there are several, and the cost of the next one. */
  private cheapest(row: number): { column: number; cost: number; second: number } {
    const columns = this.candidates.columns[row] ?? [];
    const similarities = this.candidates.similarities[row] ?? [];
    let [best, cost, second] = [-1, Infinity, Infinity];
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at] ?? 0;
      const price = ALONE - (similarities[at] ?? 0) - (this.columnPrice[column] ?? 0);
      if (price < cost || (price === cost && this.rowOf[best] !== -1 && this.rowOf[column] === -1)) {
        second = cost;
        [best, cost] = [column, price];
      } else if (price < second) second = price;
    }
    return { column: best, cost, second };
  }

  *assign(start: number): Steps<void> {
    const closed: number[] = [];
    const end: PathEnd = { length: Infinity, row: start, column: -1 };
    this.relax(start, 0, end);
    for (let next = this.heap.pop(); next !== undefined && next.distance < end.length; next = this.heap.pop()) {
      if (this.work > MAX_WORK) break;
      if (this.isClosed[next.column] === 1) continue;
      yield;
      this.isClosed[next.column] = 1;
      closed.push(next.column);
      this.relax(this.rowOf[next.column] ?? start, next.distance, end);
    }
    this.reprice(start, closed, end.length);
    this.flip(start, end);
    for (const column of this.reached) this.distance[column] = Infinity;
    for (const column of closed) this.isClosed[column] = 0;
    this.reached = [];
    this.heap.clear();
  }

  private relax(row: number, length: number, end: PathEnd): void {
    const base = length - (this.rowPrice[row] ?? 0);
    if (base + ALONE < end.length) setEnd(end, base + ALONE, row, -1);
    const columns = this.candidates.columns[row] ?? [];
    const similarities = this.candidates.similarities[row] ?? [];
    this.work += columns.length;
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at] ?? 0;
      const through = base + ALONE - (similarities[at] ?? 0) - (this.columnPrice[column] ?? 0);
      const known = this.distance[column] ?? Infinity;
      if (through >= known || through >= end.length || this.isClosed[column] === 1) continue;
      if (known === Infinity) this.reached.push(column);
      this.distance[column] = through;
      this.rowBefore[column] = row;
      if (this.rowOf[column] === -1) setEnd(end, through, row, column);
      else this.heap.push(through, column);
    }
  }

  private reprice(start: number, closed: readonly number[], length: number): void {
    const { rowPrice, columnPrice, distance, rowOf } = this;
    rowPrice[start] = (rowPrice[start] ?? 0) + length;
    for (const column of closed) {
      const slack = length - (distance[column] ?? 0);
      const row = rowOf[column] ?? 0;
      rowPrice[row] = (rowPrice[row] ?? 0) + slack;
      columnPrice[column] = (columnPrice[column] ?? 0) - slack;
    }
  }

  private flip(start: number, end: PathEnd): void {
    let column = end.column;
    if (column < 0) {
      if (end.row === start) return;
      column = this.columnOf[end.row] ?? -1;
      this.columnOf[end.row] = -1;
    }
    flipPath(this, start, column);
  }
}

/** A binary heap of columns by distance. A column may be in it several times. */
class ColumnHeap {
  private readonly distances: number[] = [];
  private readonly columns: number[] = [];

  push(distance: number, column: number): void {
    const { distances, columns } = this;
    let at = distances.length;
    for (; at > 0; at = (at - 1) >> 1) {
      const above = (at - 1) >> 1;
      if ((distances[above] ?? 0) <= distance) break;
      distances[at] = distances[above] ?? 0;
      columns[at] = columns[above] ?? 0;
    }
    distances[at] = distance;
    columns[at] = column;
  }

  pop(): { distance: number; column: number } | undefined {
    const { distances, columns } = this;
    const [distance, column] = [distances[0], columns[0]];
    if (distance === undefined || column === undefined) return undefined;
    const [last = 0, lastColumn = 0] = [distances.pop(), columns.pop()];
    if (distances.length > 0) this.sink(last, lastColumn);
    return { distance, column };
  }

  clear(): void {
    this.distances.length = 0;
    this.columns.length = 0;
  }

  private sink(distance: number, column: number): void {
    const { distances, columns } = this;
    let at = 0;
    for (let below = 1; below < distances.length; below = 2 * at + 1) {
      if ((distances[below + 1] ?? Infinity) < (distances[below] ?? Infinity)) below++;
      if ((distances[below] ?? Infinity) >= distance) break;
      distances[at] = distances[below] ?? 0;
      columns[at] = columns[below] ?? 0;
      at = below;
    }
    distances[at] = distance;
    columns[at] = column;
  }
}
