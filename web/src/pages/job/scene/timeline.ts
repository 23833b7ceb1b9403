import type { EditedObject } from '#shared/annotations/editing/edited-object';
import { Keyframes, TrackFrames } from '#shared/annotations/interpolate';
import type { Track } from '#shared/annotations/model';

/** Where a track is on the frames of a job. Positions are indices of frames; ranges exclude their end. */
export interface TrackTimes {
  /** Ascending. */
  readonly keyframes: readonly number[];
  /** Where the track is visible. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** The visible part of a timeline, in positions. */
export interface TimeView {
  readonly from: number;
  readonly to: number;
}

/** @returns the index of the first value that is not less than `wanted` */
export function firstNotBelow(ascending: readonly number[], wanted: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? Infinity) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The times of tracks. Annotations are never modified, so the times of each are computed once. */
export class Timeline {
  private readonly known = new WeakMap<EditedObject, TrackTimes>();

  /** @param numbers of the frames of the job, ascending */
  constructor(private readonly numbers: readonly number[]) {}

  of(object: EditedObject & { readonly kind: 'track' }): TrackTimes {
    const known = this.known.get(object) ?? timesOf(object.value, this.numbers);
    this.known.set(object, known);
    return known;
  }
}

/** @param numbers of the frames of the job, ascending */
export function timesOf(track: Track, numbers: readonly number[]): TrackTimes {
  const position = (frame: number): number => firstNotBelow(numbers, frame);
  const keyframes = new TrackFrames(track).keyframeNumbers();
  const ranges: (readonly [number, number])[] = [];
  let start: number | undefined;
  for (const { frame, outside } of new Keyframes(track.shapes).shapes) {
    if (!outside) start ??= position(frame);
    else if (start !== undefined) {
      ranges.push([start, position(frame)]);
      start = undefined;
    }
  }
  if (start !== undefined) ranges.push([start, numbers.length]);
  return {
    keyframes: keyframes.map(position).filter((at, i) => numbers[at] === keyframes[i]),
    ranges: ranges.filter(([from, to]) => from < to),
  };
}

/**
 * The frames with a visible object.
 * @param numbers of the frames of the job, ascending
 * @returns for each position 1 if an object is visible there, otherwise 0
 */
export function occupied(
  objects: Iterable<readonly [string, EditedObject]>,
  numbers: readonly number[],
): Readonly<Uint8Array> {
  const found = new Uint8Array(numbers.length);
  for (const [, { kind, value }] of objects) {
    if (kind === 'track') for (const [from, to] of timesOf(value, numbers).ranges) found.fill(1, from, to);
    else {
      const at = firstNotBelow(numbers, value.frame);
      if (numbers[at] === value.frame) found[at] = 1;
    }
  }
  return found;
}

/**
 * The pixels of keyframes, one for all keyframes on the same pixel: however many there are, no more are drawn than the
 * timeline has pixels.
 */
export function marksIn(keyframes: readonly number[], { from, to }: TimeView, width: number): number[] {
  const perPixel = (to - from) / width;
  const marks: number[] = [];
  for (let i = firstNotBelow(keyframes, from); i < keyframes.length;) {
    // A frame has a width; its keyframe is in its middle.
    const pixel = Math.floor(((keyframes[i] ?? 0) + 0.5 - from) / perPixel);
    if (pixel >= width) break;
    marks.push(pixel);
    i = Math.max(i + 1, firstNotBelow(keyframes, from + (pixel + 1) * perPixel - 0.5));
  }
  return marks;
}

/** The bars of visible ranges, in pixels. Bars that touch are one. */
export function barsIn(ranges: TrackTimes['ranges'], { from, to }: TimeView, width: number): [number, number][] {
  const scale = width / (to - from);
  const bars: [number, number][] = [];
  for (const [start, end] of ranges) {
    if (end <= from || start >= to) continue;
    const bar: [number, number] = [Math.max(0, (start - from) * scale), Math.min(width, (end - from) * scale)];
    const last = bars.at(-1);
    if (last !== undefined && bar[0] - last[1] < 1) last[1] = bar[1];
    else bars.push(bar);
  }
  return bars;
}

/** Zooms a view about a position. At least ten frames are visible. */
export function zoomed({ from, to }: TimeView, factor: number, about: number, count: number): TimeView {
  const length = Math.min(count, Math.max(Math.min(10, count), (to - from) / factor));
  const start = about - ((about - from) / (to - from)) * length;
  return moved({ from: start, to: start + length }, 0, count);
}

/** Moves a view within the frames. */
export function moved({ from, to }: TimeView, by: number, count: number): TimeView {
  const start = Math.max(0, Math.min(count - (to - from), from + by));
  return { from: start, to: start + (to - from) };
}
