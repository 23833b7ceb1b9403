import type { Steps } from '../concurrency/steps.js';
import { matchShapes } from '../quality/compare-frame.js';
import type { FrameObject, FrameSize } from '../quality/frame-objects.js';
import type { MatchedPair } from '../quality/matching.js';
import { DEFAULT_COMPARISON } from '../quality/settings.js';
import { Similarity, type Sublabels } from '../quality/similarity.js';

/** The annotations of one frame in each replica of a job. */
export interface ReplicatedFrame {
  readonly replicas: readonly (readonly FrameObject[])[];
  readonly size: FrameSize;
}

export interface PairOptions {
  /** The least similarity of two objects that are the same, 0..1. */
  readonly iouThreshold: number;
  readonly sublabels: Sublabels;
}

/** How shapes of replicas are compared: with the defaults of quality reports, except that points ignore their groups. */
export const similarityOf = (
  { replicas, size }: ReplicatedFrame,
  { iouThreshold, sublabels }: PairOptions,
): Similarity =>
  new Similarity(
    { settings: { ...DEFAULT_COMPARISON, iou_threshold: iouThreshold }, size, sublabels, pointGroups: false },
    replicas,
  );

/** Every two replicas and their positions, the earlier one first. */
export function* pairsOf<T>(
  replicas: readonly T[],
): Generator<readonly [first: T, second: T, firstAt: number, secondAt: number]> {
  for (const [firstAt, first] of replicas.entries()) {
    for (const [secondAt, second] of replicas.entries())
      if (secondAt > firstAt) yield [first, second, firstAt, secondAt];
  }
}

/**
 * Matches the shapes of two replicas, each type on its own: unlike in reports, polygons and masks are two types.
 * @returns the pairs with the same label; a pair with different labels leaves both without a partner
 */
export function* matchedShapes(
  first: readonly FrameObject[],
  second: readonly FrameObject[],
  iouThreshold: number,
  similarity: Similarity,
): Steps<MatchedPair<FrameObject>[]> {
  const kinds = new Set(first.map(({ kind }) => kind));
  kinds.delete('tag');
  const matches: MatchedPair<FrameObject>[] = [];
  for (const kind of kinds) {
    const of = (objects: readonly FrameObject[]) => objects.filter((object) => object.kind === kind);
    const found = yield* matchShapes(of(first), of(second), iouThreshold, similarity);
    for (const match of found.matches) matches.push(match);
  }
  return matches;
}
