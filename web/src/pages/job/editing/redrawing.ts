import type { SketchedType } from './sketch';

/** An outline that the user redraws from one of its vertices on. */
export interface Redrawing {
  readonly type: SketchedType;
  /** The outline before. */
  readonly points: readonly number[];
  /** Index of the last vertex that stays. */
  readonly from: number;
}

/** The vertices that stay if the rest of the outline is drawn anew. */
export const keptPoints = ({ points, from }: Redrawing): number[] => points.slice(0, (from + 1) * 2);

/**
 * Joins a new part to a vertex of the outline before. Of a polyline, what follows the vertex stays. Of a polygon, that may
 * also be a vertex before the one where the new part starts.
 * @param drawn the vertices that stay, and the new ones
 * @param at index of the vertex
 * @returns the new outline, or undefined if the vertex is not one to end at
 */
export function joinedAt(
  { type, points, from }: Redrawing,
  drawn: readonly number[],
  at: number,
): number[] | undefined {
  if (at > from) return [...drawn, ...points.slice(at * 2)];
  return type === 'polygon' && at < from ? drawn.slice(at * 2) : undefined;
}

/** The vertex of the outline before at a position. @param reach maximum distance in pixels of the image */
export function vertexAt({ points }: Redrawing, x: number, y: number, reach: number): number | undefined {
  for (let i = 0; i < points.length; i += 2) {
    if (Math.hypot((points[i] ?? 0) - x, (points[i + 1] ?? 0) - y) <= reach) return i / 2;
  }
  return undefined;
}
