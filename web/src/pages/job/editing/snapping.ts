import type { Point } from '#shared/annotations/editing/geometry';
import type { SceneObject } from '../scene/scene';

/**
 * The position on the outline of an object to which a vertex snaps: the nearest vertex, or else the nearest position on an
 * edge. Masks, ellipses and points have no vertices.
 * @param reach maximum distance in pixels of the image
 */
export function snapTarget(objects: readonly SceneObject[], at: Point, reach: number): Point | undefined {
  const vertex = new Nearest(at, reach);
  const edge = new Nearest(at, reach);
  for (const { bounds, drawings } of objects) {
    if (bounds === undefined) continue;
    const isFar =
      at.x < bounds.left - reach ||
      at.x > bounds.right + reach ||
      at.y < bounds.top - reach ||
      at.y > bounds.bottom + reach;
    if (isFar) continue;
    for (const drawing of drawings) {
      if (drawing.kind !== 'path') continue;
      const { points, closed } = drawing;
      for (let i = 0; i < points.length; i += 2) {
        const start = { x: points[i] ?? 0, y: points[i + 1] ?? 0 };
        vertex.add(start);
        if (i + 2 < points.length || closed) edge.add(onEdge(start, points, (i + 2) % points.length, at));
      }
    }
  }
  return vertex.found ?? edge.found;
}

/** The nearest of several positions. */
class Nearest {
  found: Point | undefined;

  constructor(
    private readonly to: Point,
    private distance: number,
  ) {}

  add(position: Point): void {
    const distance = Math.hypot(position.x - this.to.x, position.y - this.to.y);
    if (distance > this.distance) return;
    this.distance = distance;
    this.found = position;
  }
}

/** The position on an edge that is nearest to another one. @param end index of the x where the edge ends */
function onEdge({ x, y }: Point, points: readonly number[], end: number, at: Point): Point {
  const [dx, dy] = [(points[end] ?? 0) - x, (points[end + 1] ?? 0) - y];
  const along = Math.max(0, Math.min(1, ((at.x - x) * dx + (at.y - y) * dy) / (dx * dx + dy * dy || 1)));
  return { x: x + along * dx, y: y + along * dy };
}
