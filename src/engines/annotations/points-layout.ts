import type { ShapeType } from './model.js';

/** How many trailing numbers of a mask are its box (left, top, right, bottom; inclusive). */
export const MASK_BOX = 4;

/**
 * Coordinates are at most this far from 0: more than any medium needs, and little enough for areas, distances and shapes
 * between keyframes to be finite numbers.
 */
export const MAX_COORDINATE = 1e15;

/** Is it a number that may be stored as a coordinate? */
export function isCoordinate(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_COORDINATE;
}

/**
 * Checks that a list of coordinates fits its shape type.
 * Cuboids have 8 corners in 2d, and position, rotation and size padded to the same 16 numbers in 3d.
 * @returns the error text, or undefined when the points are fine
 */
export function pointsFault(type: ShapeType, points: readonly number[]): string | undefined {
  if (!lengthFits(type, points.length)) return `invalid length for shape type '${type}'`;
  return type === 'mask' ? maskFault(points) : undefined;
}

function lengthFits(type: ShapeType, length: number): boolean {
  switch (type) {
    case 'rectangle':
    case 'ellipse':
      return length === 4;
    case 'polygon':
      return length >= 6 && length % 2 === 0;
    case 'polyline':
      return length >= 4 && length % 2 === 0;
    case 'points':
      return length >= 2 && length % 2 === 0;
    case 'cuboid':
      return length === 16;
    case 'mask':
      return length > MASK_BOX;
    case 'skeleton':
      return length === 0;
  }
}

/** Runs alternate background and foreground, row by row within the box, and must fill it exactly. */
function maskFault(points: readonly number[]): string | undefined {
  const runs = points.length - MASK_BOX;
  let sum = 0;
  for (let i = 0; i < runs; i++) {
    const run = points[i] ?? -1;
    if (!Number.isInteger(run) || run < 0) return `mask run ${i} must be a whole number of pixels`;
    sum += run;
  }
  const [left = NaN, top = NaN, right = NaN, bottom = NaN] = points.slice(runs);
  if (![left, top, right, bottom].every(Number.isInteger)) return 'the box of a mask must be whole numbers';
  if (right < left || bottom < top) return 'the box of a mask must have left <= right and top <= bottom';
  const area = (right - left + 1) * (bottom - top + 1);
  if (sum !== area) return `mask runs add up to ${sum} pixels, its box has ${area}`;
  return undefined;
}
