import { boxOfImage, maskBitmap, trimmedPoints } from '../mask.js';
import type { Geometry, Shape } from '../model.js';
import { isSpatialCuboid } from '../spatial-cuboid.js';
import { greatest, least } from '../../extremes.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

const RADIANS = Math.PI / 180;

/** Rounds a coordinate to the precision with which CVAT's editor saves coordinates. */
export const roundCoordinate = (value: number): number => Math.round(value * 100) / 100;

/** Moves points. Masks move by whole pixels; cuboids of point clouds, whose unit is not the pixel, are not rounded. */
export function movedBy<Shape extends Geometry>(shape: Shape, dx: number, dy: number): Shape {
  if (isSpatial(shape)) {
    const [x = 0, y = 0, ...rest] = shape.points;
    return { ...shape, points: [x + dx, y + dy, ...rest] };
  }
  if (shape.type === 'mask') {
    const [x, y] = [Math.round(dx), Math.round(dy)];
    const runs = shape.points.slice(0, -4);
    const [left = 0, top = 0, right = 0, bottom = 0] = shape.points.slice(-4);
    return { ...shape, points: [...runs, left + x, top + y, right + x, bottom + y] };
  }
  return { ...shape, points: shape.points.map((value, i) => roundCoordinate(value + (i % 2 === 0 ? dx : dy))) };
}

/** Moves a shape with its elements. */
export const shapeMovedBy = (shape: Shape, dx: number, dy: number): Shape => ({
  ...movedBy(shape, dx, dy),
  elements: shape.elements.map((element) => movedBy(element, dx, dy)),
});

/** Rotates a point about a centre. @param degrees clockwise */
export function rotatePoint(x: number, y: number, cx: number, cy: number, degrees: number): [number, number] {
  const [cos, sin] = [Math.cos(degrees * RADIANS), Math.sin(degrees * RADIANS)];
  return [cx + (x - cx) * cos - (y - cy) * sin, cy + (x - cx) * sin + (y - cy) * cos];
}

/** Converts two opposite corners x1, y1, x2, y2 to left, top, right, bottom. */
export function orderedBox([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[]): number[] {
  return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)].map(roundCoordinate);
}

/** The points of an ellipse in a box: its centre, and the right and top ends of its axes. */
export function ellipseInBox(box: readonly number[]): number[] {
  const [left = 0, top = 0, right = 0, bottom = 0] = orderedBox(box);
  return [(left + right) / 2, (top + bottom) / 2, right, top].map(roundCoordinate);
}

/** How far the back of a new cuboid is from its front, as a fraction of its size. */
const DEPTH = 0.2;

/**
 * The eight corners of a cuboid whose front is a box, as CVAT numbers them: top and bottom of the left and right edges
 * of the front, then of the right and left edges of the back. The back is up and to the right, within the image.
 */
export function cuboidFrom(box: readonly number[], image: Size): number[] {
  const [left = 0, top = 0, right = 0, bottom = 0] = orderedBox(box);
  const dx = Math.min((right - left) * DEPTH, Math.max(image.width - right, 0));
  const dy = Math.min((bottom - top) * DEPTH, Math.max(top, 0));
  const front = [left, top, left, bottom, right, top, right, bottom];
  const back = [right + dx, top - dy, right + dx, bottom - dy, left + dx, top - dy, left + dx, bottom - dy];
  return [...front, ...back].map(roundCoordinate);
}

/**
 * The points that a user drags: those of the shape, or of the elements of a skeleton, in their order. Elements other
 * than points are not dragged alone.
 */
export const draggablePoints = ({ type, points, elements }: Pick<Shape, 'type' | 'points' | 'elements'>): number[] =>
  type === 'skeleton'
    ? elements.flatMap((element) => (element.type === 'points' ? element.points.slice(0, 2) : []))
    : points;

/** A skeleton whose elements are at these positions, in the order of {@link draggablePoints}. */
export function withElementsAt(shape: Shape, points: readonly number[]): Shape {
  let next = 0;
  const elements = shape.elements.map((element) => {
    if (element.type !== 'points') return element;
    next += 2;
    return { ...element, points: points.slice(next - 2, next).map(roundCoordinate) };
  });
  return { ...shape, elements };
}

/** The box of an ellipse before its rotation: left, top, right, bottom. */
export function boxOfEllipse([cx = 0, cy = 0, right = 0, top = 0]: readonly number[]): number[] {
  return [cx - Math.abs(right - cx), cy - Math.abs(cy - top), cx + Math.abs(right - cx), cy + Math.abs(cy - top)];
}

/** The centre of a rectangle or an ellipse, about which it rotates. */
export function centreOf(shape: Geometry): [number, number] {
  const [left = 0, top = 0, right = 0, bottom = 0] = boxOf(shape);
  return [(left + right) / 2, (top + bottom) / 2];
}

/** The box of a rectangle or an ellipse before its rotation. */
export const boxOf = ({ type, points }: Geometry): number[] =>
  type === 'ellipse' ? boxOfEllipse(points) : orderedBox(points);

const withBox = <Shape extends Geometry>(shape: Shape, box: readonly number[]): Shape => ({
  ...shape,
  points: shape.type === 'ellipse' ? ellipseInBox(box) : orderedBox(box),
});

/** The handles of a box, clockwise from the top left corner. For each axis −1, 0 or 1: start, middle or end. */
export const BOX_HANDLES = [
  [-1, -1],
  [0, -1],
  [1, -1],
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
] as const;

/** Positions of the eight handles of a rectangle or an ellipse, flat, in the order of {@link BOX_HANDLES}. */
export function handlesOf(shape: Geometry): number[] {
  const [left = 0, top = 0, right = 0, bottom = 0] = boxOf(shape);
  const [cx, cy] = centreOf(shape);
  return BOX_HANDLES.flatMap(([h, v]) =>
    rotatePoint(cx + (h * (right - left)) / 2, cy + (v * (bottom - top)) / 2, cx, cy, shape.rotation),
  );
}

/**
 * Drags a handle of a rectangle or an ellipse to a position. The opposite side or corner does not move, even if the shape
 * is rotated.
 * @param handle index in {@link BOX_HANDLES}
 */
export function withHandleAt<Shape extends Geometry>(shape: Shape, handle: number, x: number, y: number): Shape {
  const [h, v] = BOX_HANDLES[handle] ?? [0, 0];
  const [left = 0, top = 0, right = 0, bottom = 0] = boxOf(shape);
  const [cx, cy] = centreOf(shape);
  const [px, py] = rotatePoint(x, y, cx, cy, -shape.rotation);
  const box = [h === -1 ? px : left, v === -1 ? py : top, h === 1 ? px : right, v === 1 ? py : bottom];
  // The shape rotates about its centre, which has moved. Shift the box so that the fixed side does not move.
  const [nx, ny] = [((box[0] ?? 0) + (box[2] ?? 0)) / 2, ((box[1] ?? 0) + (box[3] ?? 0)) / 2];
  const [wx, wy] = rotatePoint(nx, ny, cx, cy, shape.rotation);
  return withBox(shape, [
    (box[0] ?? 0) + wx - nx,
    (box[1] ?? 0) + wy - ny,
    (box[2] ?? 0) + wx - nx,
    (box[3] ?? 0) + wy - ny,
  ]);
}

/** Sets the rotation, normalized to 0 ≤ rotation < 360. @param degrees clockwise */
export const rotatedTo = <Shape extends Geometry>(shape: Shape, degrees: number): Shape => ({
  ...shape,
  rotation: roundCoordinate(((degrees % 360) + 360) % 360) % 360,
});

/** Moves one vertex. */
export function withVertexAt<Shape extends Geometry>(shape: Shape, vertex: number, x: number, y: number): Shape {
  const points = [...shape.points];
  points[vertex * 2] = roundCoordinate(x);
  points[vertex * 2 + 1] = roundCoordinate(y);
  return { ...shape, points };
}

/** Inserts a vertex before the one with this index. */
export const withVertex = <Shape extends Geometry>(shape: Shape, vertex: number, x: number, y: number): Shape => ({
  ...shape,
  points: shape.points.toSpliced(vertex * 2, 0, roundCoordinate(x), roundCoordinate(y)),
});

/** The minimum number of vertices of each type with a variable number of vertices. */
const MIN_VERTICES: Partial<Record<Geometry['type'], number>> = { polygon: 3, polyline: 2, points: 1 };

/** Removes a vertex. @returns the unchanged shape if it would have too few vertices */
export function withoutVertex<Shape extends Geometry>(shape: Shape, vertex: number): Shape {
  const least = MIN_VERTICES[shape.type];
  if (least === undefined || shape.points.length / 2 <= least) return shape;
  return { ...shape, points: shape.points.toSpliced(vertex * 2, 2) };
}

/** Makes a vertex the first one of a polygon. */
export const startingAt = <Shape extends Geometry>(shape: Shape, vertex: number): Shape =>
  shape.type === 'polygon' && vertex > 0
    ? { ...shape, points: [...shape.points.slice(vertex * 2), ...shape.points.slice(0, vertex * 2)] }
    : shape;

/** Reverses the order of the vertices. A polygon keeps its first vertex. */
export function reversed<Shape extends Geometry>(shape: Shape): Shape {
  if (shape.type !== 'polygon' && shape.type !== 'polyline') return shape;
  const vertices = shape.points.length / 2;
  const order = Array.from({ length: vertices }, (_, i) =>
    shape.type === 'polygon' ? (vertices - i) % vertices : vertices - 1 - i,
  );
  return { ...shape, points: order.flatMap((i) => shape.points.slice(i * 2, i * 2 + 2)) };
}

/**
 * Limits the points, or the pixels of a mask, to the image. Rotated shapes, masks outside of it, and cuboids of point
 * clouds are not limited.
 */
export function croppedTo<Shape extends Geometry>(shape: Shape, image: Size): Shape {
  const { width, height } = image;
  if (shape.type === 'mask') {
    const bitmap = maskBitmap(shape.points, boxOfImage(image));
    return { ...shape, points: (bitmap && trimmedPoints(bitmap)) ?? shape.points };
  }
  if (shape.rotation !== 0 || isSpatial(shape)) return shape;
  const limited = (value: number, i: number): number => Math.max(0, Math.min(i % 2 === 0 ? width : height, value));
  if (shape.type === 'ellipse') return withBox(shape, boxOfEllipse(shape.points).map(limited));
  return { ...shape, points: shape.points.map(limited) };
}

/** Whether it is a cuboid of a point cloud, whose points are not positions in an image. */
export const isSpatial = ({ type, points }: { readonly type: string; readonly points: readonly number[] }): boolean =>
  type === 'cuboid' && isSpatialCuboid(points);

/** Whether a shape that should have an area has one: at least a pixel in each direction. */
export function hasArea({ type, points }: Pick<Geometry, 'type' | 'points'>): boolean {
  if (type !== 'rectangle' && type !== 'ellipse' && type !== 'polygon') return true;
  const corners = type === 'polygon' ? points : boxOf({ type, points, rotation: 0 });
  const extent = (axis: 0 | 1): number => {
    const values = corners.filter((_, i) => i % 2 === axis);
    return greatest(values) - least(values);
  };
  return extent(0) >= 1 && extent(1) >= 1;
}
