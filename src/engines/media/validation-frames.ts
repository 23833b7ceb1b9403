import { validationFailure } from './media-error.js';
import { choose, type RandomSource, shuffled } from './random.js';
import type { FrameRange } from './segments.js';

/** Converts a share of `whole` to a number of frames: ⌊share·whole⌋, at least 1. */
export const countOfShare = (share: number, whole: number): number => Math.max(1, Math.floor(share * whole));

/** Draws frames of a task of `size` with equal probability; ascending. @param count at most `size` */
export const drawUniform = (size: number, count: number, random: RandomSource): number[] =>
  ascending(choose(range(0, size - 1), count, random, { ordered: false }));

/**
 * Draws frames per job. Frames drawn for one job count for the next one where they overlap. Ascending.
 * @param wanted frames per job; shorter jobs contribute all their frames
 */
export function drawPerJob(segments: readonly FrameRange[], wanted: number, random: RandomSource): number[] {
  const chosen = new Set<number>();
  let overlapStop = -1;
  for (const { start, stop } of segments) {
    const frames = range(start, stop);
    const free = frames.filter((frame) => !chosen.has(frame));
    const missing = Math.min(frames.length, wanted) - (frames.length - free.length);
    const own = free.filter((frame) => frame > overlapStop);
    // A short last job may also need frames of the overlap; CVAT fails there.
    const candidates = own.length >= missing ? own : free;
    if (missing > 0) for (const frame of choose(candidates, missing, random, { ordered: true })) chosen.add(frame);
    overlapStop = stop;
  }
  return ascending(chosen);
}

/** How often each frame of a pool is used. */
export type PoolUse = ReadonlyMap<number, number>;

/**
 * Draws honeypots for one job after another: distinct frames of the pool, least used first, ties broken at random.
 * @param use of every frame of the pool
 * @returns a function that draws `count` frames, at most as many as the pool has
 */
export function honeypotDrawer(use: PoolUse, random: RandomSource): (count: number) => number[] {
  const byUse: number[][] = [];
  for (const [frame, times] of use) (byUse[times] ??= []).push(frame);
  const bags = Array.from(byUse, (frames) => shuffled(frames ?? [], random));
  return (count) => {
    const taken: number[][] = [];
    for (let missing = count, times = 0; missing > 0 && times < bags.length; times++) {
      const frames = bags[times]?.splice(0, missing) ?? [];
      taken.push(frames);
      missing -= frames.length;
    }
    for (const [times, frames] of taken.entries()) for (const frame of frames) (bags[times + 1] ??= []).push(frame);
    return taken.flat();
  };
}

export interface PoolRequest {
  /** Number of frames in the task without honeypots. */
  readonly size: number;
  /** The frames that form the pool. */
  readonly pool: readonly number[];
  /** Frames per job without honeypots; 0: all that are not in the pool. */
  readonly segmentSize: number;
  /** Honeypots per job. */
  readonly perJob: number;
}

export interface PoolPlan {
  /** For each frame of the task, the original frame that it shows. */
  readonly order: readonly number[];
  /** For each frame of the task, the pool frame that it repeats; null if it is not a honeypot. */
  readonly real: readonly (number | null)[];
  /** The annotation jobs. */
  readonly segments: readonly FrameRange[];
  /** The validation frames at the end. */
  readonly pool: FrameRange;
}

/**
 * Plans a task with a pool. Shuffles the frames outside the pool and divides them into jobs. Adds honeypots that repeat
 * pool frames to each job, and shuffles the job. The pool follows at the end in its own order.
 * @param random selects
 * @param orderRandom shuffles the frames of each job
 * @throws MediaError for more honeypots per job than the pool has frames
 */
export function planPool(
  { size, pool, segmentSize, perJob }: PoolRequest,
  random: RandomSource,
  orderRandom: RandomSource,
): PoolPlan {
  if (perJob > pool.length) {
    throw validationFailure(
      `The number of validation frames requested per job (${perJob}) is greater than the validation pool size (${pool.length})`,
    );
  }
  const inPool = new Set(pool);
  const others = shuffled(
    range(0, size - 1).filter((frame) => !inPool.has(frame)),
    random,
  );
  const length = segmentSize > 0 ? segmentSize : others.length;
  const draw = honeypotDrawer(new Map(pool.map((frame) => [frame, 0])), random);
  const order: { frame: number; honeypot: boolean }[] = [];
  const segments: FrameRange[] = [];
  for (let first = 0; first < others.length; first += length) {
    const honeypots = draw(perJob);
    const frames = [
      ...others.slice(first, first + length).map((frame) => ({ frame, honeypot: false })),
      ...honeypots.map((frame) => ({ frame, honeypot: true })),
    ];
    segments.push({ start: order.length, stop: order.length + frames.length - 1 });
    for (const one of shuffled(frames, orderRandom)) order.push(one);
  }
  const start = order.length;
  const own = ascending(pool);
  const placeOf = new Map(own.map((frame, index) => [frame, start + index]));
  return {
    order: [...order.map(({ frame }) => frame), ...own],
    real: [
      ...order.map(({ frame, honeypot }) => (honeypot ? (placeOf.get(frame) ?? null) : null)),
      ...own.map(() => null),
    ],
    segments,
    pool: { start, stop: start + own.length - 1 },
  };
}

/** A frame of a job that repeats a pool frame. */
export interface Honeypot {
  readonly frame: number;
  readonly real: number;
}

/**
 * Updates the deleted frames of a task with a pool when its disabled frames change: disabled pool frames are deleted
 * with all their honeypots, and enabled ones are restored with them. Ascending.
 */
export function deletedWith(
  deleted: readonly number[],
  honeypots: readonly Honeypot[],
  { before, after }: { readonly before: readonly number[]; readonly after: readonly number[] },
): number[] {
  const out = new Set(after);
  const back = new Set(before.filter((frame) => !out.has(frame)));
  const withHoneypots = (pool: ReadonlySet<number>): number[] => [
    ...pool,
    ...honeypots.filter(({ real }) => pool.has(real)).map(({ frame }) => frame),
  ];
  const restored = new Set(withHoneypots(back));
  return ascending(new Set([...deleted.filter((frame) => !restored.has(frame)), ...withHoneypots(out)]));
}

const range = (start: number, stop: number): number[] =>
  Array.from({ length: Math.max(0, stop - start + 1) }, (_, index) => start + index);

const ascending = (frames: Iterable<number>): number[] => [...frames].toSorted((a, b) => a - b);
