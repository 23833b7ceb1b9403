import type { Representation } from '../../core/versioning/representations.js';
import { type LabelService, toEmbeddedLabel } from '../labels/index.js';

/** Version 2.0 has the labels themselves in a job: those of the project, where there is one, else of the task. */
export const jobVersions = (labels: LabelService): Representation => ({
  resource: 'job',
  extras: async (db, jobs) => {
    const idsOf = (key: string): number[] => [
      ...new Set(jobs.flatMap((job) => (job[key] === null ? [] : [Number(job[key])]))),
    ];
    const projectIds = idsOf('project_id');
    const ofProjects = projectIds.length === 0 ? [] : await labels.ofOwners(db, 'project', projectIds);
    const ofTasks = jobs.every((job) => job['project_id'] !== null)
      ? []
      : await labels.ofOwners(db, 'task', idsOf('task_id'));
    return jobs.map((job) => {
      const own =
        job['project_id'] === null
          ? ofTasks.filter((label) => label.task_id === job['task_id'])
          : ofProjects.filter((label) => label.project_id === job['project_id']);
      return { labels: own.map(toEmbeddedLabel) };
    });
  },
  older: { '2.0': (job, extras) => ({ ...job, labels: extras['labels'] ?? [] }) },
});
