import type { Steps } from '../concurrency/steps.js';
import { polygonRegion, regionIou } from '../quality/regions.js';
import { boxArea, boxOf, meanBox } from '../quality/drawing.js';
import { type FrameObject, type FrameSize, rounded } from '../quality/frame-objects.js';
import type { Similarity } from '../quality/similarity.js';
import { matchedShapes, pairsOf } from './pairs.js';

/** Shapes of several replicas that are one object, in the order of the replicas. */
export type Cluster = readonly FrameObject[];

interface Node {
  readonly object: FrameObject;
  readonly replica: number;
  /** Matches in later replicas. */
  readonly matches: FrameObject[];
}

/**
 * Finds shapes of one type that are the same object, from pairs of the same label in every two replicas. A cluster grows
 * along these pairs; a shape joins it if it is similar to all members and its replica has no member yet. Pairs of
 * different labels join nothing.
 * @param replicas the shapes of one type, of every replica
 * @param threshold the lowest similarity of two shapes that are the same object
 */
export function* clustersOf(
  replicas: readonly (readonly FrameObject[])[],
  threshold: number,
  similarity: Similarity,
): Steps<Cluster[]> {
  const nodes = new Map<FrameObject, Node>();
  replicas.forEach((objects, replica) => {
    for (const object of objects) nodes.set(object, { object, replica, matches: [] });
  });
  for (const [first, second] of pairsOf(replicas)) {
    const pairs = yield* matchedShapes(first, second, threshold, similarity);
    for (const { gt, ds } of pairs) nodes.get(gt)?.matches.push(ds);
  }
  const isTaken = new Set<Node>();
  const clusters: Cluster[] = [];
  for (const node of nodes.values()) {
    yield;
    if (!isTaken.has(node)) clusters.push(yield* grow(node, { nodes, isTaken, threshold, similarity }));
  }
  return clusters;
}

interface Growth {
  readonly nodes: ReadonlyMap<FrameObject, Node>;
  readonly isTaken: Set<Node>;
  readonly threshold: number;
  readonly similarity: Similarity;
}

function* grow(start: Node, { nodes, isTaken, threshold, similarity }: Growth): Steps<Cluster> {
  const members: Node[] = [];
  const isSimilar = function* (object: FrameObject): Steps<boolean> {
    if (threshold === 0) return true;
    for (const member of members) if ((yield* similarity.steps(member.object, object)) < threshold) return false;
    return true;
  };
  const waiting = [start];
  for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
    if (isTaken.has(node)) continue;
    isTaken.add(node);
    members.push(node);
    for (const match of node.matches) {
      const next = nodes.get(match);
      if (next === undefined || isTaken.has(next) || members.some(({ replica }) => replica === next.replica)) continue;
      if (yield* isSimilar(match)) waiting.push(next);
    }
  }
  return members.toSorted((a, b) => a.replica - b.replica).map(({ object }) => object);
}

/**
 * The member that stands for a cluster, unchanged. Of skeletons, the one with the smallest mean distance to all; of other
 * types, the one that overlaps most with the mean of the boxes of all. Of equally good ones the first.
 */
export function representative(cluster: Cluster, similarity: Similarity, size: FrameSize): FrameObject | undefined {
  const [first] = cluster;
  if (first === undefined || cluster.length === 1) return first;
  if (first.kind === 'skeleton') return best(cluster, (member) => -meanDistance(member, cluster, similarity));
  const boxes = cluster.flatMap((member) => boxOf(member, size) ?? []);
  if (boxes.length === 0) return first;
  const mean = polygonRegion(boxOutline(meanBox(boxes)), size);
  return best(cluster, (member) => regionIou(areaRegion(member, similarity, size), mean));
}

function best(cluster: Cluster, scoreOf: (member: FrameObject) => number): FrameObject | undefined {
  let found: { readonly member: FrameObject; readonly score: number } | undefined;
  for (const member of cluster) {
    const score = scoreOf(member);
    if (found === undefined || score > found.score) found = { member, score };
  }
  return found?.member;
}

const meanDistance = (member: FrameObject, cluster: Cluster, similarity: Similarity): number =>
  cluster.reduce((sum, other) => sum + (other === member ? 0 : 1 - similarity.of(member, other)), 0) / cluster.length;

/** The pixels of a shape; of points and polylines, those of their box. */
function areaRegion(member: FrameObject, similarity: Similarity, size: FrameSize) {
  if (member.kind !== 'points' && member.kind !== 'polyline') return similarity.drawing.region(member);
  const box = boxOf(member, size);
  return box === undefined || boxArea(box) === 0 ? [] : polygonRegion(boxOutline(box), size);
}

const boxOutline = ({ left, top, right, bottom }: ReturnType<typeof meanBox>): number[] =>
  rounded([left, top, right, top, right, bottom, left, bottom]);
