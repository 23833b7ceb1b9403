import type { RowRunFound } from '../../run-bitmap.js';

/**
 * The pixels of an image that nothing has been painted on. Whoever paints from the highest layer to the lowest paints every
 * pixel once, however many shapes are on top of each other.
 */
export class FreeSpans {
  /** Of each row, where free pixels begin and end, in turns; undefined if all are free. */
  private readonly rows: (number[] | undefined)[];

  constructor(
    private readonly width: number,
    height: number,
  ) {
    this.rows = Array.from({ length: height }, () => undefined);
  }

  /** Takes the pixels of a run that are free. */
  take(row: number, start: number, end: number, found: RowRunFound): void {
    const spans = this.rows[row] ?? (this.rows[row] = [0, this.width]);
    const first = firstEndingAfter(spans, start);
    const left: number[] = [];
    let at = first;
    for (; at < spans.length && (spans[at] ?? 0) < end; at += 2) {
      const [from, to] = [spans[at] ?? 0, spans[at + 1] ?? 0];
      found(row, Math.max(from, start), Math.min(to, end));
      if (from < start) left.push(from, start);
      if (to > end) left.push(end, to);
    }
    if (at > first) spans.splice(first, at - first, ...left);
  }
}

/** @returns the position of the first span that ends after a column */
function firstEndingAfter(spans: readonly number[], column: number): number {
  let [low, high] = [0, spans.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[2 * middle + 1] ?? Infinity) <= column) low = middle + 1;
    else high = middle;
  }
  return 2 * low;
}
