import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { NestedField } from '../../core/http/body/composite-fields.js';
import { IntField, TextField } from '../../core/http/body/fields.js';
import { LabelChangeDto, LabelInputDto } from '../labels/index.js';
import { ChildrenDto, JOB_STATUSES } from '../projects/index.js';
import { StorageDto, StorageInputDto, sourceStorage, type StoragesRow, targetStorage } from '../storages/index.js';
import type { Urls } from '../../core/http/response/urls.js';
import { readBasicUser } from '../users/index.js';

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
  @IntField({ optional: true, min: 0, description: 'The name of `consensus_replicas` in CVAT 2.80' })
  initial_replicas?: number;
}

export class UpdateTaskDto {
  @IntField({
    optional: true,
    nullable: true,
    description: 'Moves it to another organization, or out of its organization',
  })
  organization_id?: number | null;
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

const CHUNK_TYPES = ['video', 'imageset', 'list', 'audio_mp3'] as const;

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

export interface TaskRow extends StoragesRow {
  readonly id: number;
  readonly name: string;
  readonly project_id: number | null;
  readonly mode: string;
  readonly owner_id: number | null;
  readonly assignee_id: number | null;
  readonly bug_tracker: string;
  readonly created_date: string;
  readonly updated_date: string;
  readonly overlap: number | null;
  readonly segment_size: number;
  readonly status: string;
  readonly dimension: string;
  readonly subset: string;
  readonly consensus_replicas: number;
  readonly organization_id: number | null;
  readonly assignee_updated_date: string | null;
  readonly guide_id: number | null;
  readonly data_id: number | null;
  readonly chunk_size: number | null;
  readonly compressed_chunk_type: string;
  readonly original_chunk_type: string;
  readonly size: number;
  readonly image_quality: number;
  readonly validation_mode: string | null;
  readonly jobs: { readonly count: number; readonly completed: number; readonly validation: number };
}

/** The keys about data are absent until data is uploaded. The order of the keys is part of the contract. */
export function toTask(row: TaskRow, urls: Urls): TaskDto {
  const withData = row.data_id !== null;
  return {
    url: urls.task(row.id),
    id: row.id,
    name: row.name,
    project_id: row.project_id,
    mode: row.mode,
    owner: readBasicUser(row, 'owner', urls),
    assignee: readBasicUser(row, 'assignee', urls),
    bug_tracker: row.bug_tracker,
    created_date: row.created_date,
    updated_date: row.updated_date,
    overlap: row.overlap,
    segment_size: row.segment_size,
    status: row.status,
    ...(withData ? { data_chunk_size: row.chunk_size, data_compressed_chunk_type: row.compressed_chunk_type } : {}),
    guide_id: row.guide_id,
    ...(withData
      ? {
          data_original_chunk_type: row.original_chunk_type,
          size: row.size,
          image_quality: row.image_quality,
          data: row.data_id ?? 0,
        }
      : {}),
    dimension: row.dimension,
    subset: row.subset,
    organization: row.organization_id,
    target_storage: targetStorage(row),
    source_storage: sourceStorage(row),
    jobs: { ...row.jobs, url: urls.children('jobs', 'task_id', row.id) },
    labels: { url: urls.children('labels', 'task_id', row.id) },
    assignee_updated_date: row.assignee_updated_date,
    validation_mode: row.validation_mode,
    consensus_enabled: row.consensus_replicas > 0,
  };
}
