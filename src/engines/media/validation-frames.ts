import { validationFailure } from './media-error.js';
import { choose, type RandomSource, shuffled } from './random.js';
import type { FrameRange } from './segments.js';

/** So many frames of `whole` as a share of it stands for: ⌊share·whole⌋, at least 1. */
export const countOfShare = (share: number, whole: number): number => Math.max(1, Math.floor(share * whole));

/** Frames of a task of `size`, each with the same chance; ascending. @param count at most `size` */
export const drawUniform = (size: number, count: number, random: RandomSource): number[] =>
  ascending(choose(range(0, size - 1), count, random, { ordered: false }));

/**
 * Frames of each job; those that were drawn for one count for the next one too, where the two overlap. Ascending.
 * @param wanted of each job; all frames of shorter ones
 */
export function drawPerJob(segments: readonly FrameRange[], wanted: number, random: RandomSource): number[] {
  const chosen = new Set<number>();
  let overlapStop = -1;
  for (const { start, stop } of segments) {
    const frames = range(start, stop);
    const free = frames.filter((frame) => !chosen.has(frame));
    const missing = Math.min(frames.length, wanted) - (frames.length - free.length);
    const own = free.filter((frame) => frame > overlapStop);
    // A short last job may need frames of the overlap, too; CVAT fails there.
    const candidates = own.length >= missing ? own : free;
    if (missing > 0) for (const frame of choose(candidates, missing, random, { ordered: true })) chosen.add(frame);
    overlapStop = stop;
  }
  return ascending(chosen);
}

/** How often frames of a pool are in use. */
export type PoolUse = ReadonlyMap<number, number>;

/**
 * Draws honeypots for one job after another: different frames of the pool, the least used first, chance deciding between
 * equals.
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
    for (const [times, frames] of taken.entries()) (bags[times + 1] ??= []).push(...frames);
    return taken.flat();
  };
}

export interface PoolRequest {
  /** Number of frames that the task would have without honeypots. */
  readonly size: number;
  /** Which of them make up the pool. */
  readonly pool: readonly number[];
  /** Frames of a job without its honeypots; 0: all that are not in the pool. */
  readonly segmentSize: number;
  /** Honeypots of each job. */
  readonly perJob: number;
}

export interface PoolPlan {
  /** For each frame of the task: which of the original ones it shows. */
  readonly order: readonly number[];
  /** For each frame of the task: the frame of the pool that it repeats; null for those that are no honeypots. */
  readonly real: readonly (number | null)[];
  /** The annotation jobs. */
  readonly segments: readonly FrameRange[];
  /** The frames at the end that are checked against. */
  readonly pool: FrameRange;
}

/**
 * A task with a pool: frames outside the pool are shuffled and cut into jobs, each job gets honeypots that repeat frames
 * of the pool and is shuffled itself, and the pool follows at the end in its own order.
 * @param random selects
 * @param orderRandom shuffles the frames of each job
 * @throws MediaError for more honeypots in a job than the pool has frames
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

/** A frame of a job that repeats one of the pool. */
export interface Honeypot {
  readonly frame: number;
  readonly real: number;
}

/**
 * The deleted frames of a task with a pool, when other frames of the pool are left out of checks: these are deleted with
 * all their honeypots, and come back with them. Ascending.
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
