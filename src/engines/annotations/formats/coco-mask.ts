import {
  type Bitmap,
  type Box,
  contentBox,
  eachForeground,
  emptyBitmap,
  maskBitmap,
  pixelCount,
  Runs,
} from '../../../shared/annotations/mask.js';

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

/**
 * @param points row-wise runs within a box, followed by the box, as masks are stored
 * @returns the part within the image; undefined if there is none
 */
export function toCocoMask(points: readonly number[], width: number, height: number): CocoMask | undefined {
  const bitmap = maskBitmap(points, { left: 0, top: 0, right: width - 1, bottom: height - 1 });
  const box = bitmap && contentBox(bitmap);
  if (bitmap === undefined || box === undefined) return undefined;
  const runs = new Runs();
  runs.add(0, bitmap.left * height);
  for (let x = 0; x < bitmap.width; x++) {
    runs.add(0, bitmap.top);
    for (let y = 0; y < bitmap.height; y++) runs.add(bitmap.pixels[y * bitmap.width + x] ?? 0, 1);
    runs.add(0, height - 1 - bitmap.bottom);
  }
  runs.add(0, (width - 1 - bitmap.right) * height);
  const area = pixelCount(bitmap);
  const bbox: CocoMask['bbox'] = [box.left, box.top, box.right - box.left + 1, box.bottom - box.top + 1];
  return { rle: { size: [height, width], counts: runs.lengths }, area, bbox };
}

/**
 * @param rle whose counts add up to its size, see {@link rleFault}
 * @returns the pixels of the smallest enclosing box; undefined if there is no foreground
 */
export function fromCocoRle({ size: [height], counts }: CocoRle): Bitmap | undefined {
  const box = columnsBox(counts, height);
  if (box === undefined) return undefined;
  const bitmap = emptyBitmap(box);
  eachForeground(counts, (start, end) => {
    for (let at = start; at < end; at++) {
      const x = Math.floor(at / height);
      bitmap.pixels[((at % height) - box.top) * bitmap.width + x - box.left] = 1;
    }
  });
  return bitmap;
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

function columnsBox(counts: readonly number[], height: number): Box | undefined {
  const box = new Extent();
  eachForeground(counts, (start, end) => {
    const [first, last] = [Math.floor(start / height), Math.floor((end - 1) / height)];
    // A run that continues in the next column covers the lowest and the highest row.
    box.add(first, first === last ? start % height : 0);
    box.add(last, first === last ? (end - 1) % height : height - 1);
  });
  return box.found();
}

class Extent {
  private readonly box: Box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };

  add(x: number, y: number): void {
    const { box } = this;
    box.left = Math.min(box.left, x);
    box.top = Math.min(box.top, y);
    box.right = Math.max(box.right, x);
    box.bottom = Math.max(box.bottom, y);
  }

  found(): Box | undefined {
    return this.box.left <= this.box.right ? this.box : undefined;
  }
}
