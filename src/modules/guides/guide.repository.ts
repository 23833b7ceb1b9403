import { Injectable } from '@nestjs/common';
import {
  organizationFacts,
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-context.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { raw, sql } from '../../engines/sql/sql.js';
import type { GuideFacts } from '../../shared/policy/guide.policy.js';
import type { GuideTarget } from './guide.service.js';

export interface GuideRow {
  readonly id: number;
  readonly task_id: number | null;
  readonly project_id: number | null;
  readonly markdown: string;
  readonly is_public: boolean;
  readonly created_date: string;
  readonly updated_date: string;
}

const COLUMNS = raw(
  'guide.id, guide.task_id, guide.project_id, guide.markdown, guide.is_public, guide.created_date, guide.updated_date',
);

interface FactsRow extends OrganizationFactsRow {
  readonly owner_id: number | null;
  readonly assignee_id: number | null;
  readonly works_in_it: boolean;
}

@Injectable()
export class GuideRepository {
  async find(db: Queryable, id: number): Promise<GuideRow | undefined> {
    const [row] = await db.query<GuideRow>(sql`select ${COLUMNS} from guide where guide.id = ${id}`);
    return row;
  }

  async ofTarget(db: Queryable, target: GuideTarget): Promise<GuideRow | undefined> {
    const [row] = await db.query<GuideRow>(sql`
      select ${COLUMNS} from guide where guide.${raw(target.kind)}_id = ${target.id}`);
    return row;
  }

  /** Reads the row and locks it until the transaction ends. */
  async lock(tx: Tx, id: number): Promise<GuideRow | undefined> {
    const [row] = await tx.query<GuideRow>(sql`select ${COLUMNS} from guide where guide.id = ${id} for update`);
    return row;
  }

  /** Keeps the target, if it exists, from being deleted before the transaction ends. */
  async lockTarget(tx: Tx, { kind, id }: GuideTarget): Promise<void> {
    await tx.query(sql`select 1 from ${raw(kind)} where id = ${id} for key share`);
  }

  /** The facts that the policy needs about a target. */
  async targetFacts(db: Queryable, { kind, id }: GuideTarget, actorId: number): Promise<GuideFacts | undefined> {
    const works =
      kind === 'task'
        ? sql`exists (select 1 from job where job.task_id = target.id and job.assignee_id = ${actorId})`
        : sql`exists (select 1 from task where task.project_id = target.id and (task.owner_id = ${actorId}
              or task.assignee_id = ${actorId}
              or exists (select 1 from job where job.task_id = task.id and job.assignee_id = ${actorId})))`;
    const [row] = await db.query<FactsRow>(sql`
      select target.owner_id, target.assignee_id, ${works} as works_in_it, ${organizationFactsColumns}
      from ${raw(kind)} target ${organizationFactsJoin(sql`target.organization_id`, actorId)} where target.id = ${id}`);
    return row === undefined
      ? undefined
      : {
          ownerId: row.owner_id,
          assigneeId: row.assignee_id,
          worksInIt: row.works_in_it,
          organization: organizationFacts(row),
        };
  }

  async insert(tx: Tx, target: GuideTarget, markdown: string, now: Date): Promise<number> {
    const [row] = await tx.query<{ id: number }>(sql`
      insert into guide (task_id, project_id, markdown, created_date, updated_date)
      values (${idOf(target, 'task')}, ${idOf(target, 'project')}, ${markdown}, ${now}, ${now}) returning id`);
    return row?.id ?? 0;
  }

  async set(tx: Tx, id: number, target: GuideTarget, markdown: string, now: Date): Promise<void> {
    await tx.query(sql`
      update guide set task_id = ${idOf(target, 'task')}, project_id = ${idOf(target, 'project')}, markdown = ${markdown},
        updated_date = ${now}
      where id = ${id}`);
  }

  async delete(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`delete from guide where id = ${id}`);
  }
}

const idOf = (target: GuideTarget, kind: GuideTarget['kind']): number | null =>
  target.kind === kind ? target.id : null;
