import {
  boxOf,
  centreOf,
  handlesOf,
  movedBy,
  rotatedTo,
  rotatePoint,
  roundCoordinate,
  withHandleAt,
  withVertexAt,
} from '#shared/annotations/editing/geometry';
import type { Geometry } from '#shared/annotations/model';
import { distanceToEdge } from '../scene/hit';
import { cuboidHandles, withCuboidHandleAt } from './image-cuboid';

/** The part of the selected shape that is dragged. */
export type Handle =
  | { readonly kind: 'side' | 'vertex' | 'cuboid'; readonly index: number }
  /** Of the box around a skeleton, which is wider than the skeleton by the padding. */
  | { readonly kind: 'scale'; readonly index: number; readonly padding: number }
  | { readonly kind: 'rotation' }
  | { readonly kind: 'body'; readonly fromX: number; readonly fromY: number };

/** Distance of the rotation handle from the shape, in screen pixels. */
const ROTATION_GAP = 24;
const SNAP_DEGREES = 15;
/** Distance of the box around a skeleton from its points, in screen pixels. */
const PADDING = 14;

/** Whether a shape has sides, which can be rotated. */
export const isBox = ({ type }: Geometry): boolean => type === 'rectangle' || type === 'ellipse';
const WITH_VERTICES: ReadonlySet<string> = new Set(['polygon', 'polyline', 'points', 'skeleton']);
const hasVertices = ({ type }: Geometry): boolean => WITH_VERTICES.has(type);

/** Positions of the handles in image pixels, as a flat list. The rotation handle, if there is one, is separate. */
export interface HandlePositions {
  readonly points: readonly number[];
  readonly rotation?: readonly [number, number];
  /** The box around a skeleton: left, top, right, bottom. Its handles follow those of the elements. */
  readonly box?: readonly number[];
}

/** @param unit size of a screen pixel in image pixels */
export function handlePositions(geometry: Geometry, unit: number): HandlePositions {
  if (geometry.type === 'cuboid') return { points: cuboidHandles(geometry.points) };
  if (geometry.type === 'skeleton' && geometry.points.length > 2) {
    const around = boxAround(geometry.points, PADDING * unit);
    return { points: [...geometry.points, ...handlesOf(around)], box: around.points };
  }
  if (!isBox(geometry)) return { points: hasVertices(geometry) ? geometry.points : [] };
  const [cx, cy] = centreOf(geometry);
  const [, top = 0] = boxOf(geometry);
  return {
    points: handlesOf(geometry),
    rotation: rotatePoint(cx, top - ROTATION_GAP * unit, cx, cy, geometry.rotation),
  };
}

/** The handle at a position. @param reach maximum distance in screen pixels */
export function handleAt(geometry: Geometry, x: number, y: number, reach: number, unit: number): Handle | undefined {
  const { points, rotation } = handlePositions(geometry, unit);
  let best: { readonly index: number; readonly distance: number } | undefined;
  for (let i = 0; i < points.length; i += 2) {
    const distance = Math.hypot((points[i] ?? 0) - x, (points[i + 1] ?? 0) - y);
    if (distance <= reach * unit && distance < (best?.distance ?? Infinity)) best = { index: i / 2, distance };
  }
  if (best !== undefined) return handleOf(geometry, best.index, unit);
  const isOnRotation = rotation !== undefined && Math.hypot(rotation[0] - x, rotation[1] - y) <= reach * unit;
  return isOnRotation ? { kind: 'rotation' } : undefined;
}

function handleOf(geometry: Geometry, index: number, unit: number): Handle {
  const elements = geometry.points.length / 2;
  if (geometry.type === 'skeleton' && index >= elements) {
    return { kind: 'scale', index: index - elements, padding: PADDING * unit };
  }
  if (geometry.type === 'cuboid') return { kind: 'cuboid', index };
  return { kind: isBox(geometry) ? 'side' : 'vertex', index };
}

/** The box around points, as a rectangle. */
function boxAround(points: readonly number[], padding: number): Geometry {
  const [xs, ys] = [points.filter((_, i) => i % 2 === 0), points.filter((_, i) => i % 2 === 1)];
  const box = [
    Math.min(...xs) - padding,
    Math.min(...ys) - padding,
    Math.max(...xs) + padding,
    Math.max(...ys) + padding,
  ];
  return { type: 'rectangle', points: box, rotation: 0 };
}

/** The points of a skeleton after a handle of the box around it was dragged. */
function scaled(points: readonly number[], index: number, padding: number, x: number, y: number): number[] {
  const before = boxAround(points, 0).points;
  const after = withHandleAt(boxAround(points, padding), index, x, y).points;
  return points.map((value, i) => {
    const axis = i % 2;
    const [from = 0, to = 0] = [before[axis], before[axis + 2]];
    const [start, end] = [(after[axis] ?? 0) + padding, (after[axis + 2] ?? 0) - padding];
    const share = to === from ? 0.5 : (value - from) / (to - from);
    return roundCoordinate(start + share * Math.max(end - start, 0));
  });
}

/**
 * The edge of an outline at a position.
 * @param reach maximum distance in image pixels
 * @returns the index at which a new vertex belongs, or undefined
 */
export function edgeAt({ type, points }: Geometry, x: number, y: number, reach: number): number | undefined {
  if (type !== 'polygon' && type !== 'polyline') return undefined;
  const last = points.length - 2;
  for (let i = 0; i <= (type === 'polygon' ? last : last - 2); i += 2) {
    if (distanceToEdge(points, i, x, y) <= reach) return i / 2 + 1;
  }
  return undefined;
}

/**
 * The shape after a handle was dragged to a position.
 * @param snaps whether a rotation snaps to 15°, and a corner of a cuboid moves alone
 */
export function dragged<Shape extends Geometry>(
  shape: Shape,
  handle: Handle,
  x: number,
  y: number,
  snaps: boolean,
): Shape {
  switch (handle.kind) {
    case 'side':
      return withHandleAt(shape, handle.index, x, y);
    case 'vertex':
      return withVertexAt(shape, handle.index, x, y);
    case 'cuboid':
      return { ...shape, points: withCuboidHandleAt(shape.points, handle.index, { x, y }, snaps) };
    case 'scale':
      return { ...shape, points: scaled(shape.points, handle.index, handle.padding, x, y) };
    case 'body':
      return movedBy(shape, x - handle.fromX, y - handle.fromY);
    case 'rotation': {
      const [cx, cy] = centreOf(shape);
      const degrees = (Math.atan2(y - cy, x - cx) * 180) / Math.PI + 90;
      return rotatedTo(shape, snaps ? Math.round(degrees / SNAP_DEGREES) * SNAP_DEGREES : degrees);
    }
  }
}

const VERBS = {
  side: 'Resize',
  vertex: 'Reshape',
  cuboid: 'Reshape',
  scale: 'Resize',
  body: 'Move',
  rotation: 'Rotate',
} as const;

/** The title of a drag in the undo history, such as "Move rectangle". */
export const titleOfDrag = ({ kind }: Handle, { type }: Geometry): string => `${VERBS[kind]} ${type}`;
