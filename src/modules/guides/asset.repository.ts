import { Injectable } from '@nestjs/common';
import {
  organizationFacts,
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-context.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { sql } from '../../engines/sql/sql.js';
import type { GuideFacts } from '../../shared/policy/guide.policy.js';
import { basicUserColumns } from '../users/index.js';

export interface AssetRow {
  readonly uuid: string;
  readonly filename: string;
  readonly created_date: string;
  readonly guide_id: number;
}

/** An asset, and the facts that the policy needs about its guide. */
export interface FoundAsset {
  readonly row: AssetRow;
  readonly isPublic: boolean;
  readonly facts: GuideFacts;
}

interface Row extends AssetRow, OrganizationFactsRow {
  readonly is_public: boolean;
  readonly fact_owner_id: number | null;
  readonly fact_assignee_id: number | null;
  readonly works_in_it: boolean;
}

export interface NewAsset {
  readonly uuid: string;
  readonly filename: string;
  readonly guideId: number;
  readonly ownerId: number;
}

@Injectable()
export class AssetRepository {
  /** @param actorId the person whose facts are read */
  async findAll(db: Queryable, uuids: readonly string[], actorId: number): Promise<FoundAsset[]> {
    const rows = await db.query<Row>(sql`
      select asset.uuid, asset.filename, asset.created_date, asset.guide_id, guide.is_public,
        coalesce(task.owner_id, project.owner_id) as fact_owner_id,
        coalesce(task.assignee_id, project.assignee_id) as fact_assignee_id,
        case when guide.project_id is null
          then exists (select 1 from job where job.task_id = guide.task_id and job.assignee_id = ${actorId})
          else exists (select 1 from task inside where inside.project_id = guide.project_id
            and (inside.owner_id = ${actorId} or inside.assignee_id = ${actorId}
              or exists (select 1 from job where job.task_id = inside.id and job.assignee_id = ${actorId})))
        end as works_in_it, ${basicUserColumns('owner', 'owner')}, ${organizationFactsColumns}
      from asset join guide on guide.id = asset.guide_id
        left join task on task.id = guide.task_id
        left join project on project.id = guide.project_id
        left join app_user owner on owner.id = asset.owner_id
        ${organizationFactsJoin(sql`coalesce(task.organization_id, project.organization_id)`, actorId)}
      where asset.uuid = any(${[...uuids]}::uuid[])`);
    return rows.map((row) => ({
      row,
      isPublic: row.is_public,
      facts: {
        ownerId: row.fact_owner_id,
        assigneeId: row.fact_assignee_id,
        worksInIt: row.works_in_it,
        organization: organizationFacts(row),
      },
    }));
  }

  async ofGuide(db: Queryable, guideId: number): Promise<string[]> {
    return uuidsOf(await db.query(sql`select uuid from asset where guide_id = ${guideId}`));
  }

  filesOfGuide(db: Queryable, guideId: number): Promise<{ readonly uuid: string; readonly filename: string }[]> {
    return db.query(sql`select uuid, filename from asset where guide_id = ${guideId} order by created_date, uuid`);
  }

  async ofTasks(db: Queryable, taskIds: readonly number[]): Promise<string[]> {
    return uuidsOf(
      await db.query(sql`
        select asset.uuid from asset join guide on guide.id = asset.guide_id
        where guide.task_id = any(${[...taskIds]}::int[])`),
    );
  }

  async ofProjects(db: Queryable, projectIds: readonly number[]): Promise<string[]> {
    return uuidsOf(
      await db.query(sql`
        select asset.uuid from asset join guide on guide.id = asset.guide_id
        where guide.project_id = any(${[...projectIds]}::int[])`),
    );
  }

  /** Filters for assets that have a row. */
  async known(db: Queryable, uuids: readonly string[]): Promise<ReadonlySet<string>> {
    return new Set(uuidsOf(await db.query(sql`select uuid from asset where uuid = any(${[...uuids]}::uuid[])`)));
  }

  async insert(tx: Tx, assets: readonly NewAsset[], now: Date): Promise<void> {
    await tx.query(sql`
      insert into asset (uuid, filename, guide_id, owner_id, created_date)
      select uuid, filename, "guideId", "ownerId", ${now}::timestamptz
      from json_to_recordset(${JSON.stringify(assets)}::json)
        as asset(uuid uuid, filename text, "guideId" int, "ownerId" int)`);
  }

  async delete(tx: Tx, uuids: readonly string[]): Promise<void> {
    await tx.query(sql`delete from asset where uuid = any(${[...uuids]}::uuid[])`);
  }
}

const uuidsOf = (rows: readonly { readonly uuid: string }[]): string[] => rows.map((row) => row.uuid);
