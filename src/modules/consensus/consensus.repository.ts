import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { integer, type ListSpec } from '../../core/list/list-spec.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { column, from, innerJoin, leftJoin, table } from '../../engines/sql/tables.js';
import type { TaskFacts } from '../../shared/policy/task.policy.js';
import { readTaskFacts, TASK_FACTS_COLUMNS, taskFactsJoin, type TaskFactsRow } from '../tasks/index.js';
import type { ConsensusSettingsDto } from './consensus.dto.js';

const SETTINGS_FROM = from({
  table: table('consensus_settings'),
  joins: [innerJoin(table('task'), 'consensus_settings.task_id'), leftJoin(table('project'), 'task.project_id')],
});

/** Columns of `ConsensusSettingsDto`, in the order of the response. */
export const SETTINGS_COLUMNS = sql`consensus_settings.id, consensus_settings.task_id, consensus_settings.iou_threshold,
  consensus_settings.quorum`;

/** What lists of settings can be filtered and sorted by. */
export const consensusSettingsList: ListSpec = {
  from: SETTINGS_FROM,
  fields: { id: integer('consensus_settings.id'), task_id: integer('consensus_settings.task_id') },
  search: [],
  simple: ['task_id'],
  sortable: ['id'],
  defaultSort: 'id',
  organization: column('task.organization_id'),
};

/** The settings of tasks with replicas. */
@Injectable()
export class ConsensusRepository {
  async findWithFacts(
    db: Queryable,
    id: number,
    actorId: number,
  ): Promise<{ settings: ConsensusSettingsDto; facts: TaskFacts } | undefined> {
    const [row] = await db.query<ConsensusSettingsDto & TaskFactsRow>(sql`
      select ${SETTINGS_COLUMNS}, ${TASK_FACTS_COLUMNS} from ${SETTINGS_FROM} ${taskFactsJoin(actorId)}
      where consensus_settings.id = ${id}`);
    return row === undefined ? undefined : { settings: toSettings(row), facts: readTaskFacts(row) };
  }

  async ofTask(db: Queryable, taskId: number): Promise<ConsensusSettingsDto | undefined> {
    const [row] = await db.query<ConsensusSettingsDto>(sql`
      select ${SETTINGS_COLUMNS} from consensus_settings where task_id = ${taskId}`);
    return row;
  }

  /** Locks the settings until the transaction ends. */
  async lock(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`select 1 from consensus_settings where id = ${id} for no key update`);
  }

  async set(tx: Tx, id: number, assignments: Sql): Promise<ConsensusSettingsDto | undefined> {
    const [row] = await tx.query<ConsensusSettingsDto>(sql`
      update consensus_settings set ${assignments} where id = ${id} returning ${SETTINGS_COLUMNS}`);
    return row;
  }

  /** Adds default settings to a task without replicas, unless it has some. Takes no round trip. */
  add(tx: Tx, taskId: number): void {
    tx.write(sql`
      insert into consensus_settings (task_id) select id from task where id = ${taskId} on conflict (task_id) do nothing`);
  }
}

/** A row without what the policy needs. */
export const toSettings = (row: ConsensusSettingsDto): ConsensusSettingsDto => ({
  id: row.id,
  task_id: row.task_id,
  iou_threshold: row.iou_threshold,
  quorum: row.quorum,
});
