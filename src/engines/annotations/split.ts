import { Keyframes } from '../../shared/annotations/interpolate.js';
import {
  type AnnotationAction,
  type AttributeValue,
  emptyData,
  type LabeledData,
  type Shape,
  type Tag,
  type Track,
  type TrackedShape,
  type TrackElement,
} from '../../shared/annotations/model.js';

/** The frames of a job, inclusive, numbered as in the task. */
export interface FrameRange {
  start: number;
  stop: number;
}

/**
 * Distributes annotations of a task over its jobs: tags and shapes go to every job that has their frame, tracks are cut,
 * and an interval goes to the job in which it starts. Annotations outside all jobs are dropped.
 * Parts share no objects, so ids can be assigned to each. Ids stay as sent, so the database rejects the copy of an
 * updated object for a second job; only copies of new keyframes lose their ids.
 * @returns one part per range, in the same order
 */
export function splitData(
  data: LabeledData,
  ranges: readonly FrameRange[],
  options: { action: AnnotationAction },
): LabeledData[] {
  const parts = ranges.map(() => emptyData());
  const find = new RangeFinder(ranges);
  for (const tag of data.tags) find.each(tag.frame, (job) => parts[job]?.tags.push(copyTag(tag)));
  for (const shape of data.shapes) find.each(shape.frame, (job) => parts[job]?.shapes.push(copyShape(shape)));
  for (const interval of data.intervals) {
    const job = find.first(interval.start);
    if (job !== undefined) parts[job]?.intervals.push({ ...interval });
  }
  for (const track of data.tracks) {
    let copies = 0;
    ranges.forEach((range, job) => {
      const part = sliceTrack(track, range.start, range.stop);
      if (part === undefined) return;
      parts[job]?.tracks.push(copies++ > 0 && options.action === 'create' ? withoutShapeIds(part) : part);
    });
  }
  return parts;
}

function copyTag(tag: Tag): Tag {
  return { ...tag };
}

function copyShape(shape: Shape): Shape {
  return { ...shape, elements: shape.elements.map((element) => ({ ...element })) };
}

function withoutShapeIds(track: Track): Track {
  return { ...stripIds(track), elements: track.elements.map(stripIds) };
}

function stripIds<T extends TrackElement>(track: T): T {
  return { ...track, shapes: track.shapes.map((shape) => ({ ...shape, id: null })) };
}

/** Finds the jobs of a frame by binary search, because a task may have a million shapes. */
class RangeFinder {
  private readonly order: { index: number; range: FrameRange }[];
  private readonly longest: number;

  constructor(ranges: readonly FrameRange[]) {
    this.order = ranges.map((range, index) => ({ index, range })).sort((a, b) => a.range.start - b.range.start);
    this.longest = Math.max(0, ...ranges.map((range) => range.stop - range.start));
  }

  /** Calls back with the index of every range that contains the frame. */
  each(frame: number, found: (index: number) => void): void {
    for (let i = this.firstFrom(frame - this.longest); i < this.order.length; i++) {
      const entry = this.order[i];
      if (entry === undefined || entry.range.start > frame) return;
      if (entry.range.stop >= frame) found(entry.index);
    }
  }

  first(frame: number): number | undefined {
    let result: number | undefined;
    this.each(frame, (index) => (result ??= index));
    return result;
  }

  /** @returns the index of the first range that starts at `start` or later */
  private firstFrom(start: number): number {
    let [low, high] = [0, this.order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.order[middle]?.range.start ?? Infinity) < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Cuts a track to the frames start..stop (inclusive) without changing it there. Where interpolation crosses a border,
 * an interpolated keyframe without id, marked `keyframe`, is added. Kept keyframes keep their ids.
 * @returns a new track, or undefined if no part of it is visible there
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
  // Keep attributes inherited from keyframes that are cut off.
  if (first !== undefined && keyframes.before(start - 1) !== undefined) {
    first.attributes = inherited(keyframes, first.frame);
  }
  return { ...track, frame: first?.frame ?? start, shapes };
}

/** @returns the keyframe to add on a border, unless there is one or the track has not begun */
function border(keyframes: Keyframes, frame: number): TrackedShape | undefined {
  const before = keyframes.before(frame);
  const shape = keyframes.at(frame);
  if (before === undefined || shape === undefined || before.frame === frame) return undefined;
  return { ...shape, attributes: inherited(keyframes, frame), keyframe: true };
}

/** Hides an element of a skeleton until its first keyframe, so that the skeleton stays complete. */
function hidden(keyframes: Keyframes, frame: number): TrackedShape[] {
  const first = keyframes.shapes[0];
  return first === undefined ? [] : [{ ...first, id: null, frame, outside: true, keyframe: true }];
}

/** The attribute values that apply on a frame: each from the last keyframe that sets it. */
function inherited(keyframes: Keyframes, frame: number): AttributeValue[] {
  const values = new Map<number, AttributeValue>();
  for (const shape of keyframes.shapes) {
    if (shape.frame > frame) break;
    for (const attribute of shape.attributes) values.set(attribute.spec_id, attribute);
  }
  return [...values.values()];
}
