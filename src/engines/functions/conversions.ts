import { polygonBitmap } from '../annotations/rasterize.js';
import { TooManyCrossings } from '../annotations/polygon-crossings.js';
import { maskPointsOf, TooManyRuns } from '../annotations/run-bitmap.js';
import { maskBitmap } from '../../shared/annotations/mask.js';
import { maskOutlines } from '../../shared/annotations/mask-outlines.js';
import { MASK_BOX, type Shape } from '../../shared/annotations/model.js';

/** Maximum width × height of a mask that a polygon becomes. */
const MAX_PIXELS = 100_000_000;

/**
 * Converts a mask to polygons, or a polygon to a mask, if the label of the task has that type.
 * @returns the shape itself for other types; undefined if it cannot be converted
 */
export function fittingShapes(shape: Shape, labelType: string): Shape[] | undefined {
  if (shape.type === 'mask' && labelType === 'polygon') return polygonsOf(shape);
  if (shape.type === 'polygon' && labelType === 'mask') return masksOf(shape);
  return [shape];
}

/** A polygon for each region of a mask. */
function polygonsOf(mask: Shape): Shape[] | undefined {
  const [left = 0, top = 0, right = 0, bottom = 0] = mask.points.slice(-MASK_BOX);
  const bitmap = maskBitmap(mask.points, { left, top, right, bottom });
  return bitmap && maskOutlines(bitmap)?.map((points): Shape => ({ ...mask, type: 'polygon', points }));
}

/** No mask if the polygon contains no pixels. @returns undefined if it is too large */
function masksOf(polygon: Shape): Shape[] | undefined {
  const [width, height] = [0, 1].map((start) => extentOf(polygon.points, start)) as [number, number];
  if (width * height > MAX_PIXELS) return undefined;
  try {
    const bitmap = polygonBitmap(polygon.points, { width, height });
    return bitmap === undefined ? [] : [{ ...polygon, type: 'mask', points: maskPointsOf(bitmap) }];
  } catch (error) {
    if (error instanceof TooManyCrossings || error instanceof TooManyRuns) return undefined;
    throw error;
  }
}

/** @param start 0 for x, 1 for y */
const extentOf = (points: readonly number[], start: number): number =>
  points.reduce((end, value, at) => (at % 2 === start ? Math.max(end, Math.ceil(value)) : end), 1);
