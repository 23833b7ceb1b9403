import { type Bitmap, type Box, emptyBitmap, Runs } from '../../shared/annotations/mask.js';

/**
 * The pixels of a shape as runs along the rows of an image, within the smallest box around them. A shape that covers an
 * image of a hundred million pixels has ten thousand runs.
 */
export interface RunBitmap extends Box {
  /** Of each run the row, the first column, and the column after it; from top to bottom and from left to right. */
  readonly runs: Int32Array;
}

/** Receives a run of pixels along a row: the row, its first column, and the column after it. */
export type RowRunFound = (row: number, start: number, end: number) => void;

/** The pixels of one shape have more runs than any object. The message is part of a sentence. */
export class TooManyRuns extends Error {
  override name = 'TooManyRuns';
}

/** The most runs of one shape: those of noise on four million pixels. They take 50 MB. */
const MAX_RUNS = 2 ** 22;

/** Collects the runs of a shape. Those of one row come from left to right. */
export class RunCollector {
  private runs = new Int32Array(48);
  private length = 0;
  private isSorted = true;

  /** @throws TooManyRuns */
  readonly add: RowRunFound = (row, start, end) => {
    const { runs, length } = this;
    if (length > 0 && runs[length - 3] === row && runs[length - 1] === start) {
      runs[length - 1] = end;
      return;
    }
    if (length > 0 && row < (runs[length - 3] ?? 0)) this.isSorted = false;
    if (length === runs.length) this.grow();
    this.runs[length] = row;
    this.runs[length + 1] = start;
    this.runs[length + 2] = end;
    this.length = length + 3;
  };

  /** @returns undefined if there are no pixels */
  bitmap(): RunBitmap | undefined {
    const runs = this.runs.slice(0, this.length);
    return bitmapOfRuns(this.isSorted ? runs : sortedByRow(runs));
  }

  private grow(): void {
    if (this.length >= 3 * MAX_RUNS) throw new TooManyRuns(`a mask has more than ${MAX_RUNS} runs of pixels`);
    const grown = new Int32Array(2 * this.runs.length);
    grown.set(this.runs);
    this.runs = grown;
  }
}

function bitmapOfRuns(runs: Int32Array): RunBitmap | undefined {
  if (runs.length === 0) return undefined;
  let [left, right] = [Infinity, -1];
  for (let at = 0; at < runs.length; at += 3) {
    left = Math.min(left, runs[at + 1] ?? 0);
    right = Math.max(right, (runs[at + 2] ?? 0) - 1);
  }
  return { left, top: runs[0] ?? 0, right, bottom: runs[runs.length - 3] ?? 0, runs };
}

/** Sorts runs by their row, and keeps the order of those in one row. */
function sortedByRow(runs: Int32Array): Int32Array {
  let [top, bottom] = [Infinity, -Infinity];
  for (let at = 0; at < runs.length; at += 3) {
    top = Math.min(top, runs[at] ?? 0);
    bottom = Math.max(bottom, runs[at] ?? 0);
  }
  const next = new Int32Array(bottom - top + 2);
  for (let at = 0; at < runs.length; at += 3) {
    const row = (runs[at] ?? 0) - top + 1;
    next[row] = (next[row] ?? 0) + 3;
  }
  for (let row = 1; row < next.length; row++) next[row] = (next[row] ?? 0) + (next[row - 1] ?? 0);
  const sorted = new Int32Array(runs.length);
  for (let at = 0; at < runs.length; at += 3) {
    const row = (runs[at] ?? 0) - top;
    const to = next[row] ?? 0;
    next[row] = to + 3;
    for (let part = 0; part < 3; part++) sorted[to + part] = runs[at + part] ?? 0;
  }
  return sorted;
}

/** Calls back with every run. */
export function eachRunOf({ runs }: RunBitmap, found: RowRunFound): void {
  for (let at = 0; at < runs.length; at += 3) found(runs[at] ?? 0, runs[at + 1] ?? 0, runs[at + 2] ?? 0);
}

/** The number of pixels. */
export function areaOf(bitmap: RunBitmap): number {
  let area = 0;
  eachRunOf(bitmap, (_, start, end) => (area += end - start));
  return area;
}

/** The pixels of all. @throws TooManyRuns */
export function unionOf(bitmaps: readonly RunBitmap[]): RunBitmap | undefined {
  const rows = new Map<number, [start: number, end: number][]>();
  for (const bitmap of bitmaps) {
    eachRunOf(bitmap, (row, start, end) => {
      const runs = rows.get(row);
      if (runs === undefined) rows.set(row, [[start, end]]);
      else runs.push([start, end]);
    });
  }
  const union = new RunCollector();
  for (const row of [...rows.keys()].sort((a, b) => a - b)) {
    const runs = (rows.get(row) ?? []).sort(([a], [b]) => a - b);
    let [first, last] = runs[0] ?? [0, 0];
    for (const [start, end] of runs) {
      if (start > last) {
        union.add(row, first, last);
        first = start;
      }
      last = Math.max(last, end);
    }
    union.add(row, first, last);
  }
  return union.bitmap();
}

/** The points of a mask: row-wise runs, followed by the box. */
export function maskPointsOf(bitmap: RunBitmap): number[] {
  const { left, top, right, bottom } = bitmap;
  const width = right - left + 1;
  const counts = new Runs();
  let position = 0;
  eachRunOf(bitmap, (row, start, end) => {
    const from = (row - top) * width + start - left;
    counts.add(0, from - position);
    counts.add(1, end - start);
    position = from + end - start;
  });
  counts.add(0, width * (bottom - top + 1) - position);
  return [...counts.lengths, left, top, right, bottom];
}

/** The same with one byte for each pixel of the box. */
export function toBitmap(bitmap: RunBitmap): Bitmap {
  const { left, top, right, bottom } = bitmap;
  const pixels = emptyBitmap({ left, top, right, bottom });
  eachRunOf(bitmap, (row, start, end) => {
    const first = (row - top) * pixels.width - left;
    pixels.pixels.fill(1, first + start, first + end);
  });
  return pixels;
}
