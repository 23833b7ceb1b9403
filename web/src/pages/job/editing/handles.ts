import {
  boxOf,
  centreOf,
  handlesOf,
  movedBy,
  rotatedTo,
  rotatePoint,
  withHandleAt,
  withVertexAt,
} from '#shared/annotations/editing/geometry';
import type { Geometry } from '#shared/annotations/model';
import { distanceToEdge } from '../scene/hit';

/** The part of the selected shape that is dragged. */
export type Handle =
  | { readonly kind: 'side' | 'vertex'; readonly index: number }
  | { readonly kind: 'rotation' }
  | { readonly kind: 'body'; readonly fromX: number; readonly fromY: number };

/** Distance of the rotation handle from the shape, in screen pixels. */
const ROTATION_GAP = 24;
const SNAP_DEGREES = 15;

/** Whether a shape has sides, which can be rotated. */
export const isBox = ({ type }: Geometry): boolean => type === 'rectangle' || type === 'ellipse';
const WITH_VERTICES: ReadonlySet<string> = new Set(['polygon', 'polyline', 'points', 'cuboid', 'skeleton']);
const hasVertices = ({ type }: Geometry): boolean => WITH_VERTICES.has(type);

/** Positions of the handles in image pixels, as a flat list. The rotation handle, if there is one, is separate. */
export interface HandlePositions {
  readonly points: readonly number[];
  readonly rotation?: readonly [number, number];
}

/** @param unit size of a screen pixel in image pixels */
export function handlePositions(geometry: Geometry, unit: number): HandlePositions {
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
  if (best !== undefined) return { kind: isBox(geometry) ? 'side' : 'vertex', index: best.index };
  const isOnRotation = rotation !== undefined && Math.hypot(rotation[0] - x, rotation[1] - y) <= reach * unit;
  return isOnRotation ? { kind: 'rotation' } : undefined;
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

/** The shape after a handle was dragged to a position. @param snaps whether a rotation snaps to 15° */
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
    case 'body':
      return movedBy(shape, x - handle.fromX, y - handle.fromY);
    case 'rotation': {
      const [cx, cy] = centreOf(shape);
      const degrees = (Math.atan2(y - cy, x - cx) * 180) / Math.PI + 90;
      return rotatedTo(shape, snaps ? Math.round(degrees / SNAP_DEGREES) * SNAP_DEGREES : degrees);
    }
  }
}

const VERBS = { side: 'Resize', vertex: 'Reshape', body: 'Move', rotation: 'Rotate' } as const;

/** The title of a drag in the undo history, such as "Move rectangle". */
export const titleOfDrag = ({ kind }: Handle, { type }: Geometry): string => `${VERBS[kind]} ${type}`;
