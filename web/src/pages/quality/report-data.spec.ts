import { describe, expect, test } from '@jest/globals';
import { rowsByLabel } from './report-data';

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
});
