import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { NestedField } from '../../core/http/composite-fields.js';
import { IntField, TextField } from '../../core/http/fields.js';
import { LabelChangeDto, LabelInputDto } from '../labels/index.js';
import { ChildrenDto, JOB_STATUSES } from '../projects/index.js';
import { StorageDto, StorageInputDto } from '../storages/index.js';

export class CreateTaskDto {
  @TextField({ max: 256 }) name!: string;
  @IntField({ optional: true, nullable: true }) project_id?: number | null;
  @IntField({ optional: true, nullable: true, description: 'Default: you' }) owner_id?: number | null;
  @IntField({ optional: true, nullable: true }) assignee_id?: number | null;
  @TextField({ max: 2000, optional: true, blank: true }) bug_tracker?: string;
  @IntField({ optional: true, nullable: true, min: 0, description: 'Number of frames that adjacent jobs share' })
  overlap?: number | null;
  @IntField({ optional: true, min: 0, description: 'Frames per job. 0: a single job' }) segment_size?: number;
  @NestedField(() => LabelInputDto, { list: true, optional: true }) labels?: LabelInputDto[];
  @TextField({ max: 64, optional: true, blank: true }) subset?: string;
  @NestedField(() => StorageInputDto, { optional: true, nullable: true }) target_storage?: StorageInputDto | null;
  @NestedField(() => StorageInputDto, { optional: true, nullable: true }) source_storage?: StorageInputDto | null;
  @IntField({ optional: true, min: 0, description: '0, or 2 to 11' }) consensus_replicas?: number;
}

export class UpdateTaskDto {
  @TextField({ max: 256, optional: true }) name?: string;
  @IntField({ optional: true, nullable: true, description: 'Moves the task into a project' }) project_id?:
    number | null;
  @IntField({ optional: true, nullable: true }) owner_id?: number | null;
  @IntField({ optional: true, nullable: true }) assignee_id?: number | null;
  @TextField({ max: 2000, optional: true, blank: true }) bug_tracker?: string;
  @NestedField(() => LabelChangeDto, { list: true, optional: true }) labels?: LabelChangeDto[];
  @TextField({ max: 64, optional: true, blank: true }) subset?: string;
  @NestedField(() => StorageInputDto, { optional: true, nullable: true }) target_storage?: StorageInputDto | null;
  @NestedField(() => StorageInputDto, { optional: true, nullable: true }) source_storage?: StorageInputDto | null;
}

export class JobSummaryDto {
  @ApiProperty() count!: number;
  @ApiProperty({ description: 'Jobs in stage acceptance and state completed' }) completed!: number;
  @ApiProperty({ description: 'Jobs in stage validation' }) validation!: number;
  @ApiProperty({ format: 'uri' }) url!: string;
}

const CHUNK_TYPES = ['video', 'imageset', 'list'] as const;

export class TaskDto {
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty() id!: number;
  @ApiProperty({ maxLength: 256 }) name!: string;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty({ description: 'annotation or interpolation. Empty without data.' }) mode!: string;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
  @ApiProperty({ type: BasicUserDto, nullable: true }) assignee!: BasicUserDto | null;
  @ApiProperty({ maxLength: 2000 }) bug_tracker!: string;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
  @ApiProperty({ type: Number, nullable: true }) overlap!: number | null;
  @ApiProperty() segment_size!: number;
  @ApiProperty({ enum: JOB_STATUSES }) status!: string;
  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    description: 'This and the other keys about data are absent without data',
  })
  data_chunk_size?: number | null;
  @ApiPropertyOptional({ enum: CHUNK_TYPES }) data_compressed_chunk_type?: string;
  @ApiProperty({ type: Number, nullable: true }) guide_id!: number | null;
  @ApiPropertyOptional({ enum: CHUNK_TYPES }) data_original_chunk_type?: string;
  @ApiPropertyOptional({ description: 'Number of frames' }) size?: number;
  @ApiPropertyOptional() image_quality?: number;
  @ApiPropertyOptional({ description: 'Id of the data' }) data?: number;
  @ApiProperty() dimension!: string;
  @ApiProperty({ maxLength: 64 }) subset!: string;
  @ApiProperty({ type: Number, nullable: true }) organization!: number | null;
  @ApiProperty({ type: StorageDto, nullable: true }) target_storage!: StorageDto | null;
  @ApiProperty({ type: StorageDto, nullable: true }) source_storage!: StorageDto | null;
  @ApiProperty({ type: JobSummaryDto }) jobs!: JobSummaryDto;
  @ApiProperty({ type: ChildrenDto, description: 'Version 2.0 embeds the labels' }) labels!: ChildrenDto;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) assignee_updated_date!: string | null;
  @ApiProperty({ type: String, nullable: true, enum: ['gt', 'gt_pool'] }) validation_mode!: string | null;
  @ApiProperty() consensus_enabled!: boolean;
}
