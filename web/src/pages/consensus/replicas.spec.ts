import { describe, expect, test } from '@jest/globals';
import type { Job } from '../../app/api';
import { replicatedJobs } from './replicas';

const job = (id: number, parent: number | null, stage: string, state: string): Job =>
  ({ id, parent_job_id: parent, stage, state }) as Job;

describe('the replicas of a task', () => {
  test('are ready for a merge if somebody has worked on one, and the job is in the annotation stage', () => {
    const jobs = replicatedJobs([
      job(1, null, 'annotation', 'new'),
      job(2, 1, 'annotation', 'in progress'),
      job(3, 1, 'annotation', 'new'),
      job(4, null, 'validation', 'new'),
      job(5, 4, 'acceptance', 'completed'),
      job(6, null, 'annotation', 'new'),
      job(7, 6, 'annotation', 'new'),
      job(8, null, 'annotation', 'new'),
    ]);
    expect(
      jobs.map(({ job: { id }, replicas, sources, isReady }) => [id, replicas.length, sources.length, isReady]),
    ).toEqual([
      [1, 2, 1, true],
      [4, 1, 1, false],
      [6, 1, 0, false],
    ]);
  });
});
