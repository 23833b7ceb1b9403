import { describe, expect, it } from '@jest/globals';
import type { BackupJobDto, BackupTaskDto } from './backup.dto.js';
import { gatherReplicas } from './listed-replicas.js';

const job = (start: number, type: BackupJobDto['type'] = 'annotation', fields = {}): BackupJobDto => ({
  type,
  start_frame: start,
  stop_frame: start + 4,
  ...fields,
});
const task = (jobs: BackupJobDto[], fields = {}): BackupTaskDto => ({
  name: 't',
  version: '1.0',
  data: {},
  jobs,
  ...fields,
});

describe('gatherReplicas', () => {
  it('assigns replicas to the jobs with the same frames', () => {
    const replica = 'consensus_replica';
    const { task: gathered, listed } = gatherReplicas(
      'task.json',
      task(
        [
          job(0),
          job(0, replica, { status: 'completed' }),
          job(0, replica),
          job(5),
          job(5, replica),
          job(5, replica),
          job(0, 'ground_truth'),
        ],
        { consensus_replicas: 2 },
      ),
    );
    const waiting = { stage: 'annotation', state: 'new' };
    expect(gathered.jobs).toEqual([
      job(0, 'annotation', { replicas: [{ stage: 'acceptance', state: 'completed' }, waiting] }),
      job(5, 'annotation', { replicas: [waiting, waiting] }),
      job(0, 'ground_truth'),
    ]);
    expect(listed).toEqual([
      { job: 0 },
      { job: 0, replica: 0 },
      { job: 0, replica: 1 },
      { job: 1 },
      { job: 1, replica: 0 },
      { job: 1, replica: 1 },
      { job: 2 },
    ]);
  });

  it('counts the replicas if the task does not tell their number', () => {
    const { task: gathered } = gatherReplicas('task.json', task([job(0), job(0, 'replica'), job(0, 'replica')]));
    expect(gathered.consensus_replicas).toBe(2);
  });

  it('leaves a task without replicas as it is', () => {
    const plain = task([job(0), job(0, 'ground_truth')]);
    expect(gatherReplicas('task.json', plain)).toEqual({ task: plain, listed: [{ job: 0 }, { job: 1 }] });
  });

  it('refuses a replica whose frames no job has', () => {
    expect(() => gatherReplicas('task.json', task([job(0), job(5, 'replica')]))).toThrow(
      'jobs[1] is a replica, but no annotation job has its frames',
    );
  });
});
