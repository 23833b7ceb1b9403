import { ApiProperty } from '@nestjs/swagger';
import type { Queryable } from '../../../core/database/db.js';
import { FRACTION } from '../../../core/http/body/fields.js';
import { BasicUserDto } from '../../../core/http/response/basic-user.dto.js';
import type { Urls } from '../../../core/http/response/urls.js';
import { ratio } from '../../../engines/quality/confusion-matrix.js';
import { sql } from '../../../engines/sql/sql.js';
import { basicUserColumns, readBasicUser } from '../../users/index.js';
import { partsOf } from './quality-report.repository.js';

/** The work of one annotator in the jobs of a report. */
export class QualityAnnotatorDto {
  @ApiProperty({ type: BasicUserDto, nullable: true, description: 'Null if it is not known who made the annotations' })
  annotator!: BasicUserDto | null;
  @ApiProperty() job_count!: number;
  @ApiProperty() frame_count!: number;
  @ApiProperty() conflict_count!: number;
  @ApiProperty() valid_count!: number;
  @ApiProperty() ds_count!: number;
  @ApiProperty() gt_count!: number;
  @ApiProperty() total_count!: number;
  @ApiProperty(FRACTION) accuracy!: number;
  @ApiProperty(FRACTION) precision!: number;
  @ApiProperty(FRACTION) recall!: number;
}

type CountsRow = Omit<QualityAnnotatorDto, 'annotator' | 'accuracy' | 'precision' | 'recall'>;

/**
 * The sums of a report by annotator, lowest accuracy first. Older reports do not say who made the annotations, so their jobs
 * count for the assignee of that time.
 * @param reportId of a job, task or project
 */
export async function annotatorsOf(db: Queryable, reportId: number, urls: Urls): Promise<QualityAnnotatorDto[]> {
  const rows = await db.query<CountsRow>(sql`
    with report as (
      select id, coalesce(annotators, jsonb_build_array(summary || jsonb_build_object('user_id', assignee_id))) as annotators
      from quality_report where job_id is not null and (summary->'frame_count')::int > 0
        and (id = ${reportId} or id = any(array(${partsOf(reportId)})))),
    counted as (
      select app_user.id as user_id, count(distinct report.id)::int as job_count, sum(frame_count)::int as frame_count,
        sum(conflict_count)::int as conflict_count, sum(valid_count)::int as valid_count, sum(ds_count)::int as ds_count,
        sum(gt_count)::int as gt_count, sum(total_count)::int as total_count
      from report cross join lateral jsonb_to_recordset(report.annotators) as one(user_id int, frame_count int,
        conflict_count int, valid_count int, ds_count int, gt_count int, total_count int)
        left join app_user on app_user.id = one.user_id
      group by app_user.id)
    select ${basicUserColumns('app_user', 'annotator')}, job_count, frame_count, conflict_count, valid_count, ds_count,
      gt_count, total_count
    from counted left join app_user on app_user.id = counted.user_id
    order by valid_count::float8 / nullif(total_count, 0), counted.user_id`);
  return rows.map((row) => ({
    annotator: readBasicUser(row, 'annotator', urls),
    job_count: row.job_count,
    frame_count: row.frame_count,
    conflict_count: row.conflict_count,
    valid_count: row.valid_count,
    ds_count: row.ds_count,
    gt_count: row.gt_count,
    total_count: row.total_count,
    accuracy: ratio(row.valid_count, row.total_count),
    precision: ratio(row.valid_count, row.ds_count),
    recall: ratio(row.valid_count, row.gt_count),
  }));
}
