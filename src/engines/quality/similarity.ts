import type { Box } from '../../shared/annotations/mask.js';
import type { LabelSpec } from '../annotations/labels.js';
import { finish, type Steps } from '../concurrency/steps.js';
import { boxArea, boxOf, Drawing, drawnReach, enclosingBox, pointsBox } from './drawing.js';
import type { FrameObject, FrameSize } from './frame-objects.js';
import type { Reach } from './matching.js';
import {
  type BoxedPoints,
  type BoxedSkeleton,
  keypointsOf,
  pointsSimilarity,
  skeletonSimilarity,
} from './keypoints.js';
import { circleOf, lineSimilarity } from './polylines.js';
import { regionIou } from './regions.js';
import type { ComparisonSettings } from './settings.js';

export type SimilaritySettings = Pick<
  ComparisonSettings,
  'iou_threshold' | 'oks_sigma' | 'point_size_base' | 'line_thickness'
>;

/** Sublabels of skeleton labels, by the id of the skeleton's label; their ids ascend. */
export type Sublabels = ReadonlyMap<number, readonly number[]>;

export function sublabelsOf(labels: readonly LabelSpec[]): Sublabels {
  const found = new Map<number, number[]>();
  for (const { id, parentId } of labels.toSorted((a, b) => a.id - b.id)) {
    const known = parentId === null ? undefined : found.get(parentId);
    if (known !== undefined) known.push(id);
    else if (parentId !== null) found.set(parentId, [id]);
  }
  return found;
}

/** What comparing two shapes takes besides passing over their pixels, in ends of runs. */
const PAIR = 50;
/** What passing over the vertex of a line, or an element of a skeleton, takes. */
const VERTEX = 50;

/** Everything that shapes of one frame are compared with. */
export interface SimilarityOptions {
  readonly settings: SimilaritySettings;
  readonly size: FrameSize;
  readonly sublabels: Sublabels;
  /** Whether the size of points is that of their group; skeletons always use the group. Default: true. */
  readonly pointGroups?: boolean;
}

/** Compares shapes of one frame, two of the same type at a time. Results of drawing are kept. */
export class Similarity {
  readonly drawing: Drawing;
  private readonly groupBoxes = new Map<FrameObject, Box>();
  private readonly skeletons = new Map<FrameObject, BoxedSkeleton>();

  /** @param sides the objects of the ground truth and of the annotations, or of each replica: a group is within one side */
  constructor(
    private readonly options: SimilarityOptions,
    sides: readonly (readonly FrameObject[])[],
  ) {
    this.drawing = new Drawing(options.size);
    for (const side of sides) this.addGroups(side);
  }

  /** @returns 0..1, or NaN if it is not defined; 0 for shapes of different types, except polygons and masks */
  of(a: FrameObject, b: FrameObject): number {
    const { settings, size } = this.options;
    const { spend } = this.drawing.budget;
    spend(PAIR);
    switch (a.kind) {
      case 'tag':
        return a.labelId === b.labelId ? 1 : 0.5;
      case 'rectangle':
        return a.rotation === b.rotation ? boxIou(pointsBox(a.points), pointsBox(b.points)) : this.drawnIou(a, b);
      case 'ellipse':
      case 'polygon':
      case 'mask':
        return this.drawnIou(a, b);
      case 'polyline':
        spend(VERTEX * (a.points.length + b.points.length));
        return lineSimilarity(a.points, b.points, settings.line_thickness, size).best;
      case 'points':
        return finish(this.steps(a, b));
      case 'skeleton':
        spend(VERTEX * (a.elements.length + b.elements.length));
        return skeletonSimilarity(this.skeleton(a), this.skeleton(b), settings.oks_sigma);
      case 'cuboid':
        return 0;
    }
  }

  /** The same as `of`. Comparing thousands of points takes long, so it is done in steps. */
  *steps(a: FrameObject, b: FrameObject): Steps<number> {
    if (a.kind !== 'points') return this.of(a, b);
    return yield* pointsSimilarity(this.boxed(a), this.boxed(b), this.pointTolerance, this.options.size, this.drawing.budget); // prettier-ignore
  }

  /** @returns the similarity of two polylines if their points are compared in the given order only */
  oriented(a: FrameObject, b: FrameObject): number {
    return lineSimilarity(a.points, b.points, this.options.settings.line_thickness, this.options.size).oriented;
  }

  /** @returns the box of a shape; shapes whose boxes do not overlap have similarity 0 */
  reach(object: FrameObject): Reach {
    switch (object.kind) {
      case 'tag':
      case 'points':
        return { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };
      case 'skeleton':
        return this.skeleton(object).box;
      case 'polyline':
        return this.lineReach(object);
      default:
        return drawnReach(object, this.options.size);
    }
  }

  private drawnIou(a: FrameObject, b: FrameObject): number {
    const [ofA, ofB] = [this.drawing.region(a), this.drawing.region(b)];
    this.drawing.budget.spend(ofA.length + ofB.length);
    return regionIou(ofA, ofB);
  }

  private lineReach({ points }: FrameObject): Box {
    const { settings, size } = this.options;
    const { x, y, square } = circleOf(points);
    const reach = Math.sqrt(square) + Math.sqrt(size.width * size.height) * 6 * settings.line_thickness;
    return { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach };
  }

  private get pointTolerance() {
    const { oks_sigma: sigma, point_size_base: base, iou_threshold: threshold } = this.options.settings;
    return { sigma, base, threshold };
  }

  private boxed(object: FrameObject): BoxedPoints {
    const own = this.options.pointGroups === false ? undefined : this.groupBoxes.get(object);
    return { points: object.points, box: own ?? pointsBox(object.points) };
  }

  private skeleton(object: FrameObject): BoxedSkeleton {
    let found = this.skeletons.get(object);
    if (found === undefined) {
      const keypoints = keypointsOf(object, this.options.sublabels.get(object.labelId) ?? []);
      const box = this.groupBoxes.get(object) ?? boxOf(object, this.options.size) ?? pointsBox([]);
      this.skeletons.set(object, (found = { keypoints, box }));
    }
    return found;
  }

  private addGroups(side: readonly FrameObject[]): void {
    const groups = new Map<number, FrameObject[]>();
    for (const object of side) {
      if (object.group === 0 || object.kind === 'tag') continue;
      const known = groups.get(object.group);
      if (known === undefined) groups.set(object.group, [object]);
      else known.push(object);
    }
    for (const members of groups.values()) {
      // Only points and skeletons are measured by their group.
      if (!members.some(({ kind }) => kind === 'points' || kind === 'skeleton')) continue;
      const boxes = members.flatMap((member) => boxOf(member, this.options.size) ?? []);
      const box = enclosingBox(boxes);
      for (const member of members) this.groupBoxes.set(member, box);
    }
  }
}

/**
 * Intersection over union of two boxes, exact.
 * @returns 0 if they share no area
 */
export function boxIou(a: Box, b: Box): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  const shared = width * height;
  return shared / (boxArea(a) + boxArea(b) - shared);
}
