import { isCoordinate, pointsFault, SHAPE_TYPES, type ShapeType } from '../../shared/annotations/model.js';
import { ResponseInvalid } from './response-item.js';
import { greatest, least } from '../../shared/extremes.js';

/** A shape to track. */
export interface TrackedGeometry {
  readonly type: ShapeType;
  readonly points: number[];
}

/** What a tracker returns for one frame. */
export interface Tracking {
  /** Null: the object was lost. */
  readonly shapes: readonly (TrackedGeometry | null)[];
  /** Any JSON values; one for each shape. */
  readonly states: readonly unknown[];
}

/** @returns undefined unless the value is a list of shapes with a type and fitting points */
export function readTrackedShapes(value: unknown): TrackedGeometry[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const shapes = (value as unknown[]).map(readGeometry);
  return shapes.every((shape) => shape !== undefined) ? shapes : undefined;
}

function readGeometry(value: unknown): TrackedGeometry | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type: sent, points } = value as Readonly<Record<string, unknown>>;
  const type = SHAPE_TYPES.find((known) => known === sent);
  if (type === undefined || !Array.isArray(points) || !points.every(isCoordinate)) return undefined;
  return pointsFault(type, points) === undefined ? { type, points } : undefined;
}

/**
 * Shapes as a function with Nuclio's protocol expects them: functions that declare no types of shapes get the points
 * alone.
 */
export const shapesToSend = (
  shapes: readonly (TrackedGeometry | null)[],
  declared: readonly string[] | null,
): unknown[] => (declared === null ? shapes.map((shape) => shape?.points ?? null) : [...shapes]);

/**
 * Reads the response of such a function.
 * @param count the number of shapes that it tracks
 * @throws ResponseInvalid
 */
export function readTracking(
  response: unknown,
  { declared, count }: { readonly declared: readonly string[] | null; readonly count: number },
): Tracking {
  const { shapes, states } = (response ?? {}) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(shapes) || !Array.isArray(states) || shapes.length !== count || states.length !== count)
    throw new ResponseInvalid(`The response must have ${count} shapes and ${count} states`);
  return {
    states,
    shapes: (shapes as unknown[]).map((shape, at) => {
      if (shape === null) return null;
      const read = readGeometry(declared === null ? { type: 'rectangle', points: boxAround(shape) } : shape);
      if (read === undefined)
        throw new ResponseInvalid(`Shape ${at} must have a type and points that fit it, or be null`);
      return read;
    }),
  };
}

/** The box around the points, of which old functions return any number. */
function boxAround(points: unknown): number[] | undefined {
  if (!Array.isArray(points) || points.length < 4 || points.length % 2 !== 0 || !points.every(isCoordinate))
    return undefined;
  const [xs, ys] = [points.filter((_, at) => at % 2 === 0), points.filter((_, at) => at % 2 === 1)];
  return [least(xs), least(ys), greatest(xs), greatest(ys)];
}
