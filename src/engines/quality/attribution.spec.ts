import { describe, expect, it } from '@jest/globals';
import { qualityLabel, shapeObject } from '../../../test/support/quality-objects.js';
import { type AuthorOf, countsOfJob } from './attribution.js';
import { compareFrame } from './compare-frame.js';
import type { FrameObject } from './frame-objects.js';
import { ReportLabels } from './labels.js';
import { jobReport } from './report.js';
import { DEFAULT_COMPARISON } from './settings.js';

const names = new ReportLabels([qualityLabel(1, 'car'), qualityLabel(2, 'person')]);
const [ANNOTATOR, REVIEWER] = [1, 2];
const box = (id: number, left: number, labelId = 1) => shapeObject({ id, labelId, points: [left, 10, left + 10, 20] });

/** The report of a job with one frame for each list, whose annotations with these ids were made by the reviewer. */
function countsOf(
  frames: readonly (readonly [groundTruth: readonly FrameObject[], annotations: readonly FrameObject[]])[],
  ofReviewer: readonly number[],
  emptyIsAnnotated = false,
) {
  const authorOf: AuthorOf = (one) => (one !== undefined && ofReviewer.includes(one.obj_id) ? REVIEWER : ANNOTATOR);
  const settings = { ...DEFAULT_COMPARISON, empty_is_annotated: emptyIsAnnotated };
  const results = frames.map(([groundTruth, annotations], frame) => {
    const compared = { frame, size: { width: 100, height: 80 }, groundTruth, annotations, authorOf };
    return [frame, compareFrame(compared, settings, names)] as const;
  });
  const report = jobReport({ totalFrames: 9, frames: new Map(results), labels: names.names, emptyIsAnnotated });
  return { report, counts: countsOfJob(report, ANNOTATOR) };
}

describe('the counts of a job by author', () => {
  it('are those of who made each annotation', () => {
    const { counts } = countsOf(
      [
        [
          [box(1, 0), box(2, 20)],
          [box(3, 0), box(4, 20, 2)],
        ],
      ],
      [4],
    );
    expect(Object.fromEntries(counts)).toEqual({
      [ANNOTATOR]: { frame_count: 1, conflict_count: 0, valid_count: 1, ds_count: 1, gt_count: 1, total_count: 1 },
      [REVIEWER]: { frame_count: 1, conflict_count: 1, valid_count: 0, ds_count: 1, gt_count: 1, total_count: 1 },
    });
  });

  it('count missing annotations for who annotated the job, also if somebody else made all others', () => {
    const { counts } = countsOf([[[box(1, 0), box(2, 20)], [box(3, 0)]]], [3]);
    expect(Object.fromEntries(counts)).toEqual({
      [ANNOTATOR]: { frame_count: 1, conflict_count: 1, valid_count: 0, ds_count: 0, gt_count: 1, total_count: 1 },
      [REVIEWER]: { frame_count: 1, conflict_count: 0, valid_count: 1, ds_count: 1, gt_count: 1, total_count: 1 },
    });
  });

  it('count the frames on which an author has anything, and all frames for who annotated the job', () => {
    const { counts } = countsOf(
      [
        [[box(1, 0)], [box(2, 0)]],
        [[], []],
        [[box(3, 0)], [box(4, 0)]],
      ],
      [4],
    );
    expect([ANNOTATOR, REVIEWER].map((author) => counts.get(author)?.frame_count)).toEqual([3, 1]);
  });

  it.each([true, false])('have the sums of the report, if empty frames count as right: %j', (emptyIsAnnotated) => {
    const frames = [
      [
        [box(1, 0), box(2, 20)],
        [box(3, 2), box(4, 50)],
      ],
      [[], []],
      [[], [box(5, 0)]],
      [[box(6, 0)], []],
    ] as const;
    const { report, counts } = countsOf(frames, [4, 5], emptyIsAnnotated);
    const { valid_count, ds_count, gt_count, total_count } = report.summary.annotations;
    const sums = (['valid_count', 'ds_count', 'gt_count', 'total_count', 'conflict_count'] as const).map((name) =>
      [...counts.values()].reduce((sum, one) => sum + one[name], 0),
    );
    expect(sums).toEqual([valid_count, ds_count, gt_count, total_count, report.summary.conflict_count]);
  });

  it('are empty without compared frames', () => {
    expect(countsOf([], []).counts.size).toBe(0);
  });
});
