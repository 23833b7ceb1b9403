import { eachForeground } from '../../shared/annotations/mask.js';
import { MASK_BOX } from '../../shared/annotations/model.js';
import { polygonCrossings } from './polygon-crossings.js';
import { RunCollector, type RowRunFound, type RunBitmap } from './run-bitmap.js';

/** Width and height of an image in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * The pixels of a polygon, see {@link polygonCrossings}.
 * @param points x1, y1, x2, y2 … in pixels
 * @param spend receives the number of crossings
 * @returns undefined if no pixel of the image is inside
 * @throws TooManyCrossings, TooManyRuns
 */
export function polygonBitmap(
  points: readonly number[],
  size: ImageSize,
  spend: (crossings: number) => void = () => undefined,
): RunBitmap | undefined {
  const crossings = polygonCrossings(points, size.width, size.height);
  spend(crossings.length);
  const runs = new RunCollector();
  eachRow(crossings, size, runs.add);
  return runs.bitmap();
}

/**
 * Turns runs down the columns into runs along the rows, or the other way round. A run begins or ends in the rows in which a
 * column differs from the one before.
 * @param positions column * height + row at which the pixels change, ascending; the last run may have no end
 * @param found receives the runs of each row from left to right, but the rows in any order
 */
export function eachRow(positions: ArrayLike<number>, { width, height }: ImageSize, found: RowRunFound): void {
  const runs = { positions, length: positions.length + (positions.length % 2), end: width * height };
  const starts = new Int32Array(height).fill(-1);
  let [before, rows]: [number[], number[]] = [[], []];
  let at = 0;
  let column = Math.floor((positions[0] ?? 0) / height);
  do {
    at = rowsOfColumn(runs, at, column * height, height, rows);
    eachDifference(before, rows, (row) => {
      const start = starts[row] ?? -1;
      if (start !== -1) found(row, start, column);
      starts[row] = start === -1 ? column : -1;
    });
    [before, rows] = [rows, before];
    column++;
  } while (before.length > 0 || at < runs.length);
}

/** Positions at which runs begin and end, in turns. */
interface ColumnRuns {
  readonly positions: ArrayLike<number>;
  /** An even number. */
  readonly length: number;
  /** Where the last run ends if the positions do not say so. */
  readonly end: number;
}

/**
 * @param at of the first run that may be in the column
 * @param top position of the first pixel of the column
 * @param rows receives the rows at which runs begin and end
 * @returns where the runs of the next column begin
 */
function rowsOfColumn(runs: ColumnRuns, at: number, top: number, height: number, rows: number[]): number {
  rows.length = 0;
  const bottom = top + height;
  for (let next = at; ; next += 2) {
    if (next >= runs.length) return next;
    const [start, end] = [runs.positions[next] ?? runs.end, runs.positions[next + 1] ?? runs.end];
    if (start >= bottom) return next;
    rows.push(Math.max(start, top) - top, Math.min(end, bottom) - top);
    if (end > bottom) return next;
  }
}

/** Calls back with each row that is in the runs of one column, but not in those of the other. */
function eachDifference(a: readonly number[], b: readonly number[], found: (row: number) => void): void {
  let [i, j] = [0, 0];
  const next = (): number => ((a[i] ?? Infinity) <= (b[j] ?? Infinity) ? a[i++] : b[j++]) ?? 0;
  while (i < a.length || j < b.length) {
    const start = next();
    const end = next();
    for (let row = start; row < end; row++) found(row);
  }
}

/**
 * The pixels of a mask within an image; the box of the mask may be far larger.
 * @param points runs row by row within a box, background first, then the box: left, top, right, bottom
 * @throws TooManyRuns
 */
export function maskBitmap(points: readonly number[], { width, height }: ImageSize): RunBitmap | undefined {
  const [left = 0, top = 0, right = 0] = points.slice(-MASK_BOX);
  const stride = right - left + 1;
  const runs = new RunCollector();
  const add = (start: number, end: number): void => {
    const firstRow = Math.max(Math.floor(start / stride), -top);
    const lastRow = Math.min(Math.floor((end - 1) / stride), height - 1 - top);
    for (let row = firstRow; row <= lastRow; row++) {
      const from = Math.max(start - row * stride, 0) + left;
      const to = Math.min(end - row * stride, stride) + left;
      if (Math.max(from, 0) < Math.min(to, width)) runs.add(row + top, Math.max(from, 0), Math.min(to, width));
    }
  };
  eachForeground(points, add, points.length - MASK_BOX);
  return runs.bitmap();
}
