import { ApiProperty, OmitType } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { EmbeddedLabelDto } from '../labels/index.js';
import { JOB_STATUSES } from '../projects/index.js';
import { TaskDto } from './task.dto.js';

/** A job inside a task. */
export class SegmentJobDto {
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty() id!: number;
  @ApiProperty({ type: BasicUserDto, nullable: true }) assignee!: BasicUserDto | null;
  @ApiProperty({ enum: JOB_STATUSES }) status!: string;
  @ApiProperty() stage!: string;
  @ApiProperty() state!: string;
}

export class SegmentDto {
  @ApiProperty() start_frame!: number;
  @ApiProperty() stop_frame!: number;
  @ApiProperty({ type: [SegmentJobDto] }) jobs!: SegmentJobDto[];
}

const CHANGED = [
  'labels',
  'jobs',
  'guide_id',
  'assignee_updated_date',
  'validation_mode',
  'consensus_enabled',
] as const;

/** A task in version 2.0: with its labels and segments, without the later keys. */
export class Task20Dto extends OmitType(TaskDto, CHANGED) {
  @ApiProperty({ type: [EmbeddedLabelDto] }) labels!: EmbeddedLabelDto[];
  @ApiProperty({ type: [SegmentDto] }) segments!: SegmentDto[];
}
