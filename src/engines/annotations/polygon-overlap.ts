/** Limits for the size of outlines and the number of crossings, so that a request ends in bounded time. */
const MAX_VERTICES = 1000;
const MAX_SLABS = 5000;

interface Edge {
  /** Left end; x1 < x2. Vertical edges enclose no area and are left out. */
  x1: number;
  y1: number;
  x2: number;
  y2: number;
  /** Whether the edge belongs to the second polygon. */
  second: boolean;
}

/**
 * Intersection over union of two polygons (even-odd rule), exact except for rounding: no edges cross between two
 * neighbouring x coordinates of vertices and crossings, so all areas there are trapezoids.
 * @param a, b flat lists x1, y1, x2, y2 …
 * @returns 0..1; also 0 for outlines above the limits
 */
export function polygonIou(a: readonly number[], b: readonly number[]): number {
  if (a.length + b.length > 2 * MAX_VERTICES) return 0;
  const edges = [...edgesOf(a, false), ...edgesOf(b, true)];
  const stops = slabs(edges);
  if (stops.length > MAX_SLABS) return 0;
  const total = { both: 0, either: 0 };
  for (let i = 1; i < stops.length; i++) addSlab(edges, stops[i - 1] ?? 0, stops[i] ?? 0, total);
  return total.either > 0 ? total.both / total.either : 0;
}

function edgesOf(points: readonly number[], second: boolean): Edge[] {
  const edges: Edge[] = [];
  for (let i = 0; i < points.length; i += 2) {
    const next = (i + 2) % points.length;
    const from = { x: points[i] ?? 0, y: points[i + 1] ?? 0 };
    const to = { x: points[next] ?? 0, y: points[next + 1] ?? 0 };
    const [left, right] = from.x <= to.x ? [from, to] : [to, from];
    if (left.x < right.x) edges.push({ x1: left.x, y1: left.y, x2: right.x, y2: right.y, second });
  }
  return edges;
}

function slabs(edges: readonly Edge[]): number[] {
  const stops: number[] = [];
  edges.forEach((edge, i) => {
    stops.push(edge.x1, edge.x2);
    for (let j = 0; j < i; j++) {
      const x = crossing(edge, edges[j] ?? edge);
      if (x !== undefined) stops.push(x);
    }
  });
  stops.sort((p, q) => p - q);
  return stops.filter((x, i) => x !== stops[i - 1]);
}

/** @returns x where two edges cross */
function crossing(a: Edge, b: Edge): number | undefined {
  const left = Math.max(a.x1, b.x1);
  const right = Math.min(a.x2, b.x2);
  if (left >= right) return undefined;
  const before = yAt(a, left) - yAt(b, left);
  const after = yAt(a, right) - yAt(b, right);
  return before * after < 0 ? left + ((right - left) * before) / (before - after) : undefined;
}

function yAt(edge: Edge, x: number): number {
  return edge.y1 + ((edge.y2 - edge.y1) * (x - edge.x1)) / (edge.x2 - edge.x1);
}

function addSlab(edges: readonly Edge[], left: number, right: number, total: { both: number; either: number }): void {
  const middle = (left + right) / 2;
  const width = right - left;
  const crossed = edges
    .filter((edge) => edge.x1 <= left && edge.x2 >= right)
    .map((edge) => ({ y: yAt(edge, middle), second: edge.second }))
    .sort((p, q) => p.y - q.y);
  let [inFirst, inSecond, previous] = [false, false, 0];
  for (const { y, second } of crossed) {
    const area = (y - previous) * width;
    if (inFirst && inSecond) total.both += area;
    if (inFirst || inSecond) total.either += area;
    if (second) inSecond = !inSecond;
    else inFirst = !inFirst;
    previous = y;
  }
}
