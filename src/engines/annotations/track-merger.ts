import { Keyframes } from '../../shared/annotations/interpolate.js';
import type { Box } from '../../shared/annotations/mask.js';
import type { Track, TrackedShape, TrackElement } from '../../shared/annotations/model.js';
import type { Steps } from '../concurrency/steps.js';
import { bestPairs, type Pair, TooManyPairs } from './assignment.js';
import { equalPairs, type Excess, type Overlap } from './duplicates.js';
import { BoxIndex } from './box-index.js';
import { PairBudget } from './pair-budget.js';
import { type Measured, measured, similarityOf } from './similarity.js';

/** Two tracks of one label are duplicates from this mean similarity on. */
const SAME_TRACK = 0.5;

/**
 * Joins the tracks of a task's jobs. Tracks that are similar on the frames that two jobs share become one; a track that does
 * not continue ends after the shared frames. Tracks that are equal on them are matched first.
 */
export class TrackMerger {
  private readonly all: Track[] = [];
  /** Positions of the tracks that the next job may continue. */
  private alive: number[] = [];
  private readonly copies = new WeakSet<Track>();

  constructor(
    private readonly is3d: boolean,
    private readonly excess: Excess,
  ) {}

  /** The tracks of all jobs so far, in the order of their frames. */
  get tracks(): readonly Track[] {
    return this.all;
  }

  /** Adds the tracks of the next job. @throws TooManyPairs that names the first shared frame */
  *add(tracks: readonly Track[], job: Overlap): Steps<void> {
    const fresh = tracks.map((track) => ({ ...sorted(track), elements: track.elements.map(sorted) }));
    const end = job.start + job.overlap;
    this.alive = this.alive.filter((index) => isAlive(this.all[index], job.start));
    const next = yield* this.continued(fresh.filter(({ frame }) => frame < end), job); // prettier-ignore
    for (const index of this.alive) {
      yield;
      const [track, other] = [this.all[index], next.get(index)];
      if (track !== undefined)
        this.all[index] = other === undefined ? closeTrack(track, end) : this.united(track, other);
    }
    const united = new Set(next.values());
    for (const track of fresh) if (!united.has(track)) this.alive.push(this.all.push(track) - 1);
  }

  /** The older track with the keyframes of both. */
  private united(old: Track, next: Track): Track {
    const track = this.copies.has(old) ? old : copyOf(old);
    this.copies.add(track);
    track.frame = Math.min(old.frame, next.frame);
    append(track, next);
    const elements = new Map(next.elements.toReversed().map((part) => [part.label_id, part]));
    for (const [i, element] of track.elements.entries()) {
      const other = elements.get(element.label_id) ?? next.elements[i];
      if (other !== undefined) append(element, other);
    }
    return track;
  }

  /** The tracks of the job that continue earlier ones, by the positions of these. */
  private *continued(meeting: readonly Track[], job: Overlap): Steps<Map<number, Track>> {
    const found = new Map<number, Track>();
    if (this.alive.length === 0 || meeting.length === 0) return found;
    const budget = new PairBudget();
    try {
      const old = yield* this.views(this.alive.flatMap((index) => this.all[index] ?? []), job, budget); // prettier-ignore
      const fresh = yield* this.views(meeting, job, budget);
      const equal = yield* equalPairs(old, fresh, (view) => view.key);
      for (const [at, view] of old.entries()) {
        const other = equal.old.get(view);
        if (other !== undefined) found.set(this.alive[at] ?? 0, other.track);
      }
      const oldLeft = [...old.entries()].filter(([, view]) => !equal.old.has(view));
      const freshLeft = fresh.filter((view) => !equal.fresh.has(view));
      const pairs = yield* similarViews(oldLeft.map(([, view]) => view), freshLeft, budget); // prettier-ignore
      for (const { a, b } of yield* bestPairs(pairs)) {
        const [index, other] = [this.alive[oldLeft[a]?.[0] ?? -1], freshLeft[b]];
        if (index !== undefined && other !== undefined) found.set(index, other.track);
      }
    } catch (error) {
      if (!(error instanceof TooManyPairs)) throw error;
      if (this.excess === 'fail') throw excessiveTracks(job);
    }
    return found;
  }

  private *views(tracks: readonly Track[], job: Overlap, budget: PairBudget): Steps<View[]> {
    const views: View[] = [];
    for (const track of tracks) views.push(yield* viewOf(track, job, this.is3d, budget));
    return views;
  }
}

const excessiveTracks = ({ start, overlap }: Overlap): TooManyPairs =>
  new TooManyPairs(
    `The tracks on the frames ${start} to ${start + overlap - 1} cannot be compared: too many of them overlap each other, ` +
      'or they are too large. Remove duplicates, or delete the frames.',
  );

/** A track on the frames that two jobs share. */
interface View {
  readonly track: Track;
  /** The same for two tracks that are equal on these frames; undefined if it is never similar to another. */
  readonly key: string | undefined;
  readonly shapes: readonly (Visible | undefined)[];
  /** The box around the shapes on all frames. */
  readonly box: Box | undefined;
}

interface Visible {
  readonly outside: boolean;
  readonly size: Measured | undefined;
}

function* viewOf(track: Track, job: Overlap, is3d: boolean, budget: PairBudget): Steps<View> {
  const keyframes = new Keyframes(track.shapes);
  const shapes: (Visible | undefined)[] = [];
  const keys: string[] = [];
  let box: Box | undefined;
  for (let frame = job.start; frame < job.start + job.overlap; frame++) {
    const shape = keyframes.at(frame);
    budget.spend(1 + (shape?.points.length ?? 0));
    if (budget.isStepOver) yield;
    const size = shape && measured(shape, is3d);
    shapes.push(shape && { outside: shape.outside, size });
    keys.push(shape === undefined ? '' : `${shape.outside} ${size === undefined ? '' : `${shape.type} ${shape.points.join()}`}`); // prettier-ignore
    if (size === undefined) continue;
    box = box === undefined ? size.box : around(box, size.box);
  }
  const isComparable = shapes.every((shape) => shape === undefined || shape.size !== undefined);
  const key = isComparable && box !== undefined ? `${track.label_id} ${keys.join(';')}` : undefined;
  return { track, key, shapes, box };
}

const around = (a: Box, b: Box): Box => ({
  left: Math.min(a.left, b.left),
  top: Math.min(a.top, b.top),
  right: Math.max(a.right, b.right),
  bottom: Math.max(a.bottom, b.bottom),
});

function* similarViews(old: readonly View[], fresh: readonly View[], budget: PairBudget): Steps<Pair[]> {
  const index = new BoxIndex(fresh.map(({ box }) => box));
  const pairs: Pair[] = [];
  for (const [a, view] of old.entries()) {
    yield;
    for (const b of view.box === undefined ? [] : index.overlapping(view.box, budget.scan)) {
      const other = fresh[b];
      if (other === undefined || view.track.label_id !== other.track.label_id) continue;
      const similarity = yield* viewSimilarity(view, other, budget);
      if (similarity < SAME_TRACK) continue;
      budget.keep();
      pairs.push({ a, b, similarity });
    }
  }
  return pairs;
}

/**
 * The mean over the frames on which at least one of the two exists. A frame where only one exists, or only one is
 * hidden, counts as 0.
 */
function* viewSimilarity(old: View, fresh: View, budget: PairBudget): Steps<number> {
  let [sum, count] = [0, 0];
  for (const [at, a] of old.shapes.entries()) {
    const b = fresh.shapes[at];
    budget.spend(1);
    if (budget.isStepOver) yield;
    if (a === undefined && b === undefined) continue;
    count++;
    if (a?.size === undefined || b?.size === undefined || a.outside !== b.outside) continue;
    sum += similarityOf(a.size, b.size, 0, budget.spend);
  }
  return count > 0 ? sum / count : 0;
}

function isAlive(track: Track | undefined, frame: number): boolean {
  const last = track?.shapes.at(-1);
  return last !== undefined && (last.frame >= frame || !last.outside);
}

const isSorted = (shapes: readonly TrackedShape[]): boolean =>
  shapes.every(({ frame }, at) => at === 0 || frame >= (shapes[at - 1]?.frame ?? 0));

const sorted = <T extends TrackElement>(track: T): T =>
  isSorted(track.shapes) ? track : { ...track, shapes: track.shapes.toSorted((a, b) => a.frame - b.frame) };

/** A copy whose lists of shapes can be changed. */
const copyOf = (track: Track): Track => ({
  ...track,
  shapes: [...track.shapes],
  elements: track.elements.map((element) => ({ ...element, shapes: [...element.shapes] })),
});

/** Adds the keyframes of the same track in the next job. On a frame that both have, the older one takes precedence. */
function append(old: TrackElement, next: TrackElement): void {
  const first = next.shapes[0]?.frame ?? Infinity;
  let start = old.shapes.length;
  while (start > 0 && (old.shapes[start - 1]?.frame ?? -1) >= first) start--;
  const shared = old.shapes.splice(start);
  const taken = new Set(shared.map(({ frame }) => frame));
  const added = next.shapes.filter(({ frame }) => !taken.has(frame));
  for (const shape of [...shared, ...added].sort((a, b) => a.frame - b.frame)) old.shapes.push(shape);
}

/** Hides a visible track and its elements from a frame on; the closing keyframe is a copy of the last one. */
function closeTrack(track: Track, frame: number): Track {
  return { ...closeElement(track, frame), elements: track.elements.map((element) => closeElement(element, frame)) };
}

function closeElement<T extends TrackElement>(track: T, frame: number): T {
  const last = track.shapes.at(-1);
  if (last === undefined || last.outside || last.frame >= frame) return track;
  return { ...track, shapes: [...track.shapes, { ...last, frame, outside: true }] };
}
