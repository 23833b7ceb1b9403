import { ApiProperty, OmitType } from '@nestjs/swagger';
import { EmbeddedLabelDto } from '../labels/index.js';
import { JobDto } from './job.dto.js';

/** A job in version 2.0. */
export class Job20Dto extends OmitType(JobDto, ['labels'] as const) {
  @ApiProperty({ type: [EmbeddedLabelDto], description: "The project's, where there is one, else the task's" })
  labels!: EmbeddedLabelDto[];
}
