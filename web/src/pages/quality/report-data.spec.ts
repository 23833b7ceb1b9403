import { describe, expect, test } from '@jest/globals';
import type { QualityReport } from '../../app/api';
import { rowsByAnnotator, rowsByLabel } from './report-data';

describe('the numbers of a report', () => {
  test('are listed for the labels that were compared', () => {
    const rows = rowsByLabel({
      labels: ['car', 'person', 'tree', 'unmatched'],
      rows: [
        [2, 1, 0, 1],
        [0, 3, 0, 0],
        [0, 0, 0, 0],
        [1, 0, 0, 0],
      ],
      precision: [0.5, 1, 0, 0],
      recall: [0.6, 0.75, 0, 0],
      accuracy: [0.7, 0.8, 1, 0.75],
      jaccard_index: [0.4, 0.75, 0, 0],
    });
    expect(rows).toEqual([
      { label: 'car', annotated: 4, truth: 3, matched: 2, accuracy: 0.7, precision: 0.5, recall: 0.6 },
      { label: 'person', annotated: 3, truth: 4, matched: 3, accuracy: 0.8, precision: 1, recall: 0.75 },
    ]);
    expect(rowsByLabel(null)).toEqual([]);
  });

  test('are summed for the jobs of an annotator, worst first', () => {
    const ann = { id: 1, username: 'ann' };
    const rows = rowsByAnnotator([
      report(null, { valid: 9, total: 10, ds: 9, gt: 10 }),
      report(ann, { valid: 1, total: 4, ds: 2, gt: 4 }),
      report(ann, { valid: 3, total: 4, ds: 4, gt: 4 }),
      report(ann, { valid: 0, total: 0, ds: 0, gt: 0 }, 0),
    ]);
    expect(rows.map(({ user, ...row }) => ({ user: user?.username, ...row }))).toEqual([
      { user: 'ann', jobs: 2, frames: 10, conflicts: 4, accuracy: 0.5, precision: 4 / 6, recall: 0.5 },
      { user: undefined, jobs: 1, frames: 5, conflicts: 2, accuracy: 0.9, precision: 1, recall: 0.9 },
    ]);
  });
});

function report(
  assignee: { readonly id: number; readonly username: string } | null,
  { valid, total, ds, gt }: Readonly<Record<'valid' | 'total' | 'ds' | 'gt', number>>,
  frames = 5,
): QualityReport {
  return {
    assignee,
    summary: {
      valid_count: valid,
      total_count: total,
      ds_count: ds,
      gt_count: gt,
      frame_count: frames,
      conflict_count: 2,
    },
  } as unknown as QualityReport;
}
