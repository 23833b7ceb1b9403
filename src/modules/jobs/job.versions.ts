import type { Representation } from '../../core/versioning/representations.js';
import { embeddedByOwner, type LabelService } from '../labels/index.js';

/** Version 2.0 has the labels themselves in a job: those of the project, where there is one, else of the task. */
export const jobVersions = (labels: LabelService): Representation => ({
  resource: 'job',
  extras: async (db, jobs) => {
    const idsOf = (key: string): number[] => [
      ...new Set(jobs.flatMap((job) => (job[key] === null ? [] : [Number(job[key])]))),
    ];
    const projectIds = idsOf('project_id');
    const ofProjects = embeddedByOwner(projectIds.length === 0 ? [] : await labels.ofOwners(db, 'project', projectIds));
    const inProjects = jobs.every((job) => job['project_id'] !== null);
    const ofTasks = embeddedByOwner(inProjects ? [] : await labels.ofOwners(db, 'task', idsOf('task_id')));
    return jobs.map((job) => ({
      labels: (job['project_id'] === null ? ofTasks.get(job['task_id']) : ofProjects.get(job['project_id'])) ?? [],
    }));
  },
  older: { '2.0': { embedded: 'labels' } },
});
