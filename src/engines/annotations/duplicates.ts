import type { Shape, Tag } from '../../shared/annotations/model.js';
import type { Steps } from '../concurrency/steps.js';
import { bestPairs, comparingFrame, type Pair, TooManyPairs } from './assignment.js';
import { BoxIndex } from './box-index.js';
import { PairBudget } from './pair-budget.js';
import { type Measured, measured, similarityOf } from './similarity.js';

/** Two shapes of one label are duplicates from this similarity on. */
const SAME_SHAPE = 0.75;

/** Objects and pairs in one step. */
const IN_STEP = 256;

interface OnFrame {
  frame: number;
}

/** The first frame of a job, and how many of its frames it shares with the previous jobs. */
export interface Overlap {
  readonly start: number;
  readonly overlap: number;
}

/**
 * What happens if the annotations of a frame overlap each other so much that comparing them would take far too long:
 * `fail`, or `keep` all that are not equal.
 */
export type Excess = 'fail' | 'keep';

interface Comparison<T> {
  /** Objects with the same key are equal; those without one are no duplicates. */
  keyOf(object: T): string | undefined;
  /** Similar ones among objects that are not equal, as positions in the lists. @throws TooManyPairs */
  similar?(old: readonly T[], fresh: readonly T[]): Steps<Pair[]>;
}

/**
 * Finds objects that several jobs have annotated. It receives the jobs in the order of their frames, and keeps only
 * objects that later jobs can duplicate. Objects on frames that are not shared are accepted and ignored. Equal objects
 * are matched first, so that a frame with thousands of them takes no longer than others.
 */
export class DuplicateFinder<T extends OnFrame> {
  private seen: T[] = [];

  constructor(
    private readonly comparison: Comparison<T>,
    private readonly excess: Excess,
  ) {}

  /** @returns the fresh objects that are duplicates @throws TooManyPairs that names the frame */
  *admit(job: Overlap, fresh: readonly T[]): Steps<Set<T>> {
    const end = job.start + job.overlap;
    this.seen = this.seen.filter((object) => object.frame >= job.start);
    const old = byFrame(this.seen.filter((object) => object.frame < end));
    const duplicates = new Set<T>();
    for (const [frame, shared] of byFrame(fresh.filter((object) => object.frame < end))) {
      yield;
      const known = old.get(frame);
      if (known === undefined) continue;
      const found = yield* comparingFrame(frame, this.onFrame(known, shared));
      for (const duplicate of found) duplicates.add(duplicate);
    }
    for (const object of fresh) if (!duplicates.has(object)) this.seen.push(object);
    return duplicates;
  }

  private *onFrame(old: readonly T[], fresh: readonly T[]): Steps<T[]> {
    const equal = yield* equalPairs(old, fresh, (object) => this.comparison.keyOf(object));
    const [oldLeft, freshLeft] = [old.filter((each) => !equal.old.has(each)), fresh.filter((each) => !equal.fresh.has(each))]; // prettier-ignore
    const similar = yield* this.similar(oldLeft, freshLeft);
    return [...equal.fresh, ...similar];
  }

  private *similar(old: readonly T[], fresh: readonly T[]): Steps<T[]> {
    if (this.comparison.similar === undefined || old.length === 0 || fresh.length === 0) return [];
    try {
      const pairs = yield* bestPairs(yield* this.comparison.similar(old, fresh));
      return pairs.flatMap(({ b }) => fresh[b] ?? []);
    } catch (error) {
      if (this.excess === 'keep' && error instanceof TooManyPairs) return [];
      throw error;
    }
  }
}

/** Pairs objects with the same key, each with one other, in their order. */
export function* equalPairs<T>(
  old: readonly T[],
  fresh: readonly T[],
  keyOf: (object: T) => string | undefined,
): Steps<{ readonly old: ReadonlyMap<T, T>; readonly fresh: ReadonlySet<T> }> {
  const waiting = new Map<string, T[]>();
  for (const [at, object] of old.entries()) {
    if (at % IN_STEP === 0) yield;
    const key = keyOf(object);
    const others = key === undefined ? undefined : waiting.get(key);
    if (others !== undefined) others.push(object);
    else if (key !== undefined) waiting.set(key, [object]);
  }
  for (const others of waiting.values()) others.reverse();
  const pairs = new Map<T, T>();
  for (const [at, object] of fresh.entries()) {
    if (at % IN_STEP === 0) yield;
    const partner = waiting.get(keyOf(object) ?? '')?.pop();
    if (partner !== undefined) pairs.set(partner, object);
  }
  return { old: pairs, fresh: new Set(pairs.values()) };
}

/** Finds shapes annotated in two jobs: rectangles and polygons (3d: cuboids) of one label that overlap. */
export const duplicateShapes = (options: { readonly is3d: boolean }, excess: Excess = 'fail'): DuplicateFinder<Shape> =>
  new DuplicateFinder(
    {
      keyOf: ({ label_id: label, type, points }) => (COMPARED.has(type) && (type !== 'cuboid' || options.is3d) ? `${label} ${type} ${points.join()}` : undefined), // prettier-ignore
      similar: (old, fresh) => similarShapes(old, fresh, options.is3d),
    },
    excess,
  );

const COMPARED: ReadonlySet<string> = new Set(['rectangle', 'polygon', 'cuboid']);

function* similarShapes(old: readonly Shape[], fresh: readonly Shape[], is3d: boolean): Steps<Pair[]> {
  const budget = new PairBudget();
  const sizes = yield* measuredShapes(fresh, is3d);
  const index = new BoxIndex(sizes.map((size) => size?.box));
  const pairs: Pair[] = [];
  for (const [a, oldShape] of old.entries()) {
    yield;
    const size = measured(oldShape, is3d);
    if (size === undefined) continue;
    for (const b of index.overlapping(size.box, budget.scan)) {
      const [shape, other] = [fresh[b], sizes[b]];
      if (budget.isStepOver) yield;
      if (shape?.label_id !== oldShape.label_id || other === undefined) continue;
      const similarity = similarityOf(size, other, SAME_SHAPE, budget.spend);
      if (similarity < SAME_SHAPE) continue;
      budget.keep();
      pairs.push({ a, b, similarity });
    }
  }
  return pairs;
}

function* measuredShapes(shapes: readonly Shape[], is3d: boolean): Steps<(Measured | undefined)[]> {
  const sizes: (Measured | undefined)[] = [];
  for (const [at, shape] of shapes.entries()) {
    if (at % IN_STEP === 0) yield;
    sizes.push(measured(shape, is3d));
  }
  return sizes;
}

/** Finds tags annotated in two jobs. */
export const duplicateTags = (): DuplicateFinder<Tag> =>
  new DuplicateFinder({ keyOf: ({ label_id: label }) => String(label) }, 'fail');

function byFrame<T extends OnFrame>(objects: readonly T[]): Map<number, T[]> {
  const frames = new Map<number, T[]>();
  for (const object of objects) {
    const list = frames.get(object.frame);
    if (list === undefined) frames.set(object.frame, [object]);
    else list.push(object);
  }
  return frames;
}
