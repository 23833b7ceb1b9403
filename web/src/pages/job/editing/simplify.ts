import simplify from 'simplify-js';
import type { Point } from '#shared/annotations/editing/geometry';

/** Removes vertices of a line that are within a distance of the simpler line. The first and the last one stay. */
export const simplifiedLine = (points: readonly Point[], tolerance: number): Point[] =>
  simplify([...points], tolerance, true);

/**
 * Removes vertices of a closed outline, given as a flat list, that are within a distance of the simpler outline. An outline
 * that is too small to be simplified stays.
 */
export function simplifiedOutline(outline: readonly number[], tolerance: number): number[] {
  const points = Array.from({ length: outline.length / 2 }, (_, at) => ({
    x: outline[at * 2] ?? 0,
    y: outline[at * 2 + 1] ?? 0,
  }));
  const [first] = points;
  if (first === undefined) return [];
  // The first vertex and the one farthest from it divide the outline into two lines.
  const distances = points.map(({ x, y }) => Math.hypot(x - first.x, y - first.y));
  const farthest = distances.indexOf(Math.max(...distances));
  const there = simplifiedLine(points.slice(0, farthest + 1), tolerance);
  const back = simplifiedLine([...points.slice(farthest), first], tolerance);
  const left = [...there, ...back.slice(1, -1)];
  return left.length < 3 ? [...outline] : left.flatMap(({ x, y }) => [x, y]);
}
