import { MASK_BOX } from '#shared/annotations/model';
import type { Bounds, Drawing } from './drawing';
import type { SceneObject } from './scene';

/**
 * Finds the objects at a position: the topmost layer first, and within it the smallest object, so that nested objects can
 * be selected.
 * @param tolerance maximum distance from a line or a point, in pixels of the image
 */
export const objectsAt = (objects: readonly SceneObject[], x: number, y: number, tolerance: number): SceneObject[] =>
  objects
    .filter(
      ({ bounds, drawings }) =>
        bounds !== undefined &&
        contains(bounds, x, y, tolerance) &&
        drawings.some((drawing) => touches(drawing, x, y, tolerance)),
    )
    .sort((a, b) => b.zOrder - a.zOrder || areaOf(a.bounds) - areaOf(b.bounds));

const areaOf = (bounds: Bounds | undefined): number =>
  bounds === undefined ? Infinity : (bounds.right - bounds.left) * (bounds.bottom - bounds.top);

const contains = ({ left, top, right, bottom }: Bounds, x: number, y: number, tolerance: number): boolean =>
  x >= left - tolerance && x <= right + tolerance && y >= top - tolerance && y <= bottom + tolerance;

/** Whether a position is on a drawing, or inside it if it is filled. */
export function touches(drawing: Drawing, x: number, y: number, tolerance: number): boolean {
  switch (drawing.kind) {
    case 'path':
      return (
        (drawing.filled && insidePolygon(drawing.points, x, y)) ||
        distanceToPath(drawing.points, drawing.closed, x, y) <= tolerance
      );
    case 'ellipse': {
      const { cx, cy, rx, ry, angle } = drawing;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const [dx, dy] = [(x - cx) * cos + (y - cy) * sin, (y - cy) * cos - (x - cx) * sin];
      return (dx / (rx + tolerance)) ** 2 + (dy / (ry + tolerance)) ** 2 <= 1;
    }
    case 'dots':
      return distanceToDots(drawing.points, x, y) <= tolerance;
    case 'mask':
      return maskHas(drawing.points, x, y);
  }
}

/** By the even-odd rule. */
export function insidePolygon(points: readonly number[], x: number, y: number): boolean {
  let inside = false;
  for (let i = 0, j = points.length - 2; i < points.length; j = i, i += 2) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [points[i], points[i + 1], points[j], points[j + 1]];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

/** @returns the distance to the nearest line of a path */
export function distanceToPath(points: readonly number[], closed: boolean, x: number, y: number): number {
  let best = Infinity;
  const last = points.length - 2;
  for (let i = 0; i < (closed ? points.length : last); i += 2) {
    best = Math.min(best, distanceToEdge(points, i, x, y));
  }
  return best;
}

/** @param from index of the x of the vertex where the edge starts; the last edge ends at the first vertex */
export function distanceToEdge(points: readonly number[], from: number, x: number, y: number): number {
  const to = from === points.length - 2 ? 0 : from + 2;
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = [points[from], points[from + 1], points[to], points[to + 1]];
  const [dx, dy] = [x2 - x1, y2 - y1];
  const length = dx * dx + dy * dy;
  const at = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length));
  return Math.hypot(x - x1 - at * dx, y - y1 - at * dy);
}

function distanceToDots(points: readonly number[], x: number, y: number): number {
  let best = Infinity;
  for (let i = 0; i < points.length; i += 2)
    best = Math.min(best, Math.hypot(x - (points[i] ?? 0), y - (points[i + 1] ?? 0)));
  return best;
}

/** Whether the pixel at a position belongs to a mask. */
export function maskHas(points: readonly number[], x: number, y: number): boolean {
  const runs = points.length - MASK_BOX;
  const [left = 0, top = 0, right = -1, bottom = -1] = points.slice(runs);
  const [column, row] = [Math.floor(x) - left, Math.floor(y) - top];
  if (column < 0 || row < 0 || column > right - left || row > bottom - top) return false;
  const wanted = row * (right - left + 1) + column;
  let at = 0;
  for (let i = 0; i < runs; i++) {
    at += points[i] ?? 0;
    if (wanted < at) return i % 2 === 1;
  }
  return false;
}
