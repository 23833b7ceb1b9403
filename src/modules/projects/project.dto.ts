import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { NestedField } from '../../core/http/composite-fields.js';
import { IntField, TextField } from '../../core/http/fields.js';
import { LabelChangeDto, LabelInputDto } from '../labels/index.js';
import { StorageDto, StorageInputDto } from '../storages/index.js';

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
