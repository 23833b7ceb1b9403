import { ApiProperty, OmitType } from '@nestjs/swagger';
import { EmbeddedLabelDto } from '../labels/index.js';
import { ProjectDto } from './project.dto.js';

/** A project in version 2.0. */
export class Project20Dto extends OmitType(ProjectDto, ['labels'] as const) {
  @ApiProperty({ type: [EmbeddedLabelDto] }) labels!: EmbeddedLabelDto[];
}
