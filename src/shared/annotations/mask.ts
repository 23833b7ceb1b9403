import { MASK_BOX } from './model.js';

/** Inclusive. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Pixels of a box, row by row, 1 for foreground. */
export interface Bitmap extends Box {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** A box without foreground. */
export function emptyBitmap(box: Box): Bitmap {
  const [width, height] = [box.right - box.left + 1, box.bottom - box.top + 1];
  return { ...box, width, height, pixels: new Uint8Array(width * height) };
}

/**
 * Draws the part of a mask within `limit`; the box of the mask may be far larger than any image.
 * @param points runs row by row within a box, background first, then the box: left, top, right, bottom
 * @returns undefined if the box is outside
 */
export function maskBitmap(points: readonly number[], limit: Box): Bitmap | undefined {
  const [left = 0, top = 0, right = 0, bottom = 0] = points.slice(-MASK_BOX);
  const stride = right - left + 1;
  const box = {
    left: Math.max(left, limit.left),
    top: Math.max(top, limit.top),
    right: Math.min(right, limit.right),
    bottom: Math.min(bottom, limit.bottom),
  };
  if (box.left > box.right || box.top > box.bottom) return undefined;
  const bitmap = emptyBitmap(box);
  const add = (start: number, end: number): void => {
    const firstRow = Math.max(Math.floor(start / stride), box.top - top);
    const lastRow = Math.min(Math.floor((end - 1) / stride), box.bottom - top);
    for (let row = firstRow; row <= lastRow; row++) {
      const from = Math.max(start - row * stride + left, box.left) - box.left;
      const to = Math.min(end - row * stride + left, box.right + 1) - box.left;
      const at = (row + top - box.top) * bitmap.width;
      if (from < to) bitmap.pixels.fill(1, at + from, at + to);
    }
  };
  eachForeground(points, add, points.length - MASK_BOX);
  return bitmap;
}

/** Calls back with start and end (exclusive) of every run of foreground. @param length the number of runs */
export function eachForeground(
  counts: readonly number[],
  found: (start: number, end: number) => void,
  length = counts.length,
): void {
  let at = 0;
  for (let i = 0; i < length; i++) {
    const count = counts[i] ?? 0;
    if (i % 2 === 1 && count > 0) found(at, at + count);
    at += count;
  }
}

/** Lengths of alternating runs, starting with background. */
export class Runs {
  readonly lengths: number[] = [0];
  private current = 0;

  add(pixel: number, count: number): void {
    if (count === 0) return;
    if (pixel !== this.current) {
      this.lengths.push(0);
      this.current = pixel;
    }
    this.lengths[this.lengths.length - 1] = (this.lengths.at(-1) ?? 0) + count;
  }
}

/** The points of a mask: row-wise runs, followed by the box. */
export function maskPoints({ pixels, left, top, right, bottom }: Bitmap): number[] {
  const runs = new Runs();
  for (let at = 0, pixel = 0; at < pixels.length; pixel = 1 - pixel) {
    const end = pixels.indexOf(1 - pixel, at);
    const next = end === -1 ? pixels.length : end;
    runs.add(pixel, next - at);
    at = next;
  }
  return [...runs.lengths, left, top, right, bottom];
}

/** @returns the smallest box around the foreground; undefined if there is none */
export function contentBox({ left, top, width, height, pixels }: Bitmap): Box | undefined {
  const box: Box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let y = 0; y < height; y++) {
    const row = pixels.subarray(y * width, (y + 1) * width);
    const first = row.indexOf(1);
    if (first === -1) continue;
    box.left = Math.min(box.left, left + first);
    box.right = Math.max(box.right, left + row.lastIndexOf(1));
    box.top = Math.min(box.top, top + y);
    box.bottom = top + y;
  }
  return box.bottom === -Infinity ? undefined : box;
}

/** The pixels within a box that lies in the bitmap. */
export function partOf(bitmap: Bitmap, box: Box): Bitmap {
  const part = emptyBitmap(box);
  for (let y = 0; y < part.height; y++) {
    const from = (box.top - bitmap.top + y) * bitmap.width + box.left - bitmap.left;
    part.pixels.set(bitmap.pixels.subarray(from, from + part.width), y * part.width);
  }
  return part;
}

/** The points of a bitmap within the smallest box; undefined if it is empty. */
export function trimmedPoints(bitmap: Bitmap): number[] | undefined {
  const box = contentBox(bitmap);
  return box && maskPoints(partOf(bitmap, box));
}

/** The box of all pixels of an image. */
export const boxOfImage = ({ width, height }: { readonly width: number; readonly height: number }): Box => ({
  left: 0,
  top: 0,
  right: width - 1,
  bottom: height - 1,
});
