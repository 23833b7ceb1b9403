import { bestPairs } from './assignment.js';
import type { Pair } from './assignment.js';
import { Keyframes } from '../../shared/annotations/interpolate.js';
import type { Overlap } from './merge-shapes.js';
import type { Track, TrackedShape, TrackElement } from '../../shared/annotations/model.js';
import { shapeSimilarity } from './similarity.js';

/** Two tracks of one label are the same from this mean similarity on. */
const SAME_TRACK = 0.5;

/**
 * Adds the tracks of the next job to those of the jobs before it. Tracks that look alike on the shared frames become
 * one; a track that does not go on is closed behind the shared frames.
 * @param merged tracks of the jobs before, in the order of their frames; not changed
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

/** Mean over the frames on which at least one of the two exists; 0 where only one does or only one is hidden. */
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

/** The older track with the keyframes of both; on a frame that both have, its own stays. */
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

/** Hides a visible track, and its elements, from a frame on; the closing keyframe is a copy of the last one. */
function closeTrack(track: Track, frame: number): Track {
  return { ...closeElement(track, frame), elements: track.elements.map((element) => closeElement(element, frame)) };
}

function closeElement<T extends TrackElement>(track: T, frame: number): T {
  const last = lastShape(track);
  if (last === undefined || last.outside || last.frame >= frame) return track;
  return { ...track, shapes: [...track.shapes, { ...last, frame, outside: true }] };
}
