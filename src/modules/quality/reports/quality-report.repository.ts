import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import { type Sql, sql } from '../../../engines/sql/sql.js';
import { column } from '../../../engines/sql/tables.js';
import type { NamedObject } from '../quality-targets.js';
import { type QualityReportRow, REPORT_COLUMNS, REPORT_FROM } from './quality-report.dto.js';

/** A stored document with what its header needs. */
export interface StoredDocument extends QualityReportRow {
  /** Compressed with gzip. */
  readonly document: Buffer;
}

@Injectable()
export class QualityReportRepository {
  async find(db: Queryable, id: number): Promise<QualityReportRow | undefined> {
    const [row] = await db.query<QualityReportRow>(sql`
      select ${REPORT_COLUMNS} from ${REPORT_FROM} where quality_report.id = ${id}`);
    return row;
  }

  async document(db: Queryable, id: number): Promise<StoredDocument | undefined> {
    const [row] = await db.query<StoredDocument>(sql`
      select ${REPORT_COLUMNS}, quality_report.document from ${REPORT_FROM} where quality_report.id = ${id}`);
    return row;
  }
}

const REPORT_ID = column('quality_report.id');
const CONFLICTS_REPORT = column('quality_conflict.report_id');

/** Ids of the reports that a report summarizes. */
export const partsOf = (id: number): Sql => sql`
  select child.child_id from quality_report_part child where child.parent_id = ${id}
  union select grandchild.child_id from quality_report_part child
    join quality_report_part grandchild on grandchild.parent_id = child.child_id where child.parent_id = ${id}`;

/** The reports that a report summarizes, directly or through other reports. */
export const isPartOf = (id: number): Sql => sql`${REPORT_ID} = any(array(${partsOf(id)}))`;

/** The conflicts of a report and of those that it summarizes. */
export const conflictOf = (id: number): Sql =>
  sql`${CONFLICTS_REPORT} = any(array(${partsOf(id)} union select ${id}::int))`;

const reportsOfJobs = (jobs: Sql): Sql =>
  sql`select own.id from quality_report own join job on job.id = own.job_id where ${jobs}`;
const reportsOfTasks = (tasks: Sql): Sql =>
  sql`select own.id from quality_report own join task on task.id = own.task_id where ${tasks}`;

/** Reports about the object and everything in it. */
const reportsOf: Readonly<Record<NamedObject['kind'], (id: number) => Sql>> = {
  job: (id) => sql`select own.id from quality_report own where own.job_id = ${id}`,
  task: (id) => sql`${reportsOfTasks(sql`task.id = ${id}`)} union ${reportsOfJobs(sql`job.task_id = ${id}`)}`,
  project: (id) => sql`
    select own.id from quality_report own where own.project_id = ${id}
    union ${reportsOfTasks(sql`task.project_id = ${id}`)}
    union ${reportsOfJobs(sql`job.task_id in (select task.id from task where task.project_id = ${id})`)}`,
};

/** Condition for lists of reports. */
export const isReportOf = ({ kind, id }: NamedObject): Sql => sql`${REPORT_ID} = any(array(${reportsOf[kind](id)}))`;

/** Condition for lists of conflicts. */
export const isConflictIn = ({ kind, id }: NamedObject): Sql =>
  sql`${CONFLICTS_REPORT} = any(array(${reportsOf[kind](id)}))`;
