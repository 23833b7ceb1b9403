import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Db } from '../../../core/database/db.js';
import { listOrganization, ListService } from '../../../core/list/list.service.js';
import { choice, integer, type ListSpec } from '../../../core/list/list-spec.js';
import type { Page, Query } from '../../../core/list/page-request.js';
import { and, sql } from '../../../engines/sql/sql.js';
import { from, innerJoin, table } from '../../../engines/sql/tables.js';
import { SHAPE_TYPES } from '../../../shared/annotations/model.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { inOrganizationOf, qualityPolicy } from '../../../shared/policy/quality.policy.js';
import { doesNotExist, idParameter, namedObjects, QualityTargets } from '../quality-targets.js';
import { REPORT_JOINS, REPORT_ORGANIZATION } from '../reports/quality-report.dto.js';
import { conflictOf, isConflictIn, QualityReportRepository } from '../reports/quality-report.repository.js';
import { QualityReportService } from '../reports/quality-report.service.js';

export const CONFLICT_TYPES = [
  'missing_annotation',
  'extra_annotation',
  'mismatching_label',
  'low_overlap',
  'mismatching_direction',
  'mismatching_attributes',
  'mismatching_groups',
  'covered_annotation',
] as const;

export const SEVERITIES = ['warning', 'error'] as const;

export class AnnotationIdDto {
  @ApiProperty({ description: 'Of the tag, shape or track' }) obj_id!: number;
  @ApiProperty() job_id!: number;
  @ApiProperty({ enum: ['tag', 'shape', 'track'] }) type!: string;
  @ApiProperty({ type: String, enum: SHAPE_TYPES, nullable: true }) shape_type!: string | null;
}

export class QualityConflictDto {
  @ApiProperty() id!: number;
  @ApiProperty() frame!: number;
  @ApiProperty({ enum: CONFLICT_TYPES }) type!: string;
  @ApiProperty({
    type: [AnnotationIdDto],
    description: 'The objects concerned. Of a pair, the annotation comes first, then the ground truth',
  })
  annotation_ids!: AnnotationIdDto[];
  @ApiProperty({ description: 'The report of a job' }) report_id!: number;
  @ApiProperty({ enum: SEVERITIES }) severity!: string;
}

const COLUMNS = sql`quality_conflict.id, quality_conflict.frame, quality_conflict.type, quality_conflict.annotation_ids,
  quality_conflict.report_id, quality_conflict.severity`;

/** What lists of conflicts can be filtered and sorted by. */
export const qualityConflictList: ListSpec = {
  from: from({
    table: table('quality_conflict'),
    joins: [innerJoin(table('quality_report'), 'quality_conflict.report_id'), ...REPORT_JOINS],
  }),
  fields: {
    id: integer('quality_conflict.id'),
    frame: integer('quality_conflict.frame'),
    type: choice('quality_conflict.type', CONFLICT_TYPES),
    job_id: integer('quality_report.job_id'),
    task_id: integer('task.id'),
    project_id: integer('project.id'),
    severity: choice('quality_conflict.severity', SEVERITIES),
  },
  search: [],
  simple: ['frame', 'type', 'severity'],
  defaultSort: '-id',
  organization: REPORT_ORGANIZATION,
};

/** Lists the conflicts of quality reports. */
@Injectable()
export class QualityConflictService {
  constructor(
    private readonly db: Db,
    private readonly reports: QualityReportService,
    private readonly rows: QualityReportRepository,
    private readonly targets: QualityTargets,
    private readonly lists: ListService,
  ) {}

  /** Whoever may view a report may view its conflicts. Other lists show those of objects that the actor is staff of. */
  async list(actor: Actor, query: Query): Promise<Page<QualityConflictDto>> {
    const reportId = idParameter(query, 'report_id');
    const named = namedObjects(query);
    for (const object of named) await this.targets.requireExisting(this.db, actor, object);
    const reader = reportId === undefined ? actor : await this.readerOf(actor, reportId);
    const options = {
      select: COLUMNS,
      visible: qualityPolicy.visible(reader),
      organization: listOrganization(reader),
      query,
      url: `${actor.baseUrl}/api/quality/conflicts`,
      where: and([...named.map(isConflictIn), ...(reportId === undefined ? [] : [conflictOf(reportId)])]),
    };
    return this.lists.page<QualityConflictDto, QualityConflictDto>(qualityConflictList, options, toConflict);
  }

  /** The actor in the organization of the report. @throws ApiError 404, Forbidden */
  private async readerOf(actor: Actor, reportId: number): Promise<Actor> {
    const row = await this.rows.find(this.db, reportId);
    if (row === undefined) throw doesNotExist('Quality report', reportId);
    const { facts } = await this.reports.requireView(this.db, actor, row);
    return inOrganizationOf(actor, facts.organization);
  }
}

const toConflict = ({
  id,
  frame,
  type,
  annotation_ids,
  report_id,
  severity,
}: QualityConflictDto): QualityConflictDto => ({
  id,
  frame,
  type,
  annotation_ids: annotation_ids.map(({ obj_id, job_id, type: kind, shape_type }) => ({
    obj_id,
    job_id,
    type: kind,
    shape_type,
  })),
  report_id,
  severity,
});
