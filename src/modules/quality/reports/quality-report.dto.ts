import { ApiProperty } from '@nestjs/swagger';
import { FRACTION, IntField } from '../../../core/http/body/fields.js';
import { BasicUserDto } from '../../../core/http/response/basic-user.dto.js';
import type { Urls } from '../../../core/http/response/urls.js';
import { integer, type ListSpec, timestamp } from '../../../core/list/list-spec.js';
import { sql } from '../../../engines/sql/sql.js';
import { column, from, leftJoin, table } from '../../../engines/sql/tables.js';
import { basicUserColumns, readBasicUser } from '../../users/index.js';
import { TARGET_METRICS } from '../settings/quality-settings.dto.js';
import { OBJECT_KINDS, type ObjectKind } from '../quality-targets.js';

/** Exactly one of the fields. */
export class CreateQualityReportDto {
  @IntField({ optional: true }) task_id?: number;
  @IntField({ optional: true }) project_id?: number;
}

export class QualityTasksSummaryDto {
  @ApiProperty() total!: number;
  @ApiProperty({ description: 'With settings of their own, so not part of the numbers' }) custom!: number;
  @ApiProperty({ description: 'Without a finished ground truth job' }) not_configured!: number;
  @ApiProperty({ description: 'No job matches the job filter' }) excluded!: number;
  @ApiProperty() included!: number;
  @ApiProperty({ required: false, description: 'Included tasks that are completed' }) completed?: number;
}

export class QualityJobsSummaryDto {
  @ApiProperty() total!: number;
  @ApiProperty({ description: 'Do not match the job filter' }) excluded!: number;
  @ApiProperty({ description: 'Have no validation frames' }) not_checkable!: number;
  @ApiProperty() included!: number;
  @ApiProperty({ required: false, description: 'Included jobs that are completed' }) completed?: number;
}

export class QualityScoreComponentsDto {
  @ApiProperty() valid_count!: number;
  @ApiProperty() missing_count!: number;
  @ApiProperty() extra_count!: number;
}

export class QualityCalculationDto {
  @ApiProperty({ enum: ['computed', 'not_computed'] }) status!: string;
  @ApiProperty({ required: false, enum: ['no_annotations'], description: 'Why there is no score' }) reason?: string;
}

/** How well a report meets a requirement. */
export class QualityRequirementScoreDto {
  @ApiProperty({ type: Number, nullable: true }) requirement_id!: number | null;
  @ApiProperty() name!: string;
  @ApiProperty({ enum: TARGET_METRICS }) metric!: string;
  @ApiProperty({ ...FRACTION, nullable: true, description: 'Null if no frame was compared' }) score!: number | null;
  @ApiProperty({ type: QualityScoreComponentsDto }) score_components!: QualityScoreComponentsDto;
  @ApiProperty({ type: QualityCalculationDto }) calculation!: QualityCalculationDto;
  @ApiProperty({ ...FRACTION, description: 'The target when the report was computed' }) threshold!: number;
}

export class QualityRequirementsSummaryDto {
  @ApiProperty() total!: number;
  @ApiProperty() enabled!: number;
  @ApiProperty({ description: 'Whose score reaches the target' }) completed!: number;
  @ApiProperty() not_computed!: number;
  @ApiProperty({ type: [QualityRequirementScoreDto] }) items!: QualityRequirementScoreDto[];
}

/** The numbers of a report. */
export class QualityReportSummaryDto {
  @ApiProperty() total_frames!: number;
  @ApiProperty() frame_count!: number;
  @ApiProperty(FRACTION) frame_share!: number;
  @ApiProperty() validation_frames!: number;
  @ApiProperty(FRACTION) validation_frame_share!: number;
  @ApiProperty() conflict_count!: number;
  @ApiProperty() warning_count!: number;
  @ApiProperty() error_count!: number;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, description: 'Only types that occur' })
  conflicts_by_type!: Record<string, number>;
  @ApiProperty() valid_count!: number;
  @ApiProperty() ds_count!: number;
  @ApiProperty() gt_count!: number;
  @ApiProperty() total_count!: number;
  @ApiProperty(FRACTION) accuracy!: number;
  @ApiProperty(FRACTION) precision!: number;
  @ApiProperty(FRACTION) recall!: number;
  @ApiProperty({ required: false, type: QualityTasksSummaryDto, description: 'Reports of projects' })
  tasks?: QualityTasksSummaryDto;
  @ApiProperty({ required: false, type: QualityJobsSummaryDto, description: 'Reports of tasks and projects' })
  jobs?: QualityJobsSummaryDto;
  @ApiProperty({ required: false, type: QualityRequirementsSummaryDto, description: 'Absent in imported reports' })
  requirements?: QualityRequirementsSummaryDto;
}

export class QualityReportDto {
  @ApiProperty() id!: number;
  @ApiProperty({ type: Number, nullable: true }) job_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) task_id!: number | null;
  @ApiProperty({ type: Number, nullable: true }) project_id!: number | null;
  @ApiProperty({ type: Number, nullable: true, description: 'The first report that this one is part of' })
  parent_id!: number | null;
  @ApiProperty({ enum: OBJECT_KINDS }) target!: ObjectKind;
  @ApiProperty({ type: QualityReportSummaryDto }) summary!: QualityReportSummaryDto;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time', description: 'When the target was last changed before the computation' })
  target_last_updated!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) gt_last_updated!: string | null;
  @ApiProperty({ type: BasicUserDto, nullable: true, description: 'Of the job or task at that time' })
  assignee!: BasicUserDto | null;
}

export interface QualityReportRow {
  readonly id: number;
  readonly own_job_id: number | null;
  readonly own_task_id: number | null;
  readonly task_id: number | null;
  readonly project_id: number | null;
  readonly parent_id: number | null;
  readonly summary: QualityReportSummaryDto;
  readonly created_date: string;
  readonly target_last_updated: string;
  readonly gt_last_updated: string | null;
}

/** From `quality_report` to its task and project, also those above a job or task. */
export const REPORT_JOINS = [
  leftJoin(table('job'), 'quality_report.job_id'),
  leftJoin(table('task'), sql`coalesce(${column('quality_report.task_id')}, ${column('job.task_id')})`),
  leftJoin(table('project'), sql`coalesce(${column('quality_report.project_id')}, ${column('task.project_id')})`),
];

export const REPORT_FROM = from({
  table: table('quality_report'),
  joins: [...REPORT_JOINS, leftJoin(table('app_user', 'assignee'), 'quality_report.assignee_id')],
});

/** Columns of `QualityReportRow`. */
export const REPORT_COLUMNS = sql`quality_report.id, quality_report.job_id as own_job_id, quality_report.task_id as own_task_id,
  task.id as task_id, project.id as project_id,
  (select min(part.parent_id) from quality_report_part part where part.child_id = quality_report.id) as parent_id,
  quality_report.summary, quality_report.created_date, quality_report.target_last_updated, quality_report.gt_last_updated,
  ${basicUserColumns('assignee', 'assignee')}`;

export const REPORT_ORGANIZATION = sql`coalesce(${column('task.organization_id')}, ${column('project.organization_id')})`;

/** What lists of reports can be filtered and sorted by. */
export const qualityReportList: ListSpec = {
  from: REPORT_FROM,
  fields: {
    id: integer('quality_report.id'),
    job_id: integer('quality_report.job_id'),
    task_id: integer('quality_report.task_id'),
    project_id: integer('quality_report.project_id'),
    created_date: timestamp('quality_report.created_date'),
    gt_last_updated: timestamp('quality_report.gt_last_updated'),
    target_last_updated: timestamp('quality_report.target_last_updated'),
  },
  search: [],
  simple: ['job_id'],
  defaultSort: '-id',
  organization: REPORT_ORGANIZATION,
};

const targetOf = (row: QualityReportRow): ObjectKind =>
  row.own_job_id !== null ? 'job' : row.own_task_id !== null ? 'task' : 'project';

export const toReport = (row: QualityReportRow, urls: Urls): QualityReportDto => ({
  id: row.id,
  job_id: row.own_job_id,
  task_id: row.task_id,
  project_id: row.project_id,
  parent_id: row.parent_id,
  target: targetOf(row),
  summary: row.summary,
  created_date: row.created_date,
  target_last_updated: row.target_last_updated,
  gt_last_updated: row.gt_last_updated,
  assignee: readBasicUser(row, 'assignee', urls),
});

/** The members of a document that can change after the report was made, and its dates in their own format. */
export function documentHeader(row: QualityReportRow, urls: Urls): Record<string, unknown> {
  const { target, job_id, task_id, project_id, parent_id, assignee, ...report } = toReport(row, urls);
  const { url: _, ...person } = assignee ?? { url: '' };
  return {
    id: report.id,
    ...(target === 'job' && { job_id }),
    ...(target !== 'project' && { task_id }),
    ...(project_id !== null && { project_id }),
    ...(parent_id !== null && { parent_id }),
    created_date: documentDate(report.created_date),
    target_last_updated: documentDate(report.target_last_updated),
    ...(report.gt_last_updated !== null && { gt_last_updated: documentDate(report.gt_last_updated) }),
    assignee: assignee === null ? null : person,
  };
}

/** `2026-11-23T22:02:02.240185Z` becomes `2026-11-23 22:02:02.240185+00:00`. */
const documentDate = (date: string): string => date.replace('T', ' ').replace(/Z$/, '+00:00');
