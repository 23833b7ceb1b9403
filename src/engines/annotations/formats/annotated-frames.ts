import { orderCorners } from '../corners.js';
import { completeShape, completeTrack, withDefaults } from '../complete.js';
import { trackShapes } from '../../../shared/annotations/interpolate.js';
import { LabelIndex } from '../labels.js';
import type { Shape, Tag, Track } from '../../../shared/annotations/model.js';
import type { Dataset, DatasetFrame, DatasetTask } from './dataset.js';
import type { AnnotationSource } from './format.js';

interface OnFrame {
  frame: number;
}

/** The items of one job in batches, sorted by frame. */
interface JobBatches<T> {
  /** First frame of the job. */
  start: number;
  batches: AsyncIterable<readonly T[]>;
}

/**
 * Merges the items of several jobs into one sequence sorted by frame. Only items on frames that jobs share are
 * buffered. On equal frames, the items of the earlier job come first.
 * @param jobs sorted by first frame; opened one after the other, each read to its end
 */
export async function* joinByFrame<T extends OnFrame>(jobs: readonly JobBatches<T>[]): AsyncGenerator<T[]> {
  let held: T[] = [];
  for (const [index, job] of jobs.entries()) {
    const end = jobs[index + 1]?.start ?? Infinity;
    const waiting: T[] = [];
    let next = 0;
    for await (const batch of job.batches) {
      const ready: T[] = [];
      const admit = (item: T): unknown => (item.frame < end ? ready : waiting).push(item);
      for (const item of batch) {
        for (let old = held[next]; old !== undefined && old.frame <= item.frame; old = held[++next]) admit(old);
        admit(item);
      }
      if (ready.length > 0) yield ready;
    }
    const rest = held.slice(next);
    const ready = rest.filter((item) => item.frame < end);
    if (ready.length > 0) yield ready;
    held = [...waiting, ...rest.filter((item) => item.frame >= end)];
  }
}

/** Reads a sequence sorted by frame one frame at a time. */
export class FrameCursor<T extends OnFrame> {
  private readonly batches: AsyncIterator<readonly T[]>;
  private batch: readonly T[] = [];
  private next = 0;

  constructor(batches: AsyncIterable<readonly T[]>) {
    this.batches = batches[Symbol.asyncIterator]();
  }

  /**
   * @param frame not lower than in the previous call; items on lower frames are skipped
   * @returns up to `limit` items of the frame; if there are `limit`, call again for more
   */
  async take(frame: number, limit: number): Promise<T[]> {
    const found: T[] = [];
    while (found.length < limit) {
      const item = this.batch[this.next];
      if (item === undefined) {
        if (!(await this.load())) break;
      } else if (item.frame > frame) break;
      else {
        if (item.frame === frame) found.push(item);
        this.next++;
      }
    }
    return found;
  }

  /** Lets the source release its resources if the sequence is not read to its end. */
  async close(): Promise<void> {
    await this.batches.return?.();
  }

  private async load(): Promise<boolean> {
    const { done, value } = await this.batches.next();
    this.batch = done === true ? [] : value;
    this.next = 0;
    return done !== true;
  }
}

/** A single shape, or the shape of a track on one frame. */
export interface FrameShape extends Shape {
  /** Number of the track within the dataset. */
  track?: number;
  /** Whether the track has a keyframe here; only on shapes of tracks. */
  keyframe?: boolean;
}

/** Part of the annotations of a frame. A frame with many shapes is split into parts; an empty frame has one part. */
export interface FramePart {
  task: DatasetTask;
  frame: DatasetFrame;
  /** Index of the frame within the dataset, from 0. */
  index: number;
  first: boolean;
  last: boolean;
  tags: readonly Tag[];
  shapes: readonly FrameShape[];
}

/** Shapes per part. Small, so that the garbage collector frees them while they are young. */
const PART = 256;

/**
 * Yields the annotations of a dataset frame by frame. Tracks become the shapes that are visible on the frame, and
 * attributes are complete. Single shapes are streamed. Tags and tracks of one task are held in memory, because a source
 * supports one reader at a time and every frame may need any track.
 */
export async function* annotatedFrames(dataset: Dataset, source: AnnotationSource): AsyncGenerator<FramePart> {
  const labels = new LabelIndex(dataset.labels);
  let index = 0;
  let trackNumber = 0;
  for (const task of dataset.tasks) {
    const tracks = await loadTracks(task, source, labels, trackNumber);
    trackNumber += tracks.count;
    const tags = new FrameCursor(await loaded(source.tags(task)));
    const shapes = new FrameCursor(source.shapes(task));
    try {
      for (const frame of task.frames)
        yield* frameParts({ task, frame, index: index++ }, { tags, shapes }, tracks, labels);
    } finally {
      await shapes.close();
    }
  }
}

/** Reads a sequence to its end, because its source supports one reader at a time. */
async function loaded<T>(batches: AsyncIterable<readonly T[]>): Promise<AsyncIterable<readonly T[]>> {
  const all: (readonly T[])[] = [];
  for await (const batch of batches) all.push(batch);
  return (async function* () {
    yield* all;
  })();
}

interface Cursors {
  tags: FrameCursor<Tag>;
  shapes: FrameCursor<Shape>;
}

async function* frameParts(
  location: Pick<FramePart, 'task' | 'frame' | 'index'>,
  cursors: Cursors,
  tracks: TrackFrames,
  labels: LabelIndex,
): AsyncGenerator<FramePart> {
  const { frame } = location.frame;
  const tags = await cursors.tags.take(frame, Infinity);
  for (const tag of tags) tag.attributes = withDefaults(tag.attributes, labels.defaults(tag.label_id, 'all'));
  for (let first = true; ; first = false) {
    const single: readonly Shape[] = await cursors.shapes.take(frame, PART);
    for (const shape of single) {
      completeShape(shape, labels);
      orderCorners(shape);
    }
    const last = single.length < PART;
    const shapes = last ? [...single, ...tracks.take(frame)] : single;
    yield {
      task: location.task,
      frame: location.frame,
      index: location.index,
      first,
      last,
      tags: first ? tags : [],
      shapes,
    };
    if (last) return;
  }
}

async function loadTracks(
  task: DatasetTask,
  source: AnnotationSource,
  labels: LabelIndex,
  firstNumber: number,
): Promise<TrackFrames> {
  const tracks = new TrackFrames(
    task.frames.map(({ frame }) => frame),
    firstNumber,
  );
  for await (const batch of source.tracks(task)) {
    for (const track of batch) {
      completeTrack(track, labels);
      track.shapes.forEach(orderCorners);
      tracks.add(track);
    }
  }
  return tracks;
}

interface PendingTrack {
  readonly number: number;
  /** The frames of its keyframes. */
  readonly keyframes: ReadonlySet<number>;
  readonly rest: Generator<Shape>;
}

interface Pending extends PendingTrack {
  readonly shape: Shape;
}

/** Yields tracks as shapes, frame by frame. Each track is queued at the next frame on which it is visible. */
class TrackFrames {
  count = 0;
  private readonly waiting = new Map<number, Pending[]>();

  constructor(
    private readonly frames: readonly number[],
    private readonly firstNumber: number,
  ) {}

  add(track: Track): void {
    const shapes = [track, ...track.elements].flatMap((part) => part.shapes);
    this.enqueue({
      number: this.firstNumber + this.count++,
      keyframes: new Set(shapes.map(({ frame }) => frame)),
      rest: trackShapes(track, framesOf(track, this.frames)),
    });
  }

  /** Frames must ascend from call to call. */
  take(frame: number): FrameShape[] {
    const here = this.waiting.get(frame);
    if (here === undefined) return [];
    this.waiting.delete(frame);
    here.sort((a, b) => a.number - b.number);
    for (const track of here) this.enqueue(track);
    return here.map(({ shape, number, keyframes }) =>
      Object.assign(shape, { track: number, keyframe: keyframes.has(frame) }),
    );
  }

  private enqueue({ number, keyframes, rest }: PendingTrack): void {
    const next = rest.next();
    if (next.done === true) return;
    const { frame } = next.value;
    const pending = { number, keyframes, shape: next.value, rest };
    const queue = this.waiting.get(frame);
    if (queue === undefined) this.waiting.set(frame, [pending]);
    else queue.push(pending);
  }
}

/**
 * The frames on which a track can be visible, from its first keyframe on. If its last keyframe hides it, they end at
 * that frame, or at the next one if that frame is left out.
 */
export function framesOf(track: Track, frames: readonly number[]): readonly number[] {
  const [first, last] = [track.shapes[0], track.shapes.at(-1)];
  if (first === undefined || last === undefined) return [];
  const start = lowerBound(frames, first.frame);
  return last.outside ? frames.slice(start, lowerBound(frames, last.frame) + 1) : frames.slice(start);
}

/** @returns the index of the first number that is not below `value`; numbers must ascend */
export function lowerBound(numbers: readonly number[], value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
