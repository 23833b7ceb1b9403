import { mapSteps, type Steps } from '../concurrency/steps.js';
import { TooManyPairs } from '../annotations/assignment.js';
import type { PairBudget } from '../annotations/pair-budget.js';
import { drawnReach, type Drawing, enclosingBox } from './drawing.js';
import type { FrameObject } from './frame-objects.js';
import { eachAbove, eachNeighbour, matchObjects, type Matching, type Reach } from './matching.js';
import { type Region, regionIou, unionOf, without } from './regions.js';

/** Polygons and masks that are one object: those of one group and label, or a single one. */
interface Instance {
  readonly labelId: number;
  readonly members: readonly FrameObject[];
  readonly zOrder: number;
  readonly reach: Reach;
  region: Region;
}

/**
 * Matches polygons and masks with each other. Shapes of one group and label are matched as one object; each of its members
 * then forms a pair with each member of the other object.
 * @param panoptic compare only what is visible: every instance hides those below it
 */
export function* matchInstances(
  gt: readonly FrameObject[],
  ds: readonly FrameObject[],
  options: { readonly threshold: number; readonly panoptic: boolean; readonly drawing: Drawing },
): Steps<Matching<FrameObject>> {
  const { budget } = options.drawing;
  const ofGt = yield* instancesOf(gt, options.drawing);
  const ofDs = yield* instancesOf(ds, options.drawing);
  if (options.panoptic) for (const side of [ofGt, ofDs]) yield* keepVisible(side, budget);
  const reaches = (side: readonly Instance[]) => side.map(({ reach }) => reach);
  const matching = yield* matchObjects(ofGt, ofDs, options.threshold, function* (found) {
    yield* eachNeighbour(reaches(ofGt), reaches(ofDs), budget, (row, column) => {
      const [a, b] = [ofGt[row], ofDs[column]];
      if (a === undefined || b === undefined) return undefined;
      budget.spend(a.region.length + b.region.length);
      found(row, column, regionIou(a.region, b.region));
      return undefined;
    });
  });
  return yield* membersOf(matching);
}

/** Ungrouped shapes first, then by group and label. */
function* instancesOf(side: readonly FrameObject[], drawing: Drawing): Steps<Instance[]> {
  const listed = [...side.filter(({ kind }) => kind === 'polygon'), ...side.filter(({ kind }) => kind === 'mask')];
  const single = listed.filter(({ group }) => group === 0).map((object) => [object]);
  const grouped = new Map<string, FrameObject[]>();
  for (const object of listed.filter(({ group }) => group !== 0)) {
    const key = `${object.group} ${object.labelId}`;
    const known = grouped.get(key);
    if (known === undefined) grouped.set(key, [object]);
    else known.push(object);
  }
  const groups = [...grouped.values()].sort(
    ([a], [b]) => (a?.group ?? 0) - (b?.group ?? 0) || (a?.labelId ?? 0) - (b?.labelId ?? 0),
  );
  const instances: Instance[] = [];
  for (const members of [...single, ...groups]) {
    yield;
    instances.push(yield* toInstance(members, drawing));
  }
  return instances;
}

function* toInstance(members: readonly FrameObject[], drawing: Drawing): Steps<Instance> {
  const reaches = yield* mapSteps(members, (member) => drawnReach(member, drawing.size));
  const boxes = reaches.filter((box) => box !== undefined);
  const regions = yield* mapSteps(members, (member) => drawing.region(member));
  return {
    labelId: members[0]?.labelId ?? 0,
    members,
    zOrder: members.reduce((highest, { zOrder }) => Math.max(highest, zOrder), -Infinity),
    reach: boxes.length === 0 ? undefined : enclosingBox(boxes),
    region: yield* unionOf(regions, drawing.budget),
  };
}

/** Takes the pixels of instances above from those below. */
function* keepVisible(instances: readonly Instance[], budget: PairBudget): Steps<void> {
  const painted = instances.toSorted((a, b) => a.zOrder - b.zOrder);
  const regions = painted.map(({ region }) => region);
  yield* eachAbove(
    painted.map(({ reach }) => reach),
    budget,
    (below, above) => {
      const [instance, other] = [painted[below], regions[above]];
      if (instance === undefined || other === undefined) return undefined;
      budget.spend(instance.region.length + other.length);
      const visible = without(instance.region, other);
      budget.keep(visible.length - instance.region.length);
      instance.region = visible;
      return undefined;
    },
  );
}

/** Pairs of members of groups in one frame: each may become a conflict. */
const MAX_MEMBER_PAIRS = 1_000_000;

function* membersOf({ matches, mismatches, missing, extra }: Matching<Instance>): Steps<Matching<FrameObject>> {
  const total = [...matches, ...mismatches].reduce((sum, { gt, ds }) => sum + gt.members.length * ds.members.length, 0);
  if (total > MAX_MEMBER_PAIRS) throw new TooManyPairs('groups of polygons or masks have too many members');
  const members = (found: Matching<Instance>['missing']) =>
    found.flatMap(({ object, nearest }) => object.members.map((member) => ({ object: member, nearest })));
  return {
    matches: yield* pairsOfMembers(matches),
    mismatches: yield* pairsOfMembers(mismatches),
    missing: members(missing),
    extra: members(extra),
  };
}

function* pairsOfMembers(found: Matching<Instance>['matches']): Steps<Matching<FrameObject>['matches']> {
  const pairs: Matching<FrameObject>['matches'] = [];
  for (const { gt, ds, similarity } of found) {
    for (const member of gt.members) {
      yield;
      for (const other of ds.members) pairs.push({ gt: member, ds: other, similarity });
    }
  }
  return pairs;
}
