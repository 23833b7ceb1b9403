import { describe, expect, it } from '@jest/globals';
import { type Progress, progressText } from './progress.js';

describe('progressText', () => {
  it.each<[string, Progress, number, string]>([
    [
      'records and bytes, rate and remaining time',
      { step: 'read', done: 1_234_567, bytes: 300e6, totalBytes: 600e6 },
      30,
      'Reading the dump: 1,234,567 records, 300 of 600 MB (50 %), 41,000 records/s, about 30 s left',
    ],
    [
      'no rate in the first seconds',
      { step: 'read', done: 500, bytes: 1e6, totalBytes: 600e6 },
      1,
      'Reading the dump: 500 records, 1 of 600 MB (0 %)',
    ],
    [
      'minutes',
      { step: 'write', done: 1000, total: 4000 },
      60,
      'Writing: 1,000 of 4,000 rows (25 %), 17 rows/s, about 3 min left',
    ],
    [
      'hours',
      { step: 'write', done: 100, total: 10_000 },
      100,
      'Writing: 100 of 10,000 rows (1 %), 1 rows/s, about 2 h 45 min left',
    ],
    ['no share of an unknown total', { step: 'files', done: 7 }, 10, 'Copying files: 7 files, 0.7 files/s'],
    ['no remaining time at the end', { step: 'write', done: 9, total: 9 }, 9, 'Writing: 9 of 9 rows (100 %), 1 rows/s'],
    ['an empty total', { step: 'check', done: 0, total: 0 }, 9, 'Checking: 0 of 0 rows'],
  ])('shows %s', (_, progress, seconds, text) => expect(progressText(progress, seconds)).toBe(text));
});
