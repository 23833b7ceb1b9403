import { Runs } from '../../../shared/annotations/mask.js';
import { eachRow, type ImageSize } from '../rasterize.js';
import { areaOf, eachRunOf, RunCollector, type RunBitmap } from '../run-bitmap.js';

/** COCO's uncompressed run lengths: of the entire image, column by column, starting with background. */
export interface CocoRle {
  /** Height and width in pixels. */
  size: [number, number];
  counts: number[];
}

export interface CocoMask {
  rle: CocoRle;
  /** In pixels. */
  area: number;
  /** Left, top, width, height. */
  bbox: [number, number, number, number];
}

/** The pixels of a mask, column by column. */
export function toCocoMask(bitmap: RunBitmap, { width, height }: ImageSize): CocoMask {
  const { left, top, right, bottom } = bitmap;
  const positions: number[] = [];
  eachRunOf(bitmap, (row, start, end) => positions.push(row * width + start, row * width + end));
  // Rows and columns change places.
  const columns = new RunCollector();
  eachRow(positions, { width: height, height: width }, columns.add);
  const counts = new Runs();
  let position = 0;
  eachRunOf(columns.bitmap() ?? bitmap, (column, start, end) => {
    counts.add(0, column * height + start - position);
    counts.add(1, end - start);
    position = column * height + end;
  });
  counts.add(0, width * height - position);
  const bbox: CocoMask['bbox'] = [left, top, right - left + 1, bottom - top + 1];
  return { rle: { size: [height, width], counts: counts.lengths }, area: areaOf(bitmap), bbox };
}

/**
 * @param rle whose counts add up to its size, see {@link rleFault}
 * @returns undefined if there is no foreground
 * @throws TooManyRuns
 */
export function fromCocoRle({ size: [height, width], counts }: CocoRle): RunBitmap | undefined {
  const positions: number[] = [];
  let at = 0;
  for (const [index, count] of counts.entries()) {
    if (index % 2 === 1 && count > 0) positions.push(at, at + count);
    at += count;
  }
  const runs = new RunCollector();
  eachRow(positions, { width, height }, runs.add);
  return runs.bitmap();
}

/** @returns what is wrong with the run lengths, or undefined */
export function rleFault({ size: [height, width], counts }: CocoRle): string | undefined {
  let sum = 0;
  for (const count of counts) {
    if (!Number.isInteger(count) || count < 0) return 'a run length is not a whole number of pixels';
    sum += count;
  }
  return sum === height * width ? undefined : `run lengths add up to ${sum} pixels, not to ${height} x ${width}`;
}

/**
 * Decodes COCO's compressed run lengths. A number consists of groups of 5 bits, lowest first, one character per group
 * starting at `0`. Bit 6 of a group marks that another follows; the highest bit of the last group is the sign. From the
 * fourth number on, each is the difference to the number two before it (pycocotools, `rleFrString`).
 * @returns undefined if the text is malformed
 */
export function decompressCounts(text: string): number[] | undefined {
  const counts: number[] = [];
  for (let at = 0; at < text.length;) {
    let value = 0;
    for (let factor = 1; ; factor *= 32) {
      const group = text.charCodeAt(at++) - 48;
      if (!(group >= 0 && group < 64) || factor > 2 ** 40) return undefined;
      value += (group & 31) * factor;
      if ((group & 32) !== 0) continue;
      if ((group & 16) !== 0) value -= factor * 32;
      break;
    }
    counts.push(counts.length > 2 ? value + (counts.at(-2) ?? 0) : value);
  }
  return counts;
}

/** The inverse of {@link decompressCounts} (pycocotools, `rleToString`). */
export function compressCounts(counts: readonly number[]): string {
  let text = '';
  for (const [at, count] of counts.entries()) {
    let value = at > 2 ? count - (counts[at - 2] ?? 0) : count;
    for (let hasMore = true; hasMore;) {
      const group = value & 31;
      value = (value - group) / 32;
      hasMore = (group & 16) === 0 ? value !== 0 : value !== -1;
      text += String.fromCharCode((hasMore ? group | 32 : group) + 48);
    }
  }
  return text;
}
