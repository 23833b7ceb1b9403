import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { floatItem, ListField } from '../../core/http/body/composite-fields.js';
import { BoolField, IntField, TextField } from '../../core/http/body/fields.js';
import { CountedChildrenDto } from '../projects/index.js';
import type { Urls } from '../../core/http/response/urls.js';
import { MAX_COORDINATE } from '../../shared/annotations/model.js';
import type { IssueFacts } from '../../shared/policy/issue.policy.js';
import { readTaskFacts, type TaskFactsRow } from '../tasks/index.js';
import { readBasicUser } from '../users/index.js';

/** Far more than an outline drawn by hand has. */
const MAX_NUMBERS = 10_000;

const COORDINATES = { min: -MAX_COORDINATE, max: MAX_COORDINATE };

export class CreateIssueDto {
  @IntField({ min: 0, description: 'Task-relative' }) frame!: number;
  @ListField(floatItem(COORDINATES), { notEmpty: true, maxItems: MAX_NUMBERS, description: 'Pixels: x, y, x, y, …' })
  position!: number[];
  @IntField() job!: number;
  @IntField({ optional: true, nullable: true }) assignee?: number | null;
  @TextField({ description: 'Text of the first comment' }) message!: string;
  @BoolField({ optional: true }) resolved?: boolean;
}

export class UpdateIssueDto {
  @ListField(floatItem(COORDINATES), { optional: true, notEmpty: true, maxItems: MAX_NUMBERS }) position?: number[];
  @IntField({ optional: true, nullable: true }) assignee?: number | null;
  @BoolField({ optional: true }) resolved?: boolean;
}

export class IssueDto {
  @ApiProperty() id!: number;
  @ApiProperty() frame!: number;
  @ApiProperty({ type: 'array', items: { type: 'number', format: 'double' } }) position!: number[];
  @ApiProperty() job!: number;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
  @ApiProperty({ type: BasicUserDto, nullable: true }) assignee!: BasicUserDto | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) created_date!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) updated_date!: string | null;
  @ApiProperty() resolved!: boolean;
  @ApiProperty({ type: CountedChildrenDto }) comments!: CountedChildrenDto;
}

export interface IssueRow {
  readonly id: number;
  readonly frame: number;
  readonly position: number[];
  readonly job_id: number;
  readonly task_id: number;
  readonly assignee_id: number | null;
  readonly created_date: string | null;
  readonly updated_date: string | null;
  readonly resolved: boolean;
  readonly comment_count: number;
  readonly organization_id: number | null;
  readonly project_id: number | null;
}

export interface IssueFactsRow extends TaskFactsRow {
  readonly fact_issue_owner_id: number | null;
  readonly fact_issue_assignee_id: number | null;
  readonly fact_job_assignee_id: number | null;
}

export const readIssueFacts = (row: IssueFactsRow): IssueFacts => ({
  ownerId: row.fact_issue_owner_id,
  assigneeId: row.fact_issue_assignee_id,
  job: { assigneeId: row.fact_job_assignee_id, task: readTaskFacts(row) },
});

export const toIssue = (row: IssueRow, urls: Urls): IssueDto => ({
  id: row.id,
  frame: row.frame,
  position: row.position,
  job: row.job_id,
  owner: readBasicUser(row, 'owner', urls),
  assignee: readBasicUser(row, 'assignee', urls),
  created_date: row.created_date,
  updated_date: row.updated_date,
  resolved: row.resolved,
  comments: { count: row.comment_count, url: urls.children('comments', 'issue_id', row.id) },
});
