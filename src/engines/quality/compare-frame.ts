import { filterSteps, finish, mapSteps, type Steps } from '../concurrency/steps.js';
import { type AuthorOf, type CountsByAuthor, countsByAuthor } from './attribution.js';
import { ConfusionMatrix } from './confusion-matrix.js';
import { coveredObjects } from './covered.js';
import type { FrameObject, FrameSize } from './frame-objects.js';
import { type AnnotationCounts } from './confusion-matrix.js';
import { mismatchedGroups } from './groups.js';
import { matchInstances } from './instances.js';
import type { ReportLabels } from './labels.js';
import {
  eachNeighbour,
  type MatchedPair,
  matchObjects,
  type Matching,
  type Reach,
  type Unmatched,
} from './matching.js';
import type { ComparisonSettings } from './settings.js';
import { Similarity } from './similarity.js';

export type ConflictType =
  | 'missing_annotation'
  | 'extra_annotation'
  | 'mismatching_label'
  | 'low_overlap'
  | 'mismatching_direction'
  | 'mismatching_attributes'
  | 'mismatching_groups'
  | 'covered_annotation';

export interface AnnotationId {
  obj_id: number;
  job_id: number;
  type: 'tag' | 'shape' | 'track';
  /** Null for tags. */
  shape_type: string | null;
}

export interface Conflict {
  frame_id: number;
  type: ConflictType;
  severity: 'warning' | 'error';
  /** The annotation first, then the ground truth. */
  annotation_ids: AnnotationId[];
}

const ERRORS: ReadonlySet<ConflictType> = new Set(['missing_annotation', 'extra_annotation', 'mismatching_label']);

export interface ShapeCounts extends AnnotationCounts {
  meanIou: number;
}

export interface LabelCounts {
  valid: number;
  invalid: number;
  total: number;
}

/** The comparison of one frame. */
export interface FrameResult {
  readonly conflicts: readonly Conflict[];
  readonly annotations: AnnotationCounts;
  readonly matrix: ConfusionMatrix;
  /** The matrix that the scores of labels come from, if it is another one. */
  readonly scored?: ConfusionMatrix;
  /** All types but tags; a pair with different labels is valid. */
  readonly shape: ShapeCounts;
  readonly label: LabelCounts;
  /** The counts by author, if it was asked who made the annotations. */
  readonly authors?: CountsByAuthor;
}

/** One frame of a job. */
export interface ComparedFrame {
  /** The number of the frame in the job that is checked. */
  readonly frame: number;
  readonly size: FrameSize;
  /** See JobFrames for their order. */
  readonly groundTruth: readonly FrameObject[];
  readonly annotations: readonly FrameObject[];
  readonly authorOf?: AuthorOf;
}

/** Compares the annotations of one frame with its ground truth. */
export function compareFrame(frame: ComparedFrame, settings: ComparisonSettings, labels: ReportLabels): FrameResult {
  return finish(comparisonSteps(frame, settings, labels));
}

/** The same in steps, for frames with so many shapes that the comparison takes seconds. */
export function* comparisonSteps(
  frame: ComparedFrame,
  settings: ComparisonSettings,
  labels: ReportLabels,
): Steps<FrameResult> {
  const { groundTruth: gt, annotations: ds, size } = frame;
  const similarity = new Similarity({ settings, size, sublabels: labels.sublabels }, [gt, ds]);
  const found = yield* matchTypes(gt, ds, settings, similarity);
  const matrix = toMatrix(found, labels);
  const isEmpty = { gt: gt.length === 0, ds: ds.length === 0 };
  const conflicts = yield* conflictsOf(frame, found, similarity, settings, labels);
  const { authorOf } = frame;
  return {
    conflicts,
    ...(authorOf !== undefined && { authors: countsByAuthor(found, conflicts, authorOf) }),
    annotations: settings.empty_is_annotated ? withEmptyFrame(matrix.counts()) : matrix.counts(),
    matrix,
    ...components(found, settings.empty_is_annotated, isEmpty),
  };
}

/** Types in the order of CVAT's reports. Polygons and masks are compared with each other. */
const TYPES = ['rectangle', 'points', 'polygon', 'polyline', 'skeleton', 'tag', 'ellipse'] as const;

/** The similarity of two tags with different labels is 0.5: they are a pair, not one missing and one extra tag. */
const TAG_THRESHOLD = 0.5;

function* matchTypes(
  gt: readonly FrameObject[],
  ds: readonly FrameObject[],
  settings: ComparisonSettings,
  similarity: Similarity,
): Steps<Matching<FrameObject>> {
  const [gtByType, dsByType] = [byType(gt), byType(ds)];
  const all: Matching<FrameObject> = { matches: [], mismatches: [], missing: [], extra: [] };
  for (const type of TYPES) {
    const [ofGt, ofDs] = [gtByType.get(type) ?? [], dsByType.get(type) ?? []];
    if (ofGt.length === 0 && ofDs.length === 0) continue;
    const threshold = type === 'tag' ? TAG_THRESHOLD : settings.iou_threshold;
    const matching =
      type === 'polygon'
        ? yield* matchInstances(ofGt, ofDs, {
            threshold,
            panoptic: settings.panoptic_comparison,
            drawing: similarity.drawing,
          })
        : yield* matchShapes(ofGt, ofDs, threshold, similarity);
    for (const match of matching.matches) all.matches.push(match);
    for (const mismatch of matching.mismatches) all.mismatches.push(mismatch);
    for (const object of matching.missing) all.missing.push(object);
    for (const object of matching.extra) all.extra.push(object);
  }
  return all;
}

function byType(objects: readonly FrameObject[]): Map<string, FrameObject[]> {
  const types = new Map<string, FrameObject[]>();
  for (const object of objects) {
    const type = object.kind === 'mask' ? 'polygon' : object.kind;
    const known = types.get(type);
    if (known === undefined) types.set(type, [object]);
    else known.push(object);
  }
  return types;
}

/** Matches tags or shapes of one type, each on its own. */
export function* matchShapes(
  gt: readonly FrameObject[],
  ds: readonly FrameObject[],
  threshold: number,
  similarity: Similarity,
): Steps<Matching<FrameObject>> {
  const reach = (object: FrameObject): Reach => similarity.reach(object);
  return yield* matchObjects(gt, ds, threshold, function* (found) {
    const [ofGt, ofDs] = [yield* mapSteps(gt, reach), yield* mapSteps(ds, reach)];
    const measured = function* (row: number, column: number, a: FrameObject, b: FrameObject): Steps<void> {
      found(row, column, yield* similarity.steps(a, b));
    };
    yield* eachNeighbour(ofGt, ofDs, similarity.drawing.budget, (row, column) => {
      const [a, b] = [gt[row], ds[column]];
      if (a === undefined || b === undefined) return undefined;
      if (a.kind === 'points') return measured(row, column, a, b);
      found(row, column, similarity.of(a, b));
      return undefined;
    });
  });
}

function toMatrix(
  { matches, mismatches, missing, extra }: Matching<FrameObject>,
  labels: ReportLabels,
): ConfusionMatrix {
  const matrix = new ConfusionMatrix(labels.names.length);
  for (const { gt, ds } of [...matches, ...mismatches]) matrix.add(labels.indexOf(ds), labels.indexOf(gt));
  for (const { object } of missing) matrix.add(labels.unmatched, labels.indexOf(object));
  for (const { object } of extra) matrix.add(labels.indexOf(object), labels.unmatched);
  return matrix;
}

/** A frame without annotations on both sides counts as one right annotation. */
function withEmptyFrame(counts: AnnotationCounts): AnnotationCounts {
  const isEmpty = counts.total === 0;
  return {
    ...counts,
    valid: isEmpty ? 1 : counts.valid,
    total: isEmpty ? 1 : counts.total,
    ds: counts.ds || 1,
    gt: counts.gt || 1,
  };
}

const isShape = ({ kind }: FrameObject): boolean => kind !== 'tag';

function components(
  { matches, mismatches, missing, extra }: Matching<FrameObject>,
  emptyIsAnnotated: boolean,
  isEmpty: { readonly gt: boolean; readonly ds: boolean },
): Pick<FrameResult, 'shape' | 'label'> {
  const pairs = [...matches, ...mismatches].filter(({ gt }) => isShape(gt));
  const alone = (found: readonly Unmatched<FrameObject>[]) => found.filter(({ object }) => isShape(object));
  const [missingShapes, extraShapes] = [alone(missing), alone(extra)];
  const similarities = [
    ...pairs.map(({ similarity }) => similarity),
    ...[...missingShapes, ...extraShapes].map(({ nearest }) => nearest),
  ];
  const valid = pairs.length;
  const shape: ShapeCounts = {
    valid,
    missing: missingShapes.length,
    extra: extraShapes.length,
    total: valid + missingShapes.length + extraShapes.length,
    ds: valid + extraShapes.length,
    gt: valid + missingShapes.length,
    meanIou: similarities.length === 0 ? 0 : sumOf(similarities) / similarities.length,
  };
  const label = { valid: matches.length, invalid: mismatches.length, total: matches.length + mismatches.length };
  if (emptyIsAnnotated) {
    if (isEmpty.gt && isEmpty.ds) {
      shape.valid = shape.total = 1;
      label.valid = label.total = 1;
    }
    if (isEmpty.ds) shape.ds = 1;
    if (isEmpty.gt) shape.gt = 1;
  }
  return { shape, label };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

function* conflictsOf(
  frame: ComparedFrame,
  { matches, mismatches, missing, extra }: Matching<FrameObject>,
  similarity: Similarity,
  settings: ComparisonSettings,
  labels: ReportLabels,
): Steps<Conflict[]> {
  const conflict = (type: ConflictType, ...objects: readonly FrameObject[]): Conflict => ({
    frame_id: frame.frame,
    type,
    severity: ERRORS.has(type) ? 'error' : 'warning',
    annotation_ids: objects.map(toAnnotationId),
  });
  const ofPairs = (type: ConflictType, pairs: readonly MatchedPair<FrameObject>[]): Conflict[] =>
    pairs.map(({ gt, ds }) => conflict(type, ds, gt));
  const shapes = [...matches, ...mismatches].filter(({ gt }) => isShape(gt));
  const isTurned = (pair: MatchedPair<FrameObject>): boolean =>
    pair.gt.kind === 'polyline' &&
    pair.similarity - similarity.oriented(pair.gt, pair.ds) > settings.line_orientation_threshold;
  const differs = ({ gt, ds }: MatchedPair<FrameObject>): boolean => !labels.haveSameAttributes(gt, ds);
  const { annotations, groundTruth } = frame;
  const covered = settings.check_covered_annotations
    ? yield* coveredObjects(annotations, settings.object_visibility_threshold, similarity.drawing)
    : [];
  const misgrouped = settings.compare_groups
    ? yield* mismatchedGroups(groundTruth, annotations, shapes, settings.group_match_threshold)
    : [];
  const turned = settings.compare_line_orientation ? yield* filterSteps(shapes, isTurned) : [];
  const different = settings.compare_attributes ? yield* filterSteps(matches, differs) : [];
  const overlapsLittle = ({ similarity: found }: MatchedPair<FrameObject>): boolean =>
    found < settings.low_overlap_threshold;
  return [
    ...ofPairs('low_overlap', shapes.filter(overlapsLittle)),
    ...missing.map(({ object }) => conflict('missing_annotation', object)),
    ...extra.map(({ object }) => conflict('extra_annotation', object)),
    ...ofPairs('mismatching_label', mismatches),
    ...ofPairs('mismatching_direction', turned),
    ...covered.map((object) => conflict('covered_annotation', object)),
    ...ofPairs('mismatching_attributes', different),
    ...ofPairs('mismatching_groups', misgrouped),
  ];
}

const toAnnotationId = ({ id, jobId, type, kind }: FrameObject): AnnotationId => ({
  obj_id: id,
  job_id: jobId,
  type,
  shape_type: kind === 'tag' ? null : kind,
});
