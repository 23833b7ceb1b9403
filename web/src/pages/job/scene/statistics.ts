import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { SHAPE_TYPES, type ShapeType, type Track } from '#shared/annotations/model';
import { firstNotBelow, timesOf } from './timeline';

export const COUNTED_TYPES = [...SHAPE_TYPES, 'tag'] as const;
type CountedType = ShapeType | 'tag';

/** Numbers of objects of a label, or of all labels. */
export interface Statistics {
  /** Numbers of shapes and of tracks. Tags count as shapes. */
  readonly byType: ReadonlyMap<CountedType, { readonly shapes: number; readonly tracks: number }>;
  /** Tags, shapes, and visible keyframes of tracks. */
  readonly drawn: number;
  /** Frames on which a track is visible between its keyframes, or after the last one. */
  readonly interpolated: number;
}

/**
 * Counts the objects of a job, as CVAT does. Objects on deleted frames do not count.
 * @param frames the frames of the job that are not deleted, ascending
 * @returns the numbers by id of the label
 */
export function statisticsOf(
  objects: Iterable<readonly [string, EditedObject]>,
  frames: readonly number[],
): ReadonlyMap<number, Statistics> {
  const counted = new Set(frames);
  const found = new Map<number, Statistics>();
  for (const [, { kind, value }] of objects) {
    if (kind !== 'track' && !counted.has(value.frame)) continue;
    const of = found.get(value.label_id) ?? NOTHING;
    const { type, ...numbers } =
      kind === 'track'
        ? { type: value.shapes[0]?.type ?? 'skeleton', shapes: 0, tracks: 1, ...framesOf(value, frames) }
        : { type: kind === 'tag' ? ('tag' as const) : value.type, shapes: 1, tracks: 0, drawn: 1, interpolated: 0 };
    found.set(value.label_id, sum(of, { ...numbers, byType: new Map([[type, numbers]]) }));
  }
  return found;
}

export const NOTHING: Statistics = { byType: new Map(), drawn: 0, interpolated: 0 };

export function sum(a: Statistics, b: Statistics): Statistics {
  const byType = new Map(a.byType);
  for (const [type, { shapes, tracks }] of b.byType) {
    const before = byType.get(type) ?? { shapes: 0, tracks: 0 };
    byType.set(type, { shapes: before.shapes + shapes, tracks: before.tracks + tracks });
  }
  return { byType, drawn: a.drawn + b.drawn, interpolated: a.interpolated + b.interpolated };
}

function framesOf(track: Track, frames: readonly number[]): Pick<Statistics, 'drawn' | 'interpolated'> {
  const { keyframes, ranges } = timesOf(track, frames);
  let [drawn, visible] = [0, 0];
  for (const [from, to] of ranges) {
    drawn += firstNotBelow(keyframes, to) - firstNotBelow(keyframes, from);
    visible += to - from;
  }
  return { drawn, interpolated: visible - drawn };
}
