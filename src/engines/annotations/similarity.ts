import type { ShapeType } from '../../shared/annotations/model.js';
import type { Span } from './extent-index.js';

/** The part of an annotation that is compared when two jobs annotate the same frame. */
export interface Outline {
  type: ShapeType;
  points: readonly number[];
}

export interface SimilarityOptions {
  is3d: boolean;
  atLeast: number;
}

/**
 * Similarity of two shapes of one label, 0..1: overlap of rectangles (ignoring rotation) and polygons, and of top and
 * side view of cuboids in 3d; 0 for other types.
 * @param options.atLeast smaller results may be returned as 0, which saves the exact area of most pairs of polygons
 */
export function shapeSimilarity(a: Outline, b: Outline, options: SimilarityOptions): number {
  if (a.type !== b.type) return 0;
  switch (a.type) {
    case 'rectangle':
      return boxIou(a.points, b.points);
    case 'polygon':
      return polygonSimilarity(a.points, b.points, options.atLeast);
    case 'cuboid':
      return options.is3d
        ? boxIou(topView(a.points), topView(b.points)) * boxIou(sideView(a.points), sideView(b.points))
        : 0;
    default:
      return 0;
  }
}

/**
 * @returns the extent of a shape along x; shapes whose extents do not overlap are not similar. Undefined for types that
 * are never similar.
 */
export function horizontalExtent(shape: Outline, is3d: boolean): Span | undefined {
  if (shape.type === 'rectangle' || shape.type === 'polygon') return spanOf(shape.points, 0);
  return shape.type === 'cuboid' && is3d ? spanOf(topView(shape.points), 0) : undefined;
}

/** Intersection over union of two boxes given by opposite corners; 1 for equal boxes, even without area. */
function boxIou(a: readonly number[], b: readonly number[]): number {
  const shared = boxIntersection(a, b);
  const union = boxArea(a) + boxArea(b) - shared;
  if (union > 0) return shared / union;
  return a.every((value, i) => value === b[i]) ? 1 : 0;
}

/** The area that the bounding boxes of two lists of points share. */
function boxIntersection(a: readonly number[], b: readonly number[]): number {
  const [ax, ay, bx, by] = [spanOf(a, 0), spanOf(a, 1), spanOf(b, 0), spanOf(b, 1)];
  const width = Math.min(ax.high, bx.high) - Math.max(ax.low, bx.low);
  const height = Math.min(ay.high, by.high) - Math.max(ay.low, by.low);
  return width > 0 && height > 0 ? width * height : 0;
}

function boxArea(points: readonly number[]): number {
  const [x, y] = [spanOf(points, 0), spanOf(points, 1)];
  return (x.high - x.low) * (y.high - y.low);
}

/** The extent of x (axis 0) or y (axis 1) of a flat list of points. */
function spanOf(points: readonly number[], axis: 0 | 1): Span {
  let [low, high] = [Infinity, -Infinity];
  for (let i = axis; i < points.length; i += 2) {
    low = Math.min(low, points[i] ?? Infinity);
    high = Math.max(high, points[i] ?? -Infinity);
  }
  return { low, high };
}

function polygonSimilarity(a: readonly number[], b: readonly number[], atLeast: number): number {
  if (a.length === b.length && a.every((value, i) => value === b[i])) return 1;
  const shared = boxIntersection(a, b);
  // The intersection is within that of the boxes, and the union is no smaller than the larger polygon.
  if (shared === 0 || shared < atLeast * Math.max(areaOf(a), areaOf(b))) return 0;
  return polygonIou(a, b);
}

/** Area by the shoelace formula; smaller than the true area of self-intersecting outlines. */
function areaOf(points: readonly number[]): number {
  let twice = 0;
  for (let i = 0; i < points.length; i += 2) {
    const next = (i + 2) % points.length;
    twice += (points[i] ?? 0) * (points[next + 1] ?? 0) - (points[next] ?? 0) * (points[i + 1] ?? 0);
  }
  return Math.abs(twice) / 2;
}

/** x and y of a 3d cuboid: centre in numbers 0..2, size in 6..8. */
function topView(points: readonly number[]): number[] {
  return view(points, 1);
}

function sideView(points: readonly number[]): number[] {
  return view(points, 2);
}

function view(points: readonly number[], axis: 1 | 2): number[] {
  const [u, v] = [points[0] ?? 0, points[axis] ?? 0];
  const [width, height] = [(points[6] ?? 0) / 2, (points[6 + axis] ?? 0) / 2];
  return [u - width, v - height, u + width, v + height];
}

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
