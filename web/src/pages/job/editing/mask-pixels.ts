import type { Size } from '#shared/annotations/editing/geometry';
import { type Bitmap, boxOfImage, emptyBitmap, maskBitmap, trimmedPoints } from '#shared/annotations/mask';

/** Sets the pixels of the foreground of a mask, where it overlaps the bitmap. */
export function drawMask(bitmap: Bitmap, points: readonly number[], pixel: 0 | 1): void {
  const mask = maskBitmap(points, bitmap);
  if (mask === undefined) return;
  for (let y = 0; y < mask.height; y += 1) {
    const at = (mask.top - bitmap.top + y) * bitmap.width + mask.left - bitmap.left;
    for (let x = 0; x < mask.width; x += 1) {
      if (mask.pixels[y * mask.width + x] === 1) bitmap.pixels[at + x] = pixel;
    }
  }
}

/**
 * Removes the pixels of another mask.
 * @returns 'same' if they do not overlap, undefined if nothing is left
 */
export function withoutPixels(
  points: readonly number[],
  removed: readonly number[],
  image: Size,
): number[] | 'same' | undefined {
  const bitmap = maskBitmap(points, boxOfImage(image));
  if (bitmap === undefined) return 'same';
  const before = bitmap.pixels.slice();
  drawMask(bitmap, removed, 0);
  return bitmap.pixels.every((pixel, at) => pixel === before[at]) ? 'same' : trimmedPoints(bitmap);
}

/** The pixels of several masks within the image; undefined if there are none. */
export function unionOfMasks(masks: readonly (readonly number[])[], image: Size): number[] | undefined {
  const bitmap = emptyBitmap(boxOfImage(image));
  for (const points of masks) drawMask(bitmap, points, 1);
  return trimmedPoints(bitmap);
}
