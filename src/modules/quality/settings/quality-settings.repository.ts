import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { raw, type Sql, sql } from '../../../engines/sql/sql.js';
import type { TargetKind } from '../quality-targets.js';
import { type QualitySettingsRow, SETTINGS_COLUMNS } from './quality-settings.dto.js';

/** Settings that apply to a task. */
export interface ApplicableSettings extends QualitySettingsRow {
  /** Whether they are those of the task's project. */
  readonly inherited: boolean;
}

@Injectable()
export class QualitySettingsRepository {
  async find(db: Queryable, id: number): Promise<QualitySettingsRow | undefined> {
    const [row] = await db.query<QualitySettingsRow>(sql`
      select ${SETTINGS_COLUMNS} from quality_settings where id = ${id}`);
    return row;
  }

  /** Undefined if the task or project does not exist. */
  async ofTarget(db: Queryable, kind: TargetKind, id: number): Promise<QualitySettingsRow | undefined> {
    const [row] = await db.query<QualitySettingsRow>(sql`
      select ${SETTINGS_COLUMNS} from quality_settings where ${raw(`${kind}_id`)} = ${id}`);
    return row;
  }

  /** Those of the project of a task that inherits them, otherwise those of the task. Tasks that do not exist are left out. */
  async ofTasks(db: Queryable, taskIds: readonly number[]): Promise<ReadonlyMap<number, ApplicableSettings>> {
    const rows = await db.query<ApplicableSettings & { for_task: number }>(sql`
      select ${SETTINGS_COLUMNS}, own.task_id as for_task, quality_settings.id <> own.id as inherited
      from quality_settings own join task on task.id = own.task_id
        left join quality_settings shared on own.inherit and shared.project_id = task.project_id
        join quality_settings on quality_settings.id = coalesce(shared.id, own.id)
      where own.task_id = any(${[...taskIds]}::int[])`);
    return new Map(rows.map((row) => [row.for_task, row]));
  }

  async lock(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`select 1 from quality_settings where id = ${id} for no key update`);
  }

  set(tx: Tx, id: number, assignments: Sql): void {
    tx.write(sql`update quality_settings set ${assignments} where id = ${id}`);
  }
}
