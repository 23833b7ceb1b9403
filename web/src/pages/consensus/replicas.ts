import type { Job } from '../../app/api';

/** A job with the copies of it that are annotated independently. */
export interface ReplicatedJob {
  readonly job: Job;
  readonly replicas: readonly Job[];
  /** The replicas that a merge uses: those that somebody has worked on. */
  readonly sources: readonly Job[];
  /** Whether its replicas can be merged into it. */
  readonly isReady: boolean;
}

/** @param jobs all jobs of a task @returns the jobs that have replicas */
export function replicatedJobs(jobs: readonly Job[]): ReplicatedJob[] {
  const replicasOf = new Map<number, Job[]>();
  for (const job of jobs) {
    if (job.parent_job_id === null) continue;
    replicasOf.set(job.parent_job_id, [...(replicasOf.get(job.parent_job_id) ?? []), job]);
  }
  return jobs.flatMap((job) => {
    const replicas = replicasOf.get(job.id) ?? [];
    if (replicas.length === 0) return [];
    const sources = replicas.filter(({ stage, state }) => stage !== 'annotation' || state !== 'new');
    return [{ job, replicas, sources, isReady: job.stage === 'annotation' && sources.length > 0 }];
  });
}
