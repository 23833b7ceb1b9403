import { assignmentSteps, Candidates } from '../annotations/assignment.js';
import type { Steps } from '../concurrency/steps.js';
import { BoxIndex } from '../annotations/box-index.js';
import type { PairBudget } from '../annotations/pair-budget.js';
import type { Box } from '../../shared/annotations/mask.js';

/** A ground truth object and an annotation that were matched. */
export interface MatchedPair<T> {
  readonly gt: T;
  readonly ds: T;
  readonly similarity: number;
}

export interface Unmatched<T> {
  readonly object: T;
  /** The largest similarity to any object of the other side, at least 0. */
  readonly nearest: number;
}

export interface Matching<T> {
  /** Pairs with the same label. */
  matches: MatchedPair<T>[];
  /** Pairs with different labels. */
  mismatches: MatchedPair<T>[];
  /** Objects of the ground truth alone. */
  missing: Unmatched<T>[];
  /** Annotations alone. */
  extra: Unmatched<T>[];
}

/** Receives the similarity of two objects, by their positions. Pairs that are not reported have similarity 0. */
export type FoundSimilarity = (gt: number, ds: number, similarity: number) => void;

/**
 * Matches the objects of two sides so that the sum of the distances (1 − similarity) is minimal. An object without a
 * partner, or with one that is less similar than the threshold, has the distance 1 and stays alone. Labels have no
 * influence on it. Ties: see {@link assignmentSteps}.
 * @param gt, ds in the order of their frame, which decides between equally good assignments
 * @param similarities reports the similarity of all pairs that have one; NaN and negative ones are no pairs
 * @returns everything in the order of `gt`, then that of `ds`
 */
export function* matchObjects<T extends { readonly labelId: number }>(
  gt: readonly T[],
  ds: readonly T[],
  threshold: number,
  similarities: (found: FoundSimilarity) => Steps<void>,
): Steps<Matching<T>> {
  const candidates = new Candidates(gt.length, ds.length);
  const nearestOfGt = new Float64Array(gt.length);
  const nearestOfDs = new Float64Array(ds.length);
  yield* similarities((row, column, similarity) => {
    if (!(similarity > 0)) return;
    nearestOfGt[row] = Math.max(nearestOfGt[row] ?? 0, similarity);
    nearestOfDs[column] = Math.max(nearestOfDs[column] ?? 0, similarity);
    const distance = 1 - similarity;
    if (distance > 1 - threshold || distance >= 1) return;
    candidates.add(row, column, similarity);
  });
  const columnOf = yield* assignmentSteps(candidates);
  const matching: Matching<T> = { matches: [], mismatches: [], missing: [], extra: [] };
  const isTaken = new Uint8Array(ds.length);
  for (const [row, object] of gt.entries()) {
    yield;
    const column = columnOf[row] ?? -1;
    const partner = ds[column];
    if (partner === undefined) {
      matching.missing.push({ object, nearest: nearestOfGt[row] ?? 0 });
      continue;
    }
    isTaken[column] = 1;
    const similarity = candidates.similarity(row, column);
    const found = object.labelId === partner.labelId ? matching.matches : matching.mismatches;
    found.push({ gt: object, ds: partner, similarity });
  }
  ds.forEach((object, column) => {
    if (isTaken[column] === 0) matching.extra.push({ object, nearest: nearestOfDs[column] ?? 0 });
  });
  return matching;
}

/** A box within which a shape can be similar to others, or hide them. Undefined: nowhere. */
export type Reach = Box | undefined;

/** Does something with a pair; if that takes long, in steps. */
export type FoundPair = (row: number, column: number) => Steps<void> | undefined;

/** Calls back with the pairs whose boxes overlap or touch, row by row. @param budget limits the pairs, and the steps */
export function* eachNeighbour(
  rows: readonly Reach[],
  columns: readonly Reach[],
  budget: PairBudget,
  found: FoundPair,
): Steps<void> {
  const index = new BoxIndex(columns);
  for (const [row, box] of rows.entries()) {
    yield;
    if (box === undefined) continue;
    for (const column of index.overlapping(box, budget.scan)) {
      const steps = found(row, column);
      if (steps !== undefined) yield* steps;
      budget.spend(1);
      if (budget.isStepOver) yield;
    }
  }
}

/** Calls back with each shape and those above it whose boxes overlap. @param shapes from bottom to top */
export function* eachAbove(shapes: readonly Reach[], budget: PairBudget, found: FoundPair): Steps<void> {
  yield* eachNeighbour(shapes, shapes, budget, (below, above) => (above > below ? found(below, above) : undefined));
}
