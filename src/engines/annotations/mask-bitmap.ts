import { MASK_BOX } from './points-layout.js';

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
 * Draws what of a mask lies within `limit`; the box of the mask may be far larger than any image.
 * @param points runs row by row within a box, background first, then the box: left, top, right, bottom
 * @returns undefined when nothing of the box lies within
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
  eachForeground(points.slice(0, -MASK_BOX), (start, end) => {
    const firstRow = Math.max(Math.floor(start / stride), box.top - top);
    const lastRow = Math.min(Math.floor((end - 1) / stride), box.bottom - top);
    for (let row = firstRow; row <= lastRow; row++) {
      const from = Math.max(start - row * stride + left, box.left) - box.left;
      const to = Math.min(end - row * stride + left, box.right + 1) - box.left;
      const at = (row + top - box.top) * bitmap.width;
      if (from < to) bitmap.pixels.fill(1, at + from, at + to);
    }
  });
  return bitmap;
}

/** Calls back with start and end (exclusive) of every run of foreground. */
export function eachForeground(counts: readonly number[], found: (start: number, end: number) => void): void {
  let at = 0;
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i] ?? 0;
    if (i % 2 === 1 && count > 0) found(at, at + count);
    at += count;
  }
}
