import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { IntField, TextField } from '../../core/http/body/fields.js';
import type { Urls } from '../../core/http/response/urls.js';
import { readBasicUser } from '../users/index.js';

export class CreateCommentDto {
  @IntField() issue!: number;
  @TextField({ optional: true }) message?: string;
}

export class UpdateCommentDto {
  @TextField({ optional: true }) message?: string;
}

export class CommentDto {
  @ApiProperty() id!: number;
  @ApiProperty() issue!: number;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
  @ApiProperty() message!: string;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
}

export interface CommentRow {
  readonly id: number;
  readonly issue_id: number;
  readonly job_id: number;
  readonly task_id: number;
  readonly owner_id: number | null;
  readonly message: string;
  readonly created_date: string;
  readonly updated_date: string;
  readonly organization_id: number | null;
  readonly project_id: number | null;
}

export const toComment = (row: CommentRow, urls: Urls): CommentDto => ({
  id: row.id,
  issue: row.issue_id,
  owner: readBasicUser(row, 'owner', urls),
  message: row.message,
  created_date: row.created_date,
  updated_date: row.updated_date,
});
