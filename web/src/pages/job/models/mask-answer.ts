import { type Bitmap, boxOfImage, emptyBitmap, maskBitmap, trimmedPoints } from '#shared/annotations/mask';
import type { Size } from '#shared/annotations/editing/geometry';
import { areNumbers, invalidAnswer, keysOf, listOf } from './checked-answer';

/** Rows of pixels; 0 and false are background. */
type Rows = readonly (readonly (number | boolean)[])[];

const NO_MASK = 'The function did not return a mask.';
/** The bounds, and at least one run. */
const MIN_POINTS = 5;

/**
 * Reads the answer of an interactor: rows of pixels, or shapes. Some answer with both.
 * @returns the points of a mask within the image; undefined if it is empty
 * @throws FunctionFailed if there is no valid mask in the answer
 */
export function maskOfAnswer(answer: unknown, image: Size): number[] | undefined {
  const { shapes, mask, bounds } = keysOf(answer);
  const found = listOf(shapes, NO_MASK).map(keysOf);
  const shape = found.find(({ type }) => type === 'mask');
  if (shape?.['points'] !== undefined) return cropped(checkedPoints(shape['points']), image);
  if (mask !== undefined && mask !== null) return pointsOfRows(checkedRows(mask), checkedBounds(bounds), image);
  if (Array.isArray(shapes) && found.length === 0) return undefined;
  throw invalidAnswer(NO_MASK);
}

function checkedPoints(points: unknown): readonly number[] {
  if (!areNumbers(points) || points.length < MIN_POINTS) throw invalidAnswer('The function returned an invalid mask.');
  return points;
}

function checkedRows(mask: unknown): Rows {
  const isRow = (row: unknown): boolean =>
    Array.isArray(row) && row.every((value) => typeof value === 'number' || typeof value === 'boolean');
  if (!Array.isArray(mask) || !mask.every(isRow)) throw invalidAnswer(NO_MASK);
  return mask as Rows;
}

/** @returns left, top, right and bottom of the rows, both inclusive. Without bounds, the rows are those of the image */
function checkedBounds(bounds: unknown): readonly number[] {
  if (bounds === undefined || bounds === null) return [0, 0];
  if (!areNumbers(bounds) || bounds.length !== 4)
    throw invalidAnswer('The function returned a mask with invalid bounds.');
  return bounds;
}

function cropped(points: readonly number[], image: Size): number[] | undefined {
  const bitmap = maskBitmap(points, boxOfImage(image));
  return bitmap && trimmedPoints(bitmap);
}

function pointsOfRows(rows: Rows, [left = 0, top = 0]: readonly number[], image: Size): number[] | undefined {
  const bitmap: Bitmap = emptyBitmap(boxOfImage(image));
  for (const [at, row] of rows.entries()) {
    const y = Math.round(top) + at;
    if (y < 0 || y >= image.height) continue;
    for (const [column, value] of row.entries()) {
      const x = Math.round(left) + column;
      if (Number(value) !== 0 && x >= 0 && x < image.width) bitmap.pixels[y * bitmap.width + x] = 1;
    }
  }
  return trimmedPoints(bitmap);
}
