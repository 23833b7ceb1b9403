import { describe, expect, it } from '@jest/globals';
import { finish } from '../concurrency/steps.js';
import type { FrameObject } from '../quality/frame-objects.js';
import { agreementReport, CohenCounts, FleissCounts, JobAgreement } from './agreement.js';

const object = (labelId: number, more: Partial<FrameObject> = {}): FrameObject => ({
  id: 1,
  jobId: 1,
  type: 'shape',
  kind: 'rectangle',
  labelId,
  group: 0,
  zOrder: 0,
  occluded: false,
  rotation: 0,
  points: [0, 0, 10, 10],
  elements: [],
  attributes: [],
  ...more,
});
const tag = (labelId: number): FrameObject => object(labelId, { type: 'tag', kind: 'tag', points: [] });

const OPTIONS = { iouThreshold: 0.4, sublabels: new Map<number, number[]>() };
const SIZE = { width: 100, height: 100 };

/** A job with these frames: the objects of each replica. */
function job(id: number, annotators: string[], frames: FrameObject[][][]): JobAgreement {
  const counts = new JobAgreement(id, annotators, OPTIONS);
  for (const replicas of frames) finish(counts.add({ replicas, size: SIZE }));
  return counts;
}

describe("Cohen's kappa", () => {
  it('equals a worked example', () => {
    // 50 decisions: both yes 20, only the first 5, only the second 10, both no 15. p_o = 0.7, p_e = 0.5.
    const counts = new CohenCounts();
    counts.add({ both: 20, first: 5, second: 10, frames: 50 });
    const { decisions, observed, kappa } = counts.agreement();
    expect([decisions, observed]).toEqual([50, 0.7]);
    expect(kappa).toBeCloseTo(0.4, 12);
    expect(counts.swapped().agreement().kappa).toBeCloseTo(0.4, 12);
  });

  it('is not defined if nobody ever decides otherwise', () => {
    const counts = new CohenCounts();
    expect(counts.agreement()).toEqual({ decisions: 0, observed: null, kappa: null });
    counts.add({ both: 3, first: 0, second: 0, frames: 3 });
    expect(counts.agreement()).toEqual({ decisions: 3, observed: 1, kappa: null });
  });
});

describe("Fleiss' kappa", () => {
  it('equals a worked example', () => {
    // Three annotators, four decisions with 3, 2, 1 and 0 votes: P = (1 + 1/3 + 1/3 + 1) / 4, P_e = 1/2.
    const counts = new FleissCounts(3);
    counts.add(4, [0, 1, 1, 1]);
    const { decisions, observed, kappa } = counts.agreement();
    expect(decisions).toBe(4);
    expect(observed).toBeCloseTo(2 / 3, 12);
    expect(kappa).toBeCloseTo(1 / 3, 12);
  });

  it('is 1 for full agreement, and negative for systematic disagreement', () => {
    const [same, other] = [new FleissCounts(2), new FleissCounts(2)];
    same.add(4, [0, 0, 2]);
    other.add(4, [0, 4]);
    expect([same.agreement().kappa, other.agreement().kappa]).toEqual([1, -1]);
  });
});

describe('agreementReport', () => {
  const [near, far] = [{ points: [1, 0, 11, 10] }, { points: [50, 50, 60, 60] }];
  /** IoU of the usual rectangle with the near one. */
  const NEAR = 90 / 110;

  it('counts shapes of every pair of replicas', () => {
    const report = agreementReport([
      job(7, ['a', 'b', 'c'], [[[object(1)], [object(1, near)], [object(2), object(1, far)]]]),
    ]);
    // a and b match; c has the same place with another label, and a rectangle of its own.
    expect(report.total.shapes).toEqual({ objects: 2 + 3 + 3, matched: 1, share: 2 / 8, similarity: NEAR });
    expect(report.labels.map(({ labelId, shapes }) => [labelId, shapes.objects, shapes.matched])).toEqual([
      [1, 6, 1],
      [2, 2, 0],
    ]);
    expect(report.pairs.map(({ annotators, shapes }) => [annotators.join(), shapes.share, shapes.similarity])).toEqual([
      ['a,b', 1, NEAR],
      ['a,c', 0, null],
      ['b,c', 0, null],
    ]);
  });

  it('counts decisions about every tag that is used in the task', () => {
    const report = agreementReport([
      job(
        1,
        ['a', 'b'],
        [
          [[tag(1)], [tag(1)]],
          [[], []],
        ],
      ),
      job(
        2,
        ['b', 'a'],
        [
          [[tag(2), tag(2)], []],
          [[tag(1)], []],
        ],
      ),
    ]);
    // Two labels on four frames; both have one tag, and b alone has two. p_o = 6/8, p_e = (1·3 + 7·5) / 64.
    const [pair] = report.pairs;
    expect([pair?.annotators, pair?.tags.decisions, pair?.tags.observed]).toEqual([['a', 'b'], 8, 0.75]);
    expect(pair?.tags.kappa).toBeCloseTo((0.75 - 38 / 64) / (1 - 38 / 64), 12);
    expect(report.jobs.map(({ jobId, tags }) => [jobId, tags.decisions, tags.observed])).toEqual([
      [1, 4, 1],
      [2, 4, 0.5],
    ]);
    expect(report.labels.map(({ labelId, tags }) => [labelId, tags.decisions])).toEqual([
      [1, 4],
      [2, 4],
    ]);
    expect(report.total.shapes).toEqual({ objects: 0, matched: 0, share: null, similarity: null });
  });

  it('has no numbers without annotations', () => {
    const nothing = {
      tags: { decisions: 0, observed: null, kappa: null },
      shapes: { objects: 0, matched: 0, share: null, similarity: null },
    };
    expect(agreementReport([])).toEqual({ total: nothing, jobs: [], labels: [], pairs: [] });
    expect(agreementReport([job(1, ['a', 'b'], [[[], []]])])).toEqual({
      total: nothing,
      jobs: [{ jobId: 1, ...nothing }],
      labels: [],
      pairs: [{ annotators: ['a', 'b'], ...nothing }],
    });
  });
});
