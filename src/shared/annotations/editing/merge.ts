import { Keyframes } from '../interpolate.js';
import type { TrackedShape, TrackElement } from '../model.js';
import type { EditedObject } from './edited-object.js';
import { trackFrom } from './tracks.js';

/** One of the objects to merge, or one of its elements, as a track. */
interface Part {
  readonly track: TrackElement;
  /** Whether it is visible on its first frame only. */
  readonly isShape: boolean;
}

type Merged = { readonly object: EditedObject } | { readonly problem: string };

/**
 * Merges shapes and tracks into one track, as CVAT does: a shape is visible on its frame only, and on each frame at most
 * one of the objects may be visible.
 * @param stop the last frame of the job
 * @param mutable ids of mutable attributes, whose values belong to the keyframes
 * @returns the track, or why the objects cannot be merged
 */
export function mergeObjects(objects: readonly EditedObject[], stop: number, mutable: ReadonlySet<number>): Merged {
  const parts = objects.flatMap((object) => {
    if (object.kind === 'tag') return [];
    const track = object.kind === 'track' ? object.value : trackFrom(object.value, mutable);
    return [{ track, isShape: object.kind === 'shape' }];
  });
  const [first] = parts;
  if (first === undefined || parts.length < 2) return { problem: 'Select at least two shapes or tracks to merge.' };
  const { track: base } = first;
  const type = base.shapes[0]?.type;
  if (parts.some(({ track }) => track.label_id !== base.label_id || track.shapes[0]?.type !== type)) {
    return { problem: 'Only objects of the same type with the same label can be merged.' };
  }
  if (type === 'mask') return { problem: 'Masks cannot be merged into a track.' };
  const shapes = mergedKeyframes(parts, stop);
  const elements = base.elements.map((element) => {
    const same = parts.flatMap(({ track, isShape }) => {
      const found = track.elements.find(({ label_id: id }) => id === element.label_id);
      return found === undefined ? [] : [{ track: found, isShape }];
    });
    const merged = mergedKeyframes(same, stop);
    return merged && { ...element, frame: merged[0]?.frame ?? element.frame, shapes: merged };
  });
  if (shapes === undefined || elements.includes(undefined)) {
    return { problem: 'Two of the objects are visible on the same frame. Only one may be visible on each frame.' };
  }
  const kept = elements.filter((element) => element !== undefined);
  const value = { ...base, frame: shapes[0]?.frame ?? base.frame, shapes, elements: kept };
  return { object: { kind: 'track', value } };
}

/** @returns the keyframes of one track, or undefined if two parts are visible on the same frame */
function mergedKeyframes(parts: readonly Part[], stop: number): TrackedShape[] | undefined {
  const visible = parts.flatMap(({ track, isShape }) => {
    const own = isShape ? track.shapes.flatMap((shape) => [shape, ...endAfter(shape, stop)]) : track.shapes;
    return [{ own, ranges: visibleRanges(own, stop) }];
  });
  const ranges = visible.flatMap((part) => part.ranges).toSorted(([a], [b]) => a - b);
  if (ranges.some(([from], at) => from <= (ranges[at - 1]?.[1] ?? -1))) return undefined;
  // A keyframe outside the frame must not end another part that is visible there.
  const isWithin = (frame: number, own: readonly (readonly [number, number])[]): boolean =>
    ranges.some((range) => !own.includes(range) && range[0] <= frame && frame <= range[1]);
  const keyframes = new Map<number, TrackedShape>();
  for (const { own, ranges: mine } of visible) {
    for (const shape of own) if (!shape.outside || !isWithin(shape.frame, mine)) keyframes.set(shape.frame, shape);
  }
  const sorted = [...keyframes.values()].toSorted((a, b) => a.frame - b.frame);
  const first = sorted.findIndex(({ outside }) => !outside);
  return (first === -1 ? sorted : sorted.slice(first)).map((shape) => ({ ...shape, id: null }));
}

const endAfter = (shape: TrackedShape, stop: number): TrackedShape[] =>
  shape.frame < stop ? [{ ...shape, frame: shape.frame + 1, outside: true, attributes: [] }] : [];

/** The frames on which keyframes make a track visible, as pairs of the first and the last one. */
function visibleRanges(shapes: readonly TrackedShape[], stop: number): [number, number][] {
  const ranges: [number, number][] = [];
  const sorted = new Keyframes([...shapes]).shapes;
  for (const [at, { frame, outside }] of sorted.entries()) {
    const end = (sorted[at + 1]?.frame ?? stop + 1) - 1;
    const last = ranges.at(-1);
    if (outside) continue;
    if (last !== undefined && last[1] === frame - 1) last[1] = end;
    else ranges.push([frame, end]);
  }
  return ranges;
}
