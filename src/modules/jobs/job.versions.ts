import { ApiProperty, OmitType } from '@nestjs/swagger';
import type { Representation } from '../../core/versioning/representations.js';
import { EmbeddedLabelDto, EmbeddedLabels, type LabelService } from '../labels/index.js';
import { JobDto } from './job.dto.js';

/** A job in version 2.0. */
export class Job20Dto extends OmitType(JobDto, ['labels', 'task_name', 'project_name'] as const) {
  @ApiProperty({
    type: [EmbeddedLabelDto],
    description: "The project's labels if the task is in a project, otherwise the task's",
  })
  labels!: EmbeddedLabelDto[];
}

/** Version 2.0 embeds the labels in a job, and has no names of its task and project. */
export const jobVersions = (labels: LabelService): Representation => ({
  resource: 'job',
  extras: async (db, jobs) => {
    const used = await labels.usedIn(
      db,
      'job',
      jobs.map((job) => Number(job['id'])),
    );
    const embedded = new EmbeddedLabels(used);
    return jobs.map((job) => embedded.ofTask(job['project_id'], job['task_id']));
  },
  older: {
    '2.0': ({ task_name: _task, project_name: _project, ...job }, { labels: embedded = [] }) => ({
      ...job,
      labels: embedded,
    }),
  },
});
