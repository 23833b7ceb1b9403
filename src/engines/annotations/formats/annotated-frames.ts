import { completeShape, completeTrack, withDefaults } from '../complete.js';
import { trackShapes } from '../../../shared/annotations/interpolate.js';
import { LabelIndex } from '../labels.js';
import type { Shape, Tag, Track } from '../../../shared/annotations/model.js';
import { FrameCursor } from './by-frame.js';
import type { Dataset, DatasetFrame, DatasetTask } from './dataset.js';
import type { AnnotationSource } from './format.js';

/** A single shape, or the shape of a track on one frame. */
export interface FrameShape extends Shape {
  /** Number of the track within the dataset. */
  track?: number;
}

/** A part of what is on one frame: a frame with a million shapes comes in many parts, an empty one in one. */
export interface FramePart {
  task: DatasetTask;
  frame: DatasetFrame;
  /** Running number of the frame within the dataset, from 0. */
  index: number;
  first: boolean;
  last: boolean;
  tags: readonly Tag[];
  shapes: readonly FrameShape[];
}

/** Shapes in one part: few, so that they are gone before the collector takes them for objects that stay. */
const PART = 256;

/**
 * The annotations of a dataset frame by frame, tracks as the shapes that are visible there, attributes complete. Single
 * shapes are streamed. Tags and tracks of one task are held in memory: a source reads one thing at a time, and every
 * frame may need any track.
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

/** Reads a sequence to its end before anything else is asked of its source. */
async function loaded<T>(pieces: AsyncIterable<readonly T[]>): Promise<AsyncIterable<readonly T[]>> {
  const all: (readonly T[])[] = [];
  for await (const piece of pieces) all.push(piece);
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
    for (const shape of single) completeShape(shape, labels);
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
  for await (const piece of source.tracks(task)) {
    for (const track of piece) {
      completeTrack(track, labels);
      tracks.add(track);
    }
  }
  return tracks;
}

interface Pending {
  number: number;
  shape: Shape;
  rest: Generator<Shape>;
}

/** Tracks as shapes, frame by frame; each track waits at the next frame on which it is visible. */
class TrackFrames {
  count = 0;
  private readonly waiting = new Map<number, Pending[]>();

  constructor(
    private readonly frames: readonly number[],
    private readonly firstNumber: number,
  ) {}

  add(track: Track): void {
    this.enqueue(this.firstNumber + this.count++, trackShapes(track, framesOf(track, this.frames)));
  }

  /** Frames ascend from call to call. */
  take(frame: number): FrameShape[] {
    const here = this.waiting.get(frame);
    if (here === undefined) return [];
    this.waiting.delete(frame);
    here.sort((a, b) => a.number - b.number);
    for (const { number, rest } of here) this.enqueue(number, rest);
    return here.map(({ shape, number }) => Object.assign(shape, { track: number }));
  }

  private enqueue(number: number, rest: Generator<Shape>): void {
    const next = rest.next();
    if (next.done === true) return;
    const { frame } = next.value;
    const pending = { number, shape: next.value, rest };
    const queue = this.waiting.get(frame);
    if (queue === undefined) this.waiting.set(frame, [pending]);
    else queue.push(pending);
  }
}

/**
 * The frames on which a track may be visible: from its first keyframe to the last one, if that hides it, or to the next
 * frame where the last one's is left out.
 */
export function framesOf(track: Track, frames: readonly number[]): readonly number[] {
  const [first, last] = [track.shapes[0], track.shapes.at(-1)];
  if (first === undefined || last === undefined) return [];
  const start = lowerBound(frames, first.frame);
  return last.outside ? frames.slice(start, lowerBound(frames, last.frame) + 1) : frames.slice(start);
}

/** @returns the place of the first number that is not below `value`; numbers ascend */
export function lowerBound(numbers: readonly number[], value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
