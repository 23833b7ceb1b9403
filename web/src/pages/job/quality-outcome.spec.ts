import { describe, expect, it } from '@jest/globals';
import type { JobQuality } from '../../app/api';
import { outcomeText } from './quality-outcome';

const CHECK: JobQuality = {
  status: 'checked',
  checked_date: '2026-11-25T12:00:00Z',
  target_metric: 'accuracy',
  target_metric_threshold: 0.7,
  value: 0.875,
  passed: true,
  checked_frames: 2,
  error_count: 0,
  remaining_checks: 1,
};

describe('the outcome of a check', () => {
  it.each<[Partial<JobQuality>, string]>([
    [{}, 'Accuracy 87.5% reaches the target of 70%.'],
    [
      { value: 0.5, passed: false, error_count: 3, target_metric: 'recall' },
      'Recall 50% is below the target of 70%: 3 errors on 2 checked frames.',
    ],
    [{ value: null, passed: null }, 'The job has no frames with ground truth, so nothing was compared.'],
  ])('%#', (values, text) => {
    expect(outcomeText({ ...CHECK, ...values })).toBe(text);
  });
});
