import type { AnnotationAction, LabeledData, Shape, Tag, Track, TrackElement } from '../../shared/annotations/model.js';
import { emptyData } from '../../shared/annotations/model.js';
import { sliceTrack } from './slice-track.js';

/** The frames of a job, inclusive, in numbers of the task. */
export interface FrameRange {
  start: number;
  stop: number;
}

/**
 * Spreads annotations of a task over its jobs: tags and shapes go to every job that has their frame, tracks are cut,
 * an interval goes whole to the job in which it starts. What lies outside every job is dropped.
 * Parts share no objects, so ids can be assigned to each. Ids stay as sent, so the copy of an updated object for a
 * second job is refused by the database as taken; only new keyframes lose the ids of their copies.
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

/** Finds the jobs of a frame without trying all jobs for each of a million shapes. */
class RangeFinder {
  private readonly order: { index: number; range: FrameRange }[];
  private readonly longest: number;

  constructor(ranges: readonly FrameRange[]) {
    this.order = ranges.map((range, index) => ({ index, range })).sort((a, b) => a.range.start - b.range.start);
    this.longest = Math.max(0, ...ranges.map((range) => range.stop - range.start));
  }

  /** Calls back with the index of every range that has the frame. */
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

  /** @returns the place of the first range that starts at `start` or later */
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
