import { Injectable } from '@nestjs/common';
import { join, type Queryable, type Sql, sql, type Tx } from 'cairn/extension';
import type { ChecklistItem } from './checklist.entity.js';
import { CHECKLIST_FROM } from './checklist.list.js';
import type { ChecklistRow } from './checklist.mapper.js';

/** Columns of `ChecklistRow`. */
export const CHECKLIST_COLUMNS = sql`checklist.id, checklist.project_id, checklist.title, checklist.items,
  checklist.created_date, checklist.updated_date, project.organization_id`;

@Injectable()
export class ChecklistRepository {
  async find(db: Queryable, id: number): Promise<ChecklistRow | undefined> {
    const [row] = await this.read(db, sql`checklist.id = ${id}`);
    return row;
  }

  ofProjects(db: Queryable, ids: readonly number[]): Promise<ChecklistRow[]> {
    return this.read(db, sql`checklist.project_id = any(${[...ids]}::int[])`);
  }

  /** Locks the checklist until the transaction ends. */
  async lock(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`select 1 from checklist where id = ${id} for no key update`);
  }

  async insert(tx: Tx, projectId: number, title: string, items: readonly ChecklistItem[], now: Date): Promise<number> {
    const [row] = await tx.query<{ id: number }>(sql`
      insert into checklist (project_id, title, items, created_date, updated_date)
      values (${projectId}, ${title}, ${JSON.stringify(items)}, ${now}, ${now}) returning id`);
    return row?.id ?? 0;
  }

  async set(tx: Tx, id: number, assignments: readonly Sql[]): Promise<void> {
    await tx.query(sql`update checklist set ${join(assignments, ', ')} where id = ${id}`);
  }

  async delete(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`delete from checklist where id = ${id}`);
  }

  private read(db: Queryable, condition: Sql): Promise<ChecklistRow[]> {
    return db.query<ChecklistRow>(sql`
      select ${CHECKLIST_COLUMNS} from ${CHECKLIST_FROM} where ${condition} order by checklist.id`);
  }
}
