import { filterSteps, type Steps } from '../concurrency/steps.js';
import type { FrameObject } from './frame-objects.js';
import { type MatchedPair, matchObjects } from './matching.js';

interface Group {
  readonly members: readonly FrameObject[];
  /** Groups are matched whatever their labels are. */
  readonly labelId: 0;
}

/**
 * Finds pairs whose objects are grouped with different neighbours. Groups of the two sides are matched by the share of
 * pairs that lie in both: pairs / (size + size − pairs).
 * @param pairs of shapes, all types
 * @param threshold the least share of two groups that are the same one
 * @returns pairs whose annotation is in a group and the ground truth alone, or in another group than the one that
 * corresponds to the group of the ground truth
 */
export function* mismatchedGroups(
  gt: readonly FrameObject[],
  ds: readonly FrameObject[],
  pairs: readonly MatchedPair<FrameObject>[],
  threshold: number,
): Steps<MatchedPair<FrameObject>[]> {
  const isGrouped = ({ group }: FrameObject): boolean => group !== 0;
  if (!gt.some(isGrouped) && !ds.some(isGrouped)) return [];
  const [ofGt, ofDs] = [groupsOf(gt), groupsOf(ds)];
  const [indexOfGt, indexOfDs] = [memberIndex(ofGt), memberIndex(ofDs)];
  const shared = sharedPairs(pairs, indexOfGt, indexOfDs);
  const { matches } = yield* matchObjects(ofGt, ofDs, threshold, function* (found) {
    for (const [row, columns] of shared) {
      yield;
      for (const [column, count] of columns) {
        const sizes = (ofGt[row]?.members.length ?? 0) + (ofDs[column]?.members.length ?? 0);
        found(row, column, count / (sizes - count));
      }
    }
  });
  const partnerOf = new Map(matches.map((match) => [match.gt, match.ds]));
  return yield* filterSteps(pairs, (pair) => {
    const [groupOfGt, groupOfDs] = [ofGt[indexOfGt.get(pair.gt) ?? -1], ofDs[indexOfDs.get(pair.ds) ?? -1]];
    if (groupOfGt === undefined || groupOfDs === undefined) return false;
    const isAloneInGt = groupOfGt.members.length === 1 && groupOfDs.members.length > 1;
    return isAloneInGt || partnerOf.get(groupOfGt) !== groupOfDs;
  });
}

/** Groups in the order of their first member, then shapes without group, one by one. */
function groupsOf(objects: readonly FrameObject[]): Group[] {
  const groups = new Map<number, FrameObject[]>();
  const single: Group[] = [];
  for (const object of objects) {
    const known = groups.get(object.group);
    if (object.kind === 'tag') continue;
    if (object.group === 0) single.push({ members: [object], labelId: 0 });
    else if (known === undefined) groups.set(object.group, [object]);
    else known.push(object);
  }
  return [...[...groups.values()].map((members): Group => ({ members, labelId: 0 })), ...single];
}

const memberIndex = (groups: readonly Group[]): Map<FrameObject, number> =>
  new Map(groups.flatMap(({ members }, index) => members.map((member) => [member, index] as const)));

/** Numbers of pairs by group of the ground truth and group of the annotations. The last pair of an object counts. */
function sharedPairs(
  pairs: readonly MatchedPair<FrameObject>[],
  indexOfGt: ReadonlyMap<FrameObject, number>,
  indexOfDs: ReadonlyMap<FrameObject, number>,
): Map<number, Map<number, number>> {
  const shared = new Map<number, Map<number, number>>();
  for (const [object, partner] of new Map(pairs.map(({ gt, ds }) => [gt, ds]))) {
    const [row, column] = [indexOfGt.get(object) ?? 0, indexOfDs.get(partner) ?? 0];
    const columns = shared.get(row) ?? new Map<number, number>();
    columns.set(column, (columns.get(column) ?? 0) + 1);
    shared.set(row, columns);
  }
  return shared;
}
