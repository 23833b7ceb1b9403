import { Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import { integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { raw, sql } from '../../engines/sql/sql.js';
import { from, leftJoin, table } from '../../engines/sql/tables.js';
import type { Role } from '../../shared/policy/actor.js';
import type { OrganizationPolicyFacts } from '../../shared/policy/organization.policy.js';
import { ORGANIZATION_COLUMNS, type OrganizationRow } from './organization.dto.js';

const ORGANIZATION_FROM = from({
  table: table('organization'),
  joins: [leftJoin(table('app_user', 'owner'), 'organization.owner_id')],
});

/** What lists of organizations can be filtered, sorted and searched by. */
export const organizationList: ListSpec = {
  from: ORGANIZATION_FROM,
  fields: {
    id: integer('organization.id'),
    name: text('organization.name'),
    owner: text('owner.username'),
    slug: text('organization.slug'),
  },
  search: ['name', 'owner', 'slug'],
  simple: ['name', 'owner', 'slug'],
  defaultSort: '-id',
};

export interface NewOrganization {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly contact: unknown;
  readonly ownerId: number;
  readonly now: Date;
}

interface FactsRow extends OrganizationRow {
  readonly owner_id: number | null;
  readonly own_membership_id: number | null;
  readonly own_role: Role | null;
}

@Injectable()
export class OrganizationRepository {
  async find(db: Queryable, id: number): Promise<OrganizationRow | undefined> {
    const [row] = await db.query<OrganizationRow>(sql`
      select ${ORGANIZATION_COLUMNS} from ${ORGANIZATION_FROM}
      where organization.id = ${id}`);
    return row;
  }

  /** The row, and the facts that the policy needs. @param lock locks the row until the transaction ends */
  async findWithFacts(
    db: Queryable,
    id: number,
    actorId: number,
    lock: boolean,
  ): Promise<{ row: OrganizationRow; facts: OrganizationPolicyFacts } | undefined> {
    const [row] = await db.query<FactsRow>(sql`
      select ${ORGANIZATION_COLUMNS}, own.id as own_membership_id, case when own.is_active then own.role end as own_role
      from organization left join app_user owner on owner.id = organization.owner_id
        left join membership own on own.organization_id = organization.id and own.user_id = ${actorId}
      where organization.id = ${id}${raw(lock ? ' for update of organization' : '')}`);
    if (row === undefined) return undefined;
    return { row, facts: { ownerId: row.owner_id, role: row.own_role, isKnown: row.own_membership_id !== null } };
  }

  /**
   * Inserts an organization with its owner as the first member. The membership has no event: nobody can have subscribed to
   * the organization yet.
   */
  async insert(db: Queryable, organization: NewOrganization): Promise<number> {
    const { slug, name, description, contact, ownerId, now } = organization;
    const [row] = await db.query<{ id: number }>(sql`
      with added as (
        insert into organization (slug, name, description, contact, owner_id, created_date, updated_date)
        values (${slug}, ${name}, ${description}, ${JSON.stringify(contact)}, ${ownerId}, ${now}, ${now}) returning id
      ), joined as (
        insert into membership (user_id, organization_id, is_active, joined_date, role)
        select ${ownerId}, id, true, ${now}, 'owner' from added
      )
      select id from added`);
    if (row === undefined) throw new Error('The new organization has no id');
    return row.id;
  }
}
