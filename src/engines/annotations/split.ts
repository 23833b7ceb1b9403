import {
  type AnnotationAction,
  emptyData,
  type LabeledData,
  type Shape,
  type Tag,
  type Track,
  type TrackElement,
} from '../../shared/annotations/model.js';
import { greatest } from '../../shared/extremes.js';
import { finish, type Steps } from '../concurrency/steps.js';
import { AnnotationInvalid } from './field-errors.js';
import { TrackCutter } from './track-cutter.js';

/** The frames of a job, inclusive, numbered as in the task. */
export interface FrameRange {
  start: number;
  stop: number;
}

/** Copies of objects and elements for further jobs, and parts of tracks: they take about half a gigabyte. */
const MAX_COPIES = 500_000;
/** Numbers of the keyframes that are added on borders. */
const MAX_NUMBERS = 50_000_000;

/** Objects in one step. */
const IN_STEP = 256;

/**
 * Distributes annotations of a task over its jobs: tags and shapes go to every job that has their frame, tracks are cut,
 * and an interval goes to the job in which it starts. Annotations outside all jobs are dropped.
 * Parts share no objects, so ids can be assigned to each. Ids stay as sent, so the database rejects the copy of an
 * updated object for a second job; only copies of new keyframes lose their ids.
 * @returns one part per range, in the same order
 * @throws AnnotationInvalid if tracks would be cut into far too many parts
 */
export const splitData = (
  data: LabeledData,
  ranges: readonly FrameRange[],
  options: { action: AnnotationAction },
): LabeledData[] => finish(splitSteps(data, ranges, options));

/** The same in steps. */
export function* splitSteps(
  data: LabeledData,
  ranges: readonly FrameRange[],
  options: { action: AnnotationAction },
): Steps<LabeledData[]> {
  const parts = ranges.map(() => emptyData());
  const find = new RangeFinder(ranges);
  yield* countCopies(data, find);
  for (const [at, tag] of data.tags.entries()) {
    if (at % IN_STEP === 0) yield;
    find.each(tag.frame, (job) => parts[job]?.tags.push(copyTag(tag)));
  }
  for (const [at, shape] of data.shapes.entries()) {
    if (at % IN_STEP === 0) yield;
    find.each(shape.frame, (job) => parts[job]?.shapes.push(copyShape(shape)));
  }
  for (const interval of data.intervals) {
    const job = find.first(interval.start);
    if (job !== undefined) parts[job]?.intervals.push({ ...interval });
  }
  for (const track of data.tracks) {
    yield;
    const cutter = new TrackCutter(track);
    for (const [copy, { index, range }] of find.where((frame) => cutter.visibleFrom(frame)).entries()) {
      if (copy % IN_STEP === 0) yield;
      const part = cutter.cut(range.start, range.stop);
      parts[index]?.tracks.push(copy > 0 && options.action === 'create' ? withoutShapeIds(part) : part);
    }
  }
  return parts;
}

/** Counts what a few annotations would become in thousands of jobs. @throws AnnotationInvalid */
function* countCopies({ tags, shapes, tracks }: LabeledData, find: RangeFinder): Steps<void> {
  let [copies, numbers] = [0, 0];
  const count = (list: string, more: number, moreNumbers = 0): void => {
    copies += Math.max(0, more);
    numbers += moreNumbers;
    if (copies <= MAX_COPIES && numbers <= MAX_NUMBERS) return;
    const fault =
      'They are on frames of so many jobs that the copies take too much memory. Send fewer of them at once.';
    throw new AnnotationInvalid({ [list]: [fault] });
  };
  const jobsWith = (frame: number): number => find.each(frame, () => undefined);
  for (const [at, tag] of tags.entries()) {
    if (at % IN_STEP === 0) yield;
    count('tags', jobsWith(tag.frame) - 1);
  }
  for (const [at, shape] of shapes.entries()) {
    if (at % IN_STEP === 0) yield;
    count('shapes', (jobsWith(shape.frame) - 1) * (1 + shape.elements.length));
  }
  for (const track of tracks) {
    yield;
    const cutter = new TrackCutter(track);
    const jobs = find.where((frame) => cutter.visibleFrom(frame)).length;
    count('tracks', (jobs - 1) * (1 + track.elements.length), Math.max(0, jobs - 1) * longestOf(track));
  }
}

/** Numbers of the longest keyframe, of which there is one on each border. */
const longestOf = ({ shapes }: Track): number => greatest([0, ...shapes.map(({ points }) => points.length)]);

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

interface IndexedRange {
  readonly index: number;
  readonly range: FrameRange;
}

/** Finds the jobs of a frame by binary search, because a task may have a million shapes. */
class RangeFinder {
  private readonly order: IndexedRange[];
  private readonly longest: number;

  constructor(ranges: readonly FrameRange[]) {
    this.order = ranges.map((range, index) => ({ index, range })).sort((a, b) => a.range.start - b.range.start);
    this.longest = Math.max(0, greatest(ranges.map((range) => range.stop - range.start)));
  }

  /** Calls back with the index of every range that contains the frame. @returns their number */
  each(frame: number, found: (index: number) => void): number {
    let count = 0;
    for (let i = this.firstFrom(frame - this.longest); i < this.order.length; i++) {
      const entry = this.order[i];
      if (entry === undefined || entry.range.start > frame) break;
      if (entry.range.stop < frame) continue;
      found(entry.index);
      count++;
    }
    return count;
  }

  first(frame: number): number | undefined {
    let result: number | undefined;
    this.each(frame, (index) => (result ??= index));
    return result;
  }

  /**
   * The ranges on which something is visible, in their own order.
   * @param visibleFrom returns the first frame from a given one on at which it is visible
   */
  where(visibleFrom: (frame: number) => number | undefined): IndexedRange[] {
    const found: IndexedRange[] = [];
    for (let i = 0; i < this.order.length;) {
      const entry = this.order[i];
      const frame = entry === undefined ? undefined : visibleFrom(entry.range.start);
      if (entry === undefined || frame === undefined) break;
      if (frame <= entry.range.stop) found.push(entry);
      i = frame <= entry.range.stop ? i + 1 : Math.max(i + 1, this.firstFrom(frame - this.longest));
    }
    return found.sort((a, b) => a.index - b.index);
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
