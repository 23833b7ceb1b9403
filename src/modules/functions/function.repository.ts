import { Injectable } from '@nestjs/common';
import {
  organizationFacts,
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-context.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { choice, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import type { FunctionFacts } from '../../shared/policy/function.policy.js';
import { basicUserColumns } from '../users/index.js';
import { FUNCTION_KINDS, type FunctionRow, type FunctionSpec, VISIBILITIES } from './function.dto.js';

const FUNCTION_FROM = sql`native_function left join app_user owner on owner.id = native_function.owner_id`;

/** Columns of `FunctionRow`. */
export const functionColumns = (now: Date): Sql => sql`native_function.id, native_function.name,
  native_function.description, native_function.kind, native_function.visibility, native_function.spec,
  native_function.organization_id, native_function.created_date, native_function.updated_date,
  exists (select from function_agent
    where function_agent.function_id = native_function.id and function_agent.expiry_date > ${now}) as has_agent,
  ${basicUserColumns('owner', 'owner')}`;

/** A new function. */
export interface NewFunction {
  readonly name: string;
  readonly description: string;
  readonly kind: string;
  readonly visibility: string;
  readonly spec: FunctionSpec;
  readonly ownerId: number;
  readonly organizationId: number | null;
}

@Injectable()
export class FunctionRepository {
  /** The function with the facts for the policy. */
  async find(
    db: Queryable,
    id: number,
    actorId: number,
    now: Date,
  ): Promise<{ row: FunctionRow; facts: FunctionFacts } | undefined> {
    const [row] = await db.query<FunctionRow & OrganizationFactsRow>(sql`
      select ${functionColumns(now)}, ${organizationFactsColumns} from ${FUNCTION_FROM}
      ${organizationFactsJoin(sql`native_function.organization_id`, actorId)} where native_function.id = ${id}`);
    if (row === undefined) return undefined;
    return {
      row,
      facts: { ownerId: row.owner_id, isPublic: row.visibility === 'public', organization: organizationFacts(row) },
    };
  }

  /** Locks the row until the transaction ends. */
  async lock(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`select 1 from native_function where id = ${id} for update`);
  }

  async insert(tx: Tx, one: NewFunction): Promise<number> {
    const [row] = await tx.query<{ id: number }>(sql`
      insert into native_function (name, description, kind, visibility, spec, owner_id, organization_id, created_date,
        updated_date)
      values (${one.name}, ${one.description}, ${one.kind}, ${one.visibility}, ${JSON.stringify(one.spec)}::jsonb,
        ${one.ownerId}, ${one.organizationId}, ${tx.now}, ${tx.now}) returning id`);
    return row?.id ?? 0;
  }

  async set(tx: Tx, id: number, assignments: Sql): Promise<void> {
    await tx.query(sql`update native_function set ${assignments} where id = ${id}`);
  }

  /** Deletes the function with its queue. */
  async delete(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`delete from native_function where id = ${id}`);
  }
}

export const functionList: ListSpec = {
  from: FUNCTION_FROM,
  fields: {
    id: integer('native_function.id'),
    name: text('native_function.name'),
    kind: choice('native_function.kind', FUNCTION_KINDS),
    visibility: choice('native_function.visibility', VISIBILITIES),
    owner: text('owner.username'),
    description: text('native_function.description'),
  },
  search: ['name', 'owner', 'description'],
  simple: ['name', 'kind', 'visibility', 'owner'],
  defaultSort: '-id',
  organization: sql`native_function.organization_id`,
};
