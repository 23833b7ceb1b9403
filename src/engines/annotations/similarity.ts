import type { Box } from '../../shared/annotations/mask.js';
import type { ShapeType } from '../../shared/annotations/model.js';
import { polygonIou, type Spend } from './polygon-iou.js';

/** The part of an annotation that is compared when two jobs annotate the same frame. */
export interface Outline {
  readonly type: ShapeType;
  readonly points: readonly number[];
}

/** A shape with what is needed to compare it with many others. */
export interface Measured extends Outline {
  /** Of a cuboid in space, the top view. */
  readonly box: Box;
  /** Only of cuboids in space. */
  readonly side: Box | undefined;
  /** Of a polygon, by the shoelace formula: smaller than the true area of self-intersecting outlines. */
  readonly area: number;
}

/** @returns undefined for types that are never similar */
export function measured(shape: Outline, is3d: boolean): Measured | undefined {
  const { type, points } = shape;
  const of = (box: Box, side?: Box): Measured => ({ type, points, box, side, area: areaOf(points) });
  if (type === 'rectangle' || type === 'polygon') return of(boxOf(points));
  return type === 'cuboid' && is3d ? of(boxOf(viewOf(points, 1)), boxOf(viewOf(points, 2))) : undefined;
}

/**
 * Similarity of two shapes of one label, 0..1: overlap of rectangles (ignoring rotation) and polygons, and of top and
 * side view of cuboids in space.
 * @param atLeast smaller results may be returned as 0, which saves the exact area of most pairs of polygons
 * @param spend receives the work of comparing polygons
 */
export function similarityOf(a: Measured, b: Measured, atLeast: number, spend: Spend): number {
  if (a.type !== b.type) return 0;
  if (a.type === 'polygon') return polygonSimilarity(a, b, atLeast, spend);
  const overlap = boxIou(a.box, b.box);
  return a.side === undefined || b.side === undefined ? overlap : overlap * boxIou(a.side, b.side);
}

/** Intersection over union of two boxes; 1 for equal boxes, even without area. */
function boxIou(a: Box, b: Box): number {
  const shared = sharedArea(a, b);
  const union = boxArea(a) + boxArea(b) - shared;
  if (union > 0) return shared / union;
  return a.left === b.left && a.top === b.top && a.right === b.right && a.bottom === b.bottom ? 1 : 0;
}

function sharedArea(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return width > 0 && height > 0 ? width * height : 0;
}

const boxArea = ({ left, top, right, bottom }: Box): number => (right - left) * (bottom - top);

/** The smallest box around a flat list of points. */
function boxOf(points: readonly number[]): Box {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (let i = 0; i + 1 < points.length; i += 2) {
    const [x, y] = [points[i] ?? 0, points[i + 1] ?? 0];
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box;
}

function polygonSimilarity(a: Measured, b: Measured, atLeast: number, spend: Spend): number {
  if (a.points.length === b.points.length && a.points.every((value, i) => value === b.points[i])) return 1;
  const shared = sharedArea(a.box, b.box);
  // The intersection is within that of the boxes, and the union is no smaller than the larger polygon.
  if (shared === 0 || shared < atLeast * Math.max(a.area, b.area)) return 0;
  return polygonIou(a.points, b.points, spend);
}

function areaOf(points: readonly number[]): number {
  let twice = 0;
  for (let i = 0; i < points.length; i += 2) {
    const next = (i + 2) % points.length;
    twice += (points[i] ?? 0) * (points[next + 1] ?? 0) - (points[next] ?? 0) * (points[i + 1] ?? 0);
  }
  return Math.abs(twice) / 2;
}

/** The rectangle of x, and y (axis 1) or z (axis 2), of a cuboid in space: centre in numbers 0..2, size in 6..8. */
function viewOf(points: readonly number[], axis: 1 | 2): number[] {
  const [u, v] = [points[0] ?? 0, points[axis] ?? 0];
  const [width, height] = [(points[6] ?? 0) / 2, (points[6 + axis] ?? 0) / 2];
  return [u - width, v - height, u + width, v + height];
}
