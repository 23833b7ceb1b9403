import { Keyframes } from '../../shared/annotations/interpolate.js';
import type { AttributeValue, Track, TrackedShape, TrackElement } from '../../shared/annotations/model.js';

/**
 * Cuts a track to the frames start..stop (inclusive), so that it looks the same on them. Where a movement crosses a
 * border an interpolated keyframe without id, marked `keyframe`, stands on it. Ids of kept keyframes stay.
 * @returns a new track, or undefined when nothing of it is visible there
 */
export function sliceTrack(track: Track, start: number, stop: number): Track | undefined {
  const keyframes = new Keyframes(track.shapes);
  if (!isVisible(keyframes, start, stop)) return undefined;
  return {
    ...sliceElement(track, start, stop),
    elements: track.elements.map((part) => sliceElement(part, start, stop)),
  };
}

function isVisible(keyframes: Keyframes, start: number, stop: number): boolean {
  const first = keyframes.before(start);
  if (first !== undefined && !first.outside) return true;
  return keyframes.shapes.some((shape) => shape.frame > start && shape.frame <= stop && !shape.outside);
}

function sliceElement<T extends TrackElement>(track: T, start: number, stop: number): T {
  const keyframes = new Keyframes(track.shapes);
  const inside = keyframes.shapes.filter((shape) => shape.frame >= start && shape.frame <= stop);
  const shapes = inside.map((shape) => ({ ...shape }));
  const opening = border(keyframes, start);
  if (opening !== undefined) shapes.unshift(opening);
  const closing = keyframes.after(stop) === undefined || start === stop ? undefined : border(keyframes, stop);
  if (closing !== undefined && !closing.outside) shapes.push(closing);
  if (shapes.length === 0) shapes.push(...hidden(keyframes, start));
  const first = shapes[0];
  // What it inherited from keyframes that are cut off must not be lost.
  if (first !== undefined && keyframes.before(start - 1) !== undefined) {
    first.attributes = inherited(keyframes, first.frame);
  }
  return { ...track, frame: first?.frame ?? start, shapes };
}

/** @returns the keyframe to be put on a border, unless there is one or the track has not begun */
function border(keyframes: Keyframes, frame: number): TrackedShape | undefined {
  const before = keyframes.before(frame);
  const shape = keyframes.at(frame);
  if (before === undefined || shape === undefined || before.frame === frame) return undefined;
  return { ...shape, attributes: inherited(keyframes, frame), keyframe: true };
}

/** An element of a skeleton that appears only later is hidden up to then; the skeleton stays complete. */
function hidden(keyframes: Keyframes, frame: number): TrackedShape[] {
  const first = keyframes.shapes[0];
  return first === undefined ? [] : [{ ...first, id: null, frame, outside: true, keyframe: true }];
}

/** The attributes in force on a frame: each from the last keyframe that names it. */
function inherited(keyframes: Keyframes, frame: number): AttributeValue[] {
  const values = new Map<number, AttributeValue>();
  for (const shape of keyframes.shapes) {
    if (shape.frame > frame) break;
    for (const attribute of shape.attributes) values.set(attribute.spec_id, attribute);
  }
  return [...values.values()];
}
