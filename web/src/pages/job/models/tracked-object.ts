import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { roundCoordinate } from '#shared/annotations/editing/geometry';
import { trackFrom, withKeyframe } from '#shared/annotations/editing/tracks';
import type { Track } from '#shared/annotations/model';
import type { Editor } from '../editing/editor';
import { newKey, NewObjects } from '../editing/new-objects';
import type { Outline, TrackStep } from './track-objects';

/** Whether a tracker can follow an object. Masks and skeletons cannot become tracks that way. */
export const isTrackable = ({ type }: { readonly type: string }, types: readonly string[]): boolean =>
  types.includes(type) && type !== 'mask' && type !== 'skeleton';

/** An object, and where it was found. */
export interface TrackedObject {
  readonly key: string;
  readonly steps: readonly TrackStep[];
}

/**
 * Stores where objects were found as keyframes, as one step of the undo history. Shapes become tracks.
 * @returns the keys of the tracks
 */
export function storeTracked(editor: Editor, objects: readonly TrackedObject[]): string[] {
  const created = new NewObjects(() => editor.labels);
  const keys: string[] = [];
  const changes: [string, EditedObject | undefined][] = [];
  for (const { key, steps } of objects) {
    const object = editor.document.get(key);
    if (steps.length === 0 || object === undefined || object.kind === 'tag') continue;
    const isShape = object.kind === 'shape';
    const start: Track = isShape
      ? { ...trackFrom(object.value, created.mutable(object.value.label_id)), source: 'semi-auto' }
      : object.value;
    const value = steps.reduce(followedBy, start);
    const track = isShape ? newKey('track') : key;
    if (isShape) changes.push([key, undefined]);
    changes.push([track, { kind: 'track', value }]);
    keys.push(track);
  }
  if (changes.length > 0) editor.change('Track', changes);
  return keys;
}

function followedBy(track: Track, { frame, outline }: TrackStep): Track {
  if (outline === null) return withKeyframe(track, frame, { outside: true });
  const type = track.shapes[0]?.type;
  const points = pointsFor(type, outline);
  const turned = type === 'rectangle' || type === 'ellipse' ? { rotation: 0 } : {};
  return withKeyframe(track, frame, { points: points.map(roundCoordinate), outside: false, ...turned });
}

/** A tracker may answer with another type. Then a rectangle gets the box of its points. */
function pointsFor(type: string | undefined, { type: found, points }: Outline): readonly number[] {
  if (type !== 'rectangle' || (found === 'rectangle' && points.length === 4)) return points;
  const xs = points.filter((_, at) => at % 2 === 0);
  const ys = points.filter((_, at) => at % 2 === 1);
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}
