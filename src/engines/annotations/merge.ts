import { Keyframes } from '../../shared/annotations/interpolate.js';
import {
  emptyData,
  type LabeledData,
  type Shape,
  type Tag,
  type Track,
  type TrackedShape,
  type TrackElement,
} from '../../shared/annotations/model.js';
import { bestPairs, type Pair } from './assignment.js';
import { ExtentIndex } from './extent-index.js';
import { horizontalExtent, shapeSimilarity } from './similarity.js';

export interface JobPart extends Overlap {
  data: LabeledData;
}

/**
 * Merges the annotations of a task's jobs. Duplicates on frames that two jobs share appear once, from the first job.
 * @param parts the jobs; `overlap` is that of the task, also for the first job, where it has no effect
 */
export function mergeParts(parts: readonly JobPart[], options: { is3d: boolean }): LabeledData {
  const merged = emptyData();
  const tags = duplicateTags();
  const shapes = duplicateShapes(options);
  for (const part of parts.toSorted((a, b) => a.start - b.start)) {
    const { data } = part;
    const knownTags = tags.admit(part, data.tags);
    for (const tag of data.tags) if (!knownTags.has(tag)) merged.tags.push(tag);
    const knownShapes = shapes.admit(part, data.shapes);
    for (const shape of data.shapes) if (!knownShapes.has(shape)) merged.shapes.push(shape);
    merged.tracks = mergeTracks(merged.tracks, data.tracks, { ...part, ...options });
    for (const interval of data.intervals) merged.intervals.push(interval);
  }
  return merged;
}

/** Two shapes of one label are duplicates from this similarity on. */
const SAME_SHAPE = 0.75;

interface OnFrame {
  frame: number;
  label_id: number;
}

/** The first frame of a job, and how many of its frames it shares with the previous jobs. */
export interface Overlap {
  start: number;
  overlap: number;
}

/**
 * Finds objects that several jobs have annotated. It receives the jobs in the order of their frames, and keeps only
 * objects that later jobs can duplicate. Objects on frames that are not shared are accepted and ignored.
 */
export class DuplicateFinder<T extends OnFrame> {
  private seen: T[] = [];

  /** @param pairs which of the old and the fresh objects of a frame may be duplicates, as positions in the lists */
  constructor(private readonly pairs: (old: readonly T[], fresh: readonly T[]) => Pair[]) {}

  /** @returns the fresh objects that are duplicates */
  admit(job: Overlap, fresh: readonly T[]): Set<T> {
    const end = job.start + job.overlap;
    this.seen = this.seen.filter((object) => object.frame >= job.start);
    const old = byFrame(this.seen.filter((object) => object.frame < end));
    const duplicates = new Set<T>();
    for (const [frame, shared] of byFrame(fresh.filter((object) => object.frame < end))) {
      for (const { b } of bestPairs(this.pairs(old.get(frame) ?? [], shared))) {
        const duplicate = shared[b];
        if (duplicate !== undefined) duplicates.add(duplicate);
      }
    }
    for (const object of fresh) if (!duplicates.has(object)) this.seen.push(object);
    return duplicates;
  }
}

/** Finds shapes annotated in two jobs: rectangles and polygons (3d: cuboids) of one label that overlap. */
export function duplicateShapes(options: { is3d: boolean }): DuplicateFinder<Shape> {
  const similarity = { is3d: options.is3d, atLeast: SAME_SHAPE };
  return new DuplicateFinder((old, fresh) => {
    const pairs: Pair[] = [];
    const sorted = new ExtentIndex(fresh.map((shape) => horizontalExtent(shape, options.is3d)));
    old.forEach((oldShape, a) => {
      const extent = horizontalExtent(oldShape, options.is3d);
      if (extent === undefined) return;
      sorted.eachOverlapping(extent, (b) => {
        const shape = fresh[b];
        if (shape?.label_id !== oldShape.label_id) return;
        const found = shapeSimilarity(oldShape, shape, similarity);
        if (found >= SAME_SHAPE) pairs.push({ a, b, similarity: found });
      });
    });
    return pairs;
  });
}

/** Finds tags annotated in two jobs. */
export function duplicateTags(): DuplicateFinder<Tag> {
  return new DuplicateFinder((old, fresh) => {
    const pairs: Pair[] = [];
    fresh.forEach((tag, b) => {
      old.forEach((oldTag, a) => {
        if (oldTag.label_id === tag.label_id) pairs.push({ a, b, similarity: 1 });
      });
    });
    return pairs;
  });
}

function byFrame<T extends OnFrame>(objects: readonly T[]): Map<number, T[]> {
  const frames = new Map<number, T[]>();
  for (const object of objects) {
    const list = frames.get(object.frame);
    if (list === undefined) frames.set(object.frame, [object]);
    else list.push(object);
  }
  return frames;
}

/** Two tracks of one label are duplicates from this mean similarity on. */
const SAME_TRACK = 0.5;

/**
 * Adds the tracks of the next job to those of the previous jobs. Tracks that are similar on the shared frames become
 * one; a track that does not continue ends after the shared frames.
 * @param merged tracks of the previous jobs, in the order of their frames; not changed
 */
export function mergeTracks(
  merged: readonly Track[],
  fresh: readonly Track[],
  job: Overlap & { is3d: boolean },
): Track[] {
  const end = job.start + job.overlap;
  const result = [...merged];
  const alive = [...merged.keys()].filter((index) => isAlive(merged[index], job.start));
  const meeting = fresh.filter((track) => track.frame < end);
  const united = new Set<Track>();
  const going = new Set<number>();
  for (const { a, b } of bestPairs(similarTracks(merged, alive, meeting, job))) {
    const [old, next] = [merged[a], meeting[b]];
    if (old === undefined || next === undefined) continue;
    result[a] = unite(old, next);
    united.add(next);
    going.add(a);
  }
  for (const index of alive) {
    const track = merged[index];
    if (track !== undefined && !going.has(index)) result[index] = closeTrack(track, end);
  }
  return [...result, ...fresh.filter((track) => !united.has(track))];
}

function lastShape(track: TrackElement): TrackedShape | undefined {
  return track.shapes.reduce<TrackedShape | undefined>(
    (last, shape) => (last === undefined || shape.frame >= last.frame ? shape : last),
    undefined,
  );
}

function isAlive(track: Track | undefined, frame: number): boolean {
  const last = track && lastShape(track);
  return last !== undefined && (last.frame >= frame || !last.outside);
}

function similarTracks(
  merged: readonly Track[],
  alive: readonly number[],
  meeting: readonly Track[],
  job: Overlap & { is3d: boolean },
): Pair[] {
  const views = new Map<Track, (TrackedShape | undefined)[]>();
  const view = (track: Track): (TrackedShape | undefined)[] => {
    let shapes = views.get(track);
    if (shapes === undefined) views.set(track, (shapes = sharedShapes(track, job)));
    return shapes;
  };
  const pairs: Pair[] = [];
  meeting.forEach((next, b) => {
    for (const a of alive) {
      const old = merged[a];
      if (old?.label_id !== next.label_id) continue;
      const similarity = trackSimilarity(view(old), view(next), job.is3d);
      if (similarity >= SAME_TRACK) pairs.push({ a, b, similarity });
    }
  });
  return pairs;
}

function sharedShapes(track: Track, job: Overlap): (TrackedShape | undefined)[] {
  const keyframes = new Keyframes(track.shapes);
  return Array.from({ length: job.overlap }, (_, i) => keyframes.at(job.start + i));
}

/**
 * The mean over the frames on which at least one of the two exists. A frame where only one exists, or only one is
 * hidden, counts as 0.
 */
function trackSimilarity(
  old: readonly (TrackedShape | undefined)[],
  next: readonly (TrackedShape | undefined)[],
  is3d: boolean,
): number {
  let [sum, count] = [0, 0];
  old.forEach((a, i) => {
    const b = next[i];
    if (a === undefined && b === undefined) return;
    count++;
    if (a !== undefined && b !== undefined && a.outside === b.outside) {
      sum += shapeSimilarity(a, b, { is3d, atLeast: 0 });
    }
  });
  return count > 0 ? sum / count : 0;
}

/** The older track with the keyframes of both. On a frame that both have, its own takes precedence. */
function unite(old: Track, next: Track): Track {
  const elements = old.elements.map((element, i) => {
    const other = next.elements.find((part) => part.label_id === element.label_id) ?? next.elements[i];
    return other === undefined ? element : { ...element, shapes: uniteShapes(element, other) };
  });
  return { ...old, frame: Math.min(old.frame, next.frame), shapes: uniteShapes(old, next), elements };
}

function uniteShapes(old: TrackElement, next: TrackElement): TrackedShape[] {
  const taken = new Set(old.shapes.map((shape) => shape.frame));
  return [...old.shapes, ...next.shapes.filter((shape) => !taken.has(shape.frame))].sort((a, b) => a.frame - b.frame);
}

/** Hides a visible track and its elements from a frame on; the closing keyframe is a copy of the last one. */
function closeTrack(track: Track, frame: number): Track {
  return { ...closeElement(track, frame), elements: track.elements.map((element) => closeElement(element, frame)) };
}

function closeElement<T extends TrackElement>(track: T, frame: number): T {
  const last = lastShape(track);
  if (last === undefined || last.outside || last.frame >= frame) return track;
  return { ...track, shapes: [...track.shapes, { ...last, frame, outside: true }] };
}
