import { ApiProperty, OmitType } from '@nestjs/swagger';
import type { Representation } from '../../core/versioning/representations.js';
import { embeddedByOwner, EmbeddedLabelDto, type LabelService } from '../labels/index.js';
import { JobDto } from './job.dto.js';

/** A job in version 2.0. */
export class Job20Dto extends OmitType(JobDto, ['labels'] as const) {
  @ApiProperty({
    type: [EmbeddedLabelDto],
    description: "The project's labels if the task is in a project, otherwise the task's",
  })
  labels!: EmbeddedLabelDto[];
}

/** Version 2.0 embeds the labels in a job. */
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
