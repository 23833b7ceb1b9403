import type { Box } from '../../shared/annotations/mask.js';
import { assignmentSteps, Candidates } from '../annotations/assignment.js';
import { boxArea, boxesIntersect, meanBox } from './drawing.js';
import type { Steps } from '../concurrency/steps.js';
import type { PairBudget } from '../annotations/pair-budget.js';
import type { FrameObject, FrameSize } from './frame-objects.js';

/** What half a comparison of two points takes, in the units of the budget. */
const DISTANCE = 5;

/**
 * Object keypoint similarity of one point, as in COCO's keypoint evaluation: exp(−d² / (2·S·(2σ)²)) for the distance d,
 * where S is the area of the object.
 */
const closeness = (squaredDistance: number, area: number, sigma: number): number =>
  Math.exp(-squaredDistance / (2 * area * (2 * sigma) ** 2));

/** A shape of type `points`, and the box that says how large the object is: that of its group, or its own. */
export interface BoxedPoints {
  readonly points: readonly number[];
  readonly box: Box;
}

export interface PointTolerance {
  readonly sigma: number;
  readonly base: 'image_size' | 'group_bbox_size';
  /** The least similarity of two single points that are the same one. */
  readonly threshold: number;
}

/**
 * How close two sets of points are, 0..1. The order of the points has no influence, except for objects without extent
 * (single points).
 */
export function* pointsSimilarity(
  a: BoxedPoints,
  b: BoxedPoints,
  tolerance: PointTolerance,
  size: FrameSize,
  budget: PairBudget,
): Steps<number> {
  budget.spend(a.points.length + b.points.length);
  const imageArea = size.width * size.height;
  if (boxArea(a.box) === 0 && boxArea(b.box) === 0)
    return orderedSimilarity(a.points, b.points, tolerance.sigma, imageArea);
  if (tolerance.base === 'image_size')
    return yield* unorderedSimilarity(a.points, b.points, tolerance, imageArea, budget);
  if (!boxesIntersect(a.box, b.box)) return 0;
  return yield* unorderedSimilarity(a.points, b.points, tolerance, boxArea(meanBox([a.box, b.box])), budget);
}

function orderedSimilarity(a: readonly number[], b: readonly number[], sigma: number, area: number): number {
  if (a.length !== b.length) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i += 2) sum += closeness(squaredDistance(a, i, b, i), area, sigma);
  return sum / (a.length / 2);
}

function* unorderedSimilarity(
  a: readonly number[],
  b: readonly number[],
  { sigma, threshold }: PointTolerance,
  area: number,
  budget: PairBudget,
): Steps<number> {
  const candidates = new Candidates(a.length / 2, b.length / 2);
  for (let i = 0; i < a.length; i += 2) {
    yield;
    budget.spend(DISTANCE * b.length);
    for (let j = 0; j < b.length; j += 2) {
      const similarity = closeness(squaredDistance(a, i, b, j), area, sigma);
      if (1 - similarity <= 1 - threshold && 1 - similarity < 1) candidates.add(i / 2, j / 2, similarity);
    }
  }
  let [sum, pairs] = [0, 0];
  for (const [row, column] of (yield* assignmentSteps(candidates)).entries()) {
    if (column < 0) continue;
    sum += candidates.similarity(row, column);
    pairs++;
  }
  return sum / (a.length / 2 + b.length / 2 - pairs);
}

function squaredDistance(a: readonly number[], i: number, b: readonly number[], j: number): number {
  return ((a[i] ?? 0) - (b[j] ?? 0)) ** 2 + ((a[i + 1] ?? 0) - (b[j + 1] ?? 0)) ** 2;
}

/** An element of a skeleton. Occluded ones are hidden, those that are outside or missing are absent. */
interface Keypoint {
  readonly x: number;
  readonly y: number;
  readonly isVisible: boolean;
}

/** A skeleton with its elements in the order of the sublabels, and the box of its group or its own. */
export interface BoxedSkeleton {
  readonly keypoints: readonly Keypoint[];
  readonly box: Box;
}

/** @param sublabels ids of the elements' labels, in ascending order */
export function keypointsOf({ elements }: FrameObject, sublabels: readonly number[]): Keypoint[] {
  const byLabel = new Map(elements.toReversed().map((element) => [element.label_id, element]));
  return sublabels.map((label) => {
    const element = byLabel.get(label);
    if (element === undefined || element.outside) return { x: 0, y: 0, isVisible: false };
    const [x = 0, y = 0] = element.points;
    return { x, y, isVisible: !element.occluded };
  });
}

/**
 * Object keypoint similarity of two skeletons: the sum over elements that are visible on both sides, divided by the number
 * of those that are visible on at least one.
 * @returns NaN if no element is visible on any side
 */
export function skeletonSimilarity(a: BoxedSkeleton, b: BoxedSkeleton, sigma: number): number {
  if (a.keypoints.length !== b.keypoints.length || !boxesIntersect(a.box, b.box)) return 0;
  const area = boxArea(meanBox([a.box, b.box]));
  let [sum, visible] = [0, 0];
  a.keypoints.forEach((point, i) => {
    const other = b.keypoints[i];
    if (other === undefined || !(point.isVisible || other.isVisible)) return;
    visible++;
    if (point.isVisible && other.isVisible)
      sum += closeness((point.x - other.x) ** 2 + (point.y - other.y) ** 2, area, sigma);
  });
  return sum / visible;
}
