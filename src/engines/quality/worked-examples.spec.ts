import { describe, expect, it } from '@jest/globals';
import { qualityLabel, qualityShape, shapeObject } from '../../../test/support/quality-objects.js';
import { comparingFrame, TooManyPairs } from '../annotations/assignment.js';
import { PairBudget } from '../annotations/pair-budget.js';
import { finish } from '../concurrency/steps.js';
import { emptyData, type Shape } from '../../shared/annotations/model.js';
import { type ConflictType, compareFrame, comparisonSteps } from './compare-frame.js';
import { coveredObjects } from './covered.js';
import { Drawing } from './drawing.js';
import { type FrameObject, JobFrames } from './frame-objects.js';
import { ReportLabels } from './labels.js';
import { lineSimilarity } from './polylines.js';
import { areaOf, maskRegion, polygonRegion, regionIou, sharedArea, unionOf, without } from './regions.js';
import { frameDocument, jobReport, reportSummary } from './report.js';
import { type ComparisonSettings, DEFAULT_COMPARISON } from './settings.js';
import { boxIou } from './similarity.js';
import { projectSummary, taskReport } from './task-report.js';

const size = { width: 100, height: 80 };
const labels = [qualityLabel(1, 'car'), qualityLabel(2, 'person')];
const names = new ReportLabels(labels);

const compare = (
  groundTruth: readonly FrameObject[],
  annotations: readonly FrameObject[],
  settings: Partial<ComparisonSettings> = {},
) => compareFrame({ frame: 0, size, groundTruth, annotations }, { ...DEFAULT_COMPARISON, ...settings }, names);

const typesOf = (result: ReturnType<typeof compare>): ConflictType[] => result.conflicts.map(({ type }) => type);

describe('a task with a car that was moved and a person too many', () => {
  const groundTruth = [shapeObject({ id: 1, points: [10, 10, 40, 40] })];
  const annotations = [
    shapeObject({ id: 1, points: [12, 10, 42, 40] }),
    shapeObject({ id: 2721, labelId: 2, points: [50, 10, 80, 40], jobId: 136 }),
  ];
  const result = compare(groundTruth, annotations);

  it('has one pair and one extra annotation', () => {
    const document = frameDocument(result, names.names);
    expect(document.annotations).toEqual({
      valid_count: 1,
      missing_count: 0,
      extra_count: 1,
      total_count: 2,
      ds_count: 2,
      gt_count: 1,
      accuracy: 0.5,
      precision: 0.5,
      recall: 1,
      confusion_matrix: {
        labels: ['car', 'person', 'unmatched'],
        rows: [[1, 0, 0], [0, 0, 1], [0, 0, 0]], // prettier-ignore
        axes: { cols: 'gt', rows: 'ds' },
        precision: [1, 0, 0],
        recall: [1, 0, 0],
        jaccard_index: [1, 0, 0],
        accuracy: [1, 0.5, 0.5],
      },
    });
    expect(document.annotation_components).toEqual({
      shape: { valid_count: 1, missing_count: 0, extra_count: 1, total_count: 2, ds_count: 2, gt_count: 1, mean_iou: 0.4375, accuracy: 0.5 }, // prettier-ignore
      label: { valid_count: 1, invalid_count: 0, total_count: 1, accuracy: 1 },
    });
    expect(document.conflicts).toEqual([
      {
        frame_id: 0,
        type: 'extra_annotation',
        severity: 'error',
        annotation_ids: [{ obj_id: 2721, job_id: 136, type: 'shape', shape_type: 'rectangle' }],
      },
    ]);
  });

  it('gives the reports of job, task and project', () => {
    const job = jobReport({
      totalFrames: 2,
      frames: new Map([[0, result]]),
      labels: names.names,
      emptyIsAnnotated: false,
    });
    const task = taskReport({ jobs: [136], reports: new Map([[136, job]]), labels: names.names });
    const ofBoth = { frames: [0], frame_count: 1, total_frames: 2, frame_share: 0.5, frame_share_percent: 50 };
    expect(job.summary).toMatchObject({ ...ofBoth, mean_conflict_count: 1, jobs: null });
    expect(task.summary).toMatchObject({ ...ofBoth, mean_conflict_count: 1, jobs: { included_count: 1 } });
    expect(job.summary.annotation_components.shape.mean_iou).toBe(0.4375);
    expect(task.summary.annotation_components.shape.mean_iou).toBe(0);
    const project = projectSummary([{ id: 74, report: { summary: task.summary, inherited: true } }]);
    const counts = { valid_count: 2, total_count: 4, ds_count: 4, gt_count: 2 };
    expect(reportSummary(project)).toMatchObject({ ...counts, accuracy: 0.5, tasks: { total: 1, included: 1 } });
    expect(project.annotations).toMatchObject({ extra_count: 2, missing_count: 0 });
  });
});

describe('reports without content', () => {
  it('are zero', () => {
    const job = jobReport({ totalFrames: 5, frames: new Map(), labels: names.names, emptyIsAnnotated: true });
    expect(reportSummary(job.summary)).toMatchObject({ total_frames: 5, frame_count: 0, accuracy: 0, total_count: 0 });
    expect(job.summary.annotation_components.shape.mean_iou).toBeNull();
    const task = taskReport({ jobs: [7, 3], reports: new Map([[7, job]]), labels: names.names });
    expect(task.summary.jobs).toMatchObject({ all: [3, 7], excluded: [3], not_checkable: [7], included_count: 1 });
    const nothing = taskReport({ jobs: [3], reports: new Map(), labels: names.names });
    expect(nothing.summary.annotations.confusion_matrix).toBeNull();
    expect(projectSummary([]).annotations).toMatchObject({ total_count: 0, confusion_matrix: null });
  });
});

describe('conflicts', () => {
  it('warns about little overlap', () => {
    const pair = [[shapeObject({ points: [0, 0, 30, 30] })], [shapeObject({ points: [10, 0, 40, 30] })]] as const;
    expect(typesOf(compare(...pair))).toEqual(['low_overlap']);
    expect(typesOf(compare(...pair, { iou_threshold: 0.6 }))).toEqual(['missing_annotation', 'extra_annotation']);
  });

  it('finds another label, without a second attempt to find a pair with the right one', () => {
    const person = shapeObject({ labelId: 2, points: [0, 0, 30, 30] });
    const result = compare([shapeObject({ points: [0, 0, 30, 30] })], [person]);
    expect(typesOf(result)).toEqual(['mismatching_label']);
    expect(result.shape.valid).toBe(1);
    expect(result.label).toEqual({ valid: 0, invalid: 1, total: 1 });
  });

  it('compares lines in both directions, and warns about the other one', () => {
    const line = { kind: 'polyline' as const };
    const [there, back] = [[10, 10, 60, 10], [60, 10, 10, 10]]; // prettier-ignore
    const pair = [
      [shapeObject({ ...line, points: there ?? [] })],
      [shapeObject({ ...line, points: back ?? [] })],
    ] as const;
    expect(typesOf(compare(...pair, { low_overlap_threshold: 0 }))).toEqual(['mismatching_direction']);
    expect(typesOf(compare(...pair, { low_overlap_threshold: 0, compare_line_orientation: false }))).toEqual([]);
  });

  it('finds a shape below others', () => {
    const covered = shapeObject({ points: [10, 10, 20, 20] });
    const above = [shapeObject({ points: [5, 5, 15, 30] }), shapeObject({ labelId: 2, points: [15, 5, 30, 30] })];
    const result = compare([], [covered, ...above]);
    expect(typesOf(result).filter((type) => type === 'covered_annotation')).toHaveLength(1);
    expect(typesOf(compare([], [...above, covered]))).not.toContain('covered_annotation');
  });

  it('compares numbers and checkboxes by value, others by their text', () => {
    const car = {
      ...qualityLabel(1, 'car'),
      attributes: [
        { id: 1, mutable: false, defaultValue: '4', inputType: 'number', values: [] },
        { id: 2, mutable: false, defaultValue: 'false', inputType: 'checkbox', values: [] },
        { id: 3, mutable: false, defaultValue: 'red', inputType: 'text', values: [] },
      ],
    };
    const index = new ReportLabels([car]);
    const of = (...values: string[]) =>
      shapeObject({ attributes: values.map((value, at) => ({ spec_id: at + 1, value })) });
    expect(index.haveSameAttributes(of('4', 'TRUE', 'red'), of('4.0', 'true', 'red'))).toBe(true);
    expect(index.haveSameAttributes(of('4', 'true', 'red'), of('5', 'true', 'red'))).toBe(false);
    expect(index.haveSameAttributes(of('4', 'true', 'red'), of('4', 'true', 'Red'))).toBe(false);
    expect(index.haveSameAttributes(of('4'), { ...of('4'), occluded: true })).toBe(false);
  });

  it('counts frames without annotations if they are annotations', () => {
    const result = compare([], [], { empty_is_annotated: true });
    expect(result.annotations).toMatchObject({ valid: 1, total: 1, ds: 1, gt: 1 });
    expect(compare([], []).annotations).toMatchObject({ valid: 0, total: 0, ds: 0, gt: 0 });
  });
});

describe('the confusion matrix of very many labels', () => {
  it('is left out, because it would fill the memory', () => {
    const labels = Array.from({ length: 100_000 }, (_, id) => qualityLabel(id, `label ${id}`));
    const many = new ReportLabels(labels);
    const result = compareFrame({ frame: 0, size, groundTruth: [], annotations: [] }, DEFAULT_COMPARISON, many);
    expect(frameDocument(result, many.names).annotations.confusion_matrix).toBeNull();
  });
});

describe('a crowded frame', () => {
  it('is compared in many steps', () => {
    const crowd = Array.from({ length: 300 }, (_, at) => shapeObject({ id: at + 1, points: [at, 10, at + 5, 40] }));
    const compared = { frame: 0, size: { width: 400, height: 80 }, groundTruth: crowd, annotations: crowd };
    const steps = comparisonSteps(compared, DEFAULT_COMPARISON, names);
    let count = 0;
    let last = steps.next();
    for (; last.done !== true; last = steps.next()) count++;
    expect(count).toBeGreaterThan(crowd.length);
    expect(last.value.annotations.valid).toBe(crowd.length);
  });

  it('is refused if the pairs of its shapes do not fit into memory', () => {
    const group = Array.from({ length: 1_001 }, (_, at) =>
      shapeObject({ id: at + 1, group: 1, kind: 'polygon', points: [at % 90, 10, (at % 90) + 5, 10, at % 90, 40] }),
    );
    const compared = { frame: 7, size, groundTruth: group, annotations: group };
    expect(() => finish(comparingFrame(7, comparisonSteps(compared, DEFAULT_COMPARISON, names)))).toThrow(
      'Frame 7 cannot be compared: groups of polygons or masks have too many members. Remove duplicates, or delete the frame.',
    );
  });

  it('is refused if an outline has far more edges than any object', () => {
    const outline = Array.from({ length: 12_000 }, (_, at) => [at % 2 === 0 ? 0 : 90, at % 80]).flat();
    const zigzag = [shapeObject({ id: 1, kind: 'polygon', points: outline })];
    const compared = { frame: 7, size, groundTruth: zigzag, annotations: zigzag };
    expect(() => finish(comparingFrame(7, comparisonSteps(compared, DEFAULT_COMPARISON, names)))).toThrow(
      'Frame 7 cannot be compared: a polygon crosses more than 1000000 columns of pixels. Remove duplicates, or delete the frame.',
    );
  });

  it('is refused if its drawn shapes do not fit into memory', () => {
    const drawing = new Drawing(size, new PairBudget({ work: 1_000_000, kept: 1_000 }));
    const boxes = Array.from({ length: 100 }, (_, id) => shapeObject({ id, points: [0, 0, 50, 50] }));
    expect(() => boxes.map((box) => drawing.region(box))).toThrow(TooManyPairs);
  });

  it('is refused if passing over its drawn shapes takes too long', () => {
    const drawing = new Drawing(size, new PairBudget({ work: 10_000, kept: 1_000_000 }));
    const boxes = Array.from({ length: 100 }, (_, id) => shapeObject({ id, points: [0, 0, 50, 50], zOrder: id }));
    expect(() => finish(coveredObjects(boxes, 0.5, drawing))).toThrow(TooManyPairs);
  });

  it('compares large sets of points in many steps', () => {
    const points = Array.from({ length: 600 }, (_, at) => (at * 7) % 80);
    const set = [shapeObject({ id: 1, kind: 'points', points })];
    const steps = comparisonSteps({ frame: 0, size, groundTruth: set, annotations: set }, DEFAULT_COMPARISON, names);
    let count = 0;
    let last = steps.next();
    for (; last.done !== true; last = steps.next()) count++;
    expect(count).toBeGreaterThan(points.length / 2);
    expect(last.value.annotations.valid).toBe(1);
  });
});

describe('similarity', () => {
  it('of boxes is exact', () => {
    const [a, b] = [{ left: 10, top: 10, right: 40, bottom: 40 }, { left: 12, top: 10, right: 42, bottom: 40 }]; // prettier-ignore
    expect(boxIou(a, b)).toBe(0.875);
    expect(boxIou(a, { left: 40, top: 10, right: 50, bottom: 40 })).toBe(0);
  });

  it('of lines does not depend on where their vertices are', () => {
    const { oriented, best } = lineSimilarity([0, 0, 90, 0], [0, 0, 30, 0, 90, 0], 0.01, size);
    expect([oriented, best]).toEqual([1, 1]);
    expect(lineSimilarity([0, 0, 10, 0], [0, 79, 10, 79], 0.01, size)).toEqual({ oriented: 0, best: 0 });
    expect(lineSimilarity([5, 5, 5, 5], [5, 5, 9, 5], 0.01, size).best).toBeNaN();
  });

  it('of points does not depend on their order, if the object has an extent', () => {
    const points = (...values: number[]) => [shapeObject({ kind: 'points', points: values })];
    expect(compare(points(10, 10, 50, 50), points(50, 50, 10, 10)).shape.meanIou).toBe(1);
    expect(compare(points(10, 10, 50, 50), points(10, 10, 50, 50, 30, 30)).shape.meanIou).toBeCloseTo(2 / 3, 9);
  });
});

describe('regions', () => {
  const square = polygonRegion([10, 10, 20, 10, 20, 20, 10, 20], size);
  const right = polygonRegion([15, 10, 25, 10, 25, 20, 15, 20], size);

  it('are counted without drawing the image', () => {
    expect([areaOf(square), sharedArea(square, right), areaOf(finish(unionOf([square, right])))]).toEqual([
      100, 50, 150,
    ]);
    expect(areaOf(without(square, right))).toBe(50);
    expect(regionIou(square, right)).toBeCloseTo(1 / 3, 12);
  });

  it('are the same for a mask and a polygon of the same pixels', () => {
    expect(maskRegion([0, 100, 10, 10, 19, 19], size)).toEqual(square);
    expect(areaOf(maskRegion([0, 100, 95, 10, 104, 19], size))).toBe(50);
  });
});

describe('JobFrames', () => {
  const data = (...shapes: Shape[]) => ({ ...emptyData(), shapes });

  it('sorts by z-order, then by id', () => {
    const shapes = [qualityShape({ id: 3 }), qualityShape({ id: 2, z_order: 1 }), qualityShape({ id: 1, z_order: 1 })];
    expect(new JobFrames(1, data(...shapes), labels).at(0).map(({ id }) => id)).toEqual([3, 1, 2]);
  });

  it('rounds coordinates to two decimals, halves to the even neighbour', () => {
    const points = [0.125, 0.375, 10.004, 10.006];
    const [object] = new JobFrames(1, data(qualityShape({ points })), labels).at(0);
    expect(object?.points).toEqual([0.12, 0.38, 10, 10.01]);
  });

  it('leaves out cuboids, and skeletons that are outside', () => {
    const element = { ...qualityShape({ type: 'points', points: [1, 1] }), outside: true };
    const skeleton = { ...qualityShape({ type: 'skeleton', points: [] }), elements: [element] };
    const cuboid = qualityShape({ type: 'cuboid', points: Array.from({ length: 16 }, () => 1) });
    expect(new JobFrames(1, data(skeleton, cuboid), labels).at(0)).toEqual([]);
  });
});
