import { refuse } from '../../../engines/annotations/formats/format.js';
import type { InitialProgress } from '../../jobs/index.js';
import type { BackupJobDto, BackupTaskDto } from './backup.dto.js';

/** A job in the order of a backup's annotations: its index, and that of one of its replicas. */
export interface ListedJob {
  readonly job: number;
  readonly replica?: number;
}

/**
 * Backups of CVAT up to 2.58 list the replicas of consensus among the jobs. Here they belong to the job with the same
 * frames.
 * @returns the task, and where the jobs in its list are now
 * @throws FormatError for a replica without a job
 */
export function gatherReplicas(file: string, task: BackupTaskDto): { task: BackupTaskDto; listed: ListedJob[] } {
  const jobs = task.jobs.filter((job) => !isReplica(job)).map((job) => ({ ...job }));
  const byFrames = new Map(jobs.flatMap((job, index) => (isAnnotationJob(job) ? [[framesOf(job), index]] : [])));
  let next = 0;
  const listed = task.jobs.map((job, position): ListedJob => {
    if (!isReplica(job)) return { job: next++ };
    const index = byFrames.get(framesOf(job));
    const parent = index === undefined ? undefined : jobs[index];
    if (index === undefined || parent === undefined)
      refuse(file, `jobs[${position}] is a replica, but no annotation job has its frames`);
    parent.replicas = [...(parent.replicas ?? []), progressOf(job)];
    return { job: index, replica: parent.replicas.length - 1 };
  });
  const most = Math.max(0, ...jobs.map(({ replicas = [] }) => replicas.length));
  const isListed = jobs.length < task.jobs.length;
  const replicas = isListed ? { consensus_replicas: task.consensus_replicas ?? most } : {};
  return { task: { ...task, ...replicas, jobs }, listed };
}

/** Stage and state of a job by its status. */
const STAGES: Readonly<Record<string, { readonly stage: string; readonly state: string }>> = {
  annotation: { stage: 'annotation', state: 'new' },
  validation: { stage: 'validation', state: 'new' },
  completed: { stage: 'acceptance', state: 'completed' },
};

/** Backups of CVAT contain only the status. */
export function progressOf({ status = 'annotation', stage, state }: BackupJobDto): InitialProgress {
  return {
    ...STAGES[status],
    ...(stage === undefined ? {} : { stage }),
    ...(state === undefined ? {} : { state }),
  };
}

const isReplica = ({ type }: BackupJobDto): boolean => type === 'consensus_replica' || type === 'replica';

export const isAnnotationJob = ({ type = 'annotation' }: BackupJobDto): boolean => type === 'annotation';

const framesOf = ({ start_frame: start, stop_frame: stop, frames = [] }: BackupJobDto): string =>
  [start, stop, ...frames].join();
