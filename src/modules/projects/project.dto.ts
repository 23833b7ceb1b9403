import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { NestedField } from '../../core/http/body/composite-fields.js';
import { IntField, TextField } from '../../core/http/body/fields.js';
import { LabelChangeDto, LabelInputDto } from '../labels/index.js';
import { StorageDto, StorageInputDto, sourceStorage, type StoragesRow, targetStorage } from '../storages/index.js';
import type { Urls } from '../../core/http/response/urls.js';
import { readBasicUser } from '../users/index.js';

export class CreateProjectDto {
  @TextField({ max: 256 }) name!: string;
  @NestedField(() => LabelInputDto, { list: true, optional: true }) labels?: LabelInputDto[];
  @IntField({ optional: true, nullable: true, description: 'Default: you' }) owner_id?: number | null;
  @IntField({ optional: true, nullable: true }) assignee_id?: number | null;
  @TextField({ max: 2000, optional: true, blank: true }) bug_tracker?: string;
  @NestedField(() => StorageInputDto, { optional: true }) target_storage?: StorageInputDto;
  @NestedField(() => StorageInputDto, { optional: true }) source_storage?: StorageInputDto;
}

export class UpdateProjectDto {
  @IntField({
    optional: true,
    nullable: true,
    description: 'Moves it to another organization, or out of its organization',
  })
  organization_id?: number | null;
  @TextField({ max: 256, optional: true }) name?: string;
  @NestedField(() => LabelChangeDto, { list: true, optional: true }) labels?: LabelChangeDto[];
  @IntField({ optional: true, nullable: true }) owner_id?: number | null;
  @IntField({ optional: true, nullable: true }) assignee_id?: number | null;
  @TextField({ max: 2000, optional: true, blank: true }) bug_tracker?: string;
  @NestedField(() => StorageInputDto, { optional: true }) target_storage?: StorageInputDto;
  @NestedField(() => StorageInputDto, { optional: true }) source_storage?: StorageInputDto;
}

/** The URL of a list of children. */
export class ChildrenDto {
  @ApiProperty({ format: 'uri' }) url!: string;
}

export class CountedChildrenDto {
  @ApiProperty() count!: number;
  @ApiProperty({ format: 'uri' }) url!: string;
}

export const JOB_STATUSES = ['annotation', 'validation', 'completed'] as const;

export class ProjectDto {
  @ApiProperty({ format: 'uri' }) url!: string;
  @ApiProperty() id!: number;
  @ApiProperty({ maxLength: 256 }) name!: string;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
  @ApiProperty({ type: BasicUserDto, nullable: true }) assignee!: BasicUserDto | null;
  @ApiProperty({ type: Number, nullable: true }) guide_id!: number | null;
  @ApiProperty({ maxLength: 2000 }) bug_tracker!: string;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
  @ApiProperty({ enum: JOB_STATUSES }) status!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The dimension of the first task' }) dimension!:
    string | null;
  @ApiProperty({ type: Number, nullable: true }) organization!: number | null;
  @ApiProperty({ type: StorageDto, nullable: true }) target_storage!: StorageDto | null;
  @ApiProperty({ type: StorageDto, nullable: true }) source_storage!: StorageDto | null;
  @ApiProperty({ type: CountedChildrenDto }) tasks!: CountedChildrenDto;
  @ApiProperty({ type: ChildrenDto, description: 'Version 2.0 embeds the labels' }) labels!: ChildrenDto;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) assignee_updated_date!: string | null;
  @ApiProperty({ type: [String] }) task_subsets!: string[];
}

export interface ProjectRow extends StoragesRow {
  readonly id: number;
  readonly name: string;
  readonly bug_tracker: string;
  readonly status: string;
  readonly created_date: string;
  readonly updated_date: string;
  readonly assignee_updated_date: string | null;
  readonly organization_id: number | null;
  readonly owner_id: number | null;
  readonly assignee_id: number | null;
  readonly guide_id: number | null;
  readonly dimension: string | null;
  readonly task_count: number;
  readonly task_subsets: string[];
}

export const toProject = (row: ProjectRow, urls: Urls): ProjectDto => ({
  url: urls.project(row.id),
  id: row.id,
  name: row.name,
  owner: readBasicUser(row, 'owner', urls),
  assignee: readBasicUser(row, 'assignee', urls),
  guide_id: row.guide_id,
  bug_tracker: row.bug_tracker,
  created_date: row.created_date,
  updated_date: row.updated_date,
  status: row.status,
  dimension: row.dimension,
  organization: row.organization_id,
  target_storage: targetStorage(row),
  source_storage: sourceStorage(row),
  tasks: { count: row.task_count, url: urls.children('tasks', 'project_id', row.id) },
  labels: { url: urls.children('labels', 'project_id', row.id) },
  assignee_updated_date: row.assignee_updated_date,
  task_subsets: row.task_subsets,
});
