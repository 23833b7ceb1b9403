import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { intItem, ListField } from '../../core/http/composite-fields.js';
import { ChoiceField, IntField } from '../../core/http/fields.js';
import { ChildrenDto, JOB_STATUSES } from '../projects/index.js';
import { StorageDto } from '../storages/index.js';

export const JOB_STAGES = ['annotation', 'validation', 'acceptance'] as const;
export const JOB_STATES = ['new', 'in progress', 'completed', 'rejected'] as const;
export const JOB_TYPES = ['annotation', 'ground_truth', 'consensus_replica'] as const;

export class UpdateJobDto {
  @IntField({ optional: true, nullable: true }) assignee?: number | null;
  @ChoiceField(JOB_STAGES, {
    optional: true,
    description: 'A new stage resets the state to new, unless you also set a state',
  })
  stage?: string;
  @ChoiceField(JOB_STATES, { optional: true }) state?: string;
}

/** The most jobs that one request changes. */
export const MAX_BULK = 10_000;

const JobIdsField = (): PropertyDecorator =>
  ListField(intItem({ min: 1 }), { notEmpty: true, maxItems: MAX_BULK, description: 'Repeated ids count once' });

/** The jobs that a bulk change is about. */
export class JobIdsDto {
  @JobIdsField() ids!: number[];
}

/** The same change for many jobs. */
export class UpdateJobsDto extends UpdateJobDto {
  @JobIdsField() ids!: number[];
}

export class IssueSummaryDto {
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty() count!: number;
}

const CHUNK_TYPES = ['video', 'imageset', 'list'] as const;

export class JobDto {
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty() id!: number;
  @ApiProperty() task_id!: number;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty({ type: BasicUserDto, nullable: true }) assignee!: BasicUserDto | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: "The project's guide if the task is in a project, otherwise the task's",
  })
  guide_id!: number | null;
  @ApiProperty() dimension!: string;
  @ApiProperty({ type: String, nullable: true }) bug_tracker!: string | null;
  @ApiProperty({ enum: JOB_STATUSES, description: 'Follows from stage and state' }) status!: string;
  @ApiProperty({ enum: JOB_STAGES }) stage!: string;
  @ApiProperty({ enum: JOB_STATES }) state!: string;
  @ApiProperty() mode!: string;
  @ApiProperty() frame_count!: number;
  @ApiProperty() start_frame!: number;
  @ApiProperty() stop_frame!: number;
  @ApiProperty({ type: Number, nullable: true }) data_chunk_size!: number | null;
  @ApiProperty({ type: String, enum: CHUNK_TYPES, nullable: true }) data_compressed_chunk_type!: string | null;
  @ApiProperty({ type: String, enum: CHUNK_TYPES, nullable: true }) data_original_chunk_type!: string | null;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
  @ApiProperty({ type: IssueSummaryDto }) issues!: IssueSummaryDto;
  @ApiProperty({ type: ChildrenDto, description: 'Version 2.0 embeds the labels' }) labels!: ChildrenDto;
  @ApiProperty({ enum: JOB_TYPES }) type!: string;
  @ApiProperty({ type: Number, nullable: true }) organization!: number | null;
  @ApiProperty({ type: StorageDto, nullable: true, description: 'Null if you cannot see the task' })
  target_storage!: StorageDto | null;
  @ApiProperty({ type: StorageDto, nullable: true }) source_storage!: StorageDto | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) assignee_updated_date!: string | null;
  @ApiProperty({ type: Number, nullable: true, description: 'The job that a consensus replica repeats' })
  parent_job_id!: number | null;
  @ApiProperty() consensus_replicas!: number;
}

/** The response to a bulk change. */
export class ChangedJobsDto {
  @ApiProperty({ type: 'integer' }) count!: number;
  @ApiProperty({ type: JobDto, isArray: true, description: 'By ascending id' }) results!: JobDto[];
}
