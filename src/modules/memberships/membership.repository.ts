import { Injectable } from '@nestjs/common';
import {
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-context.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { choice, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { raw, sql } from '../../engines/sql/sql.js';
import type { Role } from '../../shared/policy/actor.js';
import { basicUserColumns } from '../users/index.js';
import { type MembershipRow, ROLES } from './membership.dto.js';

/** `membership` with its user and invitation. */
export const MEMBERSHIP_FROM = sql`membership join app_user member on member.id = membership.user_id
  left join invitation on invitation.membership_id = membership.id`;

export const MEMBERSHIP_COLUMNS = sql`membership.id, membership.organization_id, membership.is_active,
  membership.joined_date, membership.role, invitation.key as invitation, ${basicUserColumns('member', 'member')}`;

/** What lists of memberships can be filtered, sorted and searched by. */
export const membershipList: ListSpec = {
  from: MEMBERSHIP_FROM,
  fields: {
    id: integer('membership.id'),
    user: text('member.username'),
    role: choice('membership.role', ROLES),
  },
  search: ['user', 'role'],
  simple: ['user', 'role'],
  defaultSort: '-id',
  organization: raw('membership.organization_id'),
};

@Injectable()
export class MembershipRepository {
  async find(db: Queryable, id: number): Promise<MembershipRow | undefined> {
    const [row] = await db.query<MembershipRow>(
      sql`select ${MEMBERSHIP_COLUMNS} from ${MEMBERSHIP_FROM} where membership.id = ${id}`,
    );
    return row;
  }

  /** The row, and the facts that the policy needs. @param lock locks the row until the transaction ends */
  async findWithFacts(
    db: Queryable,
    id: number,
    actorId: number,
    lock: boolean,
  ): Promise<(MembershipRow & OrganizationFactsRow) | undefined> {
    const [row] = await db.query<MembershipRow & OrganizationFactsRow>(sql`
      select ${MEMBERSHIP_COLUMNS}, ${organizationFactsColumns} from ${MEMBERSHIP_FROM}
      ${organizationFactsJoin(raw('membership.organization_id'), actorId)}
      where membership.id = ${id}${raw(lock ? ' for update of membership' : '')}`);
    return row;
  }

  /**
   * Locks memberships until the transaction ends.
   * @returns `isActive`: both the membership and the account are active
   */
  lockOf(
    tx: Tx,
    organizationId: number,
    userIds: readonly number[],
  ): Promise<{ readonly id: number; readonly userId: number; readonly isActive: boolean }[]> {
    return tx.query(sql`
      select membership.id, membership.user_id as "userId", membership.is_active and app_user.is_active as "isActive"
      from membership join app_user on app_user.id = membership.user_id
      where membership.organization_id = ${organizationId} and membership.user_id = any(${[...userIds]}::int[])
      order by membership.id for update of membership`);
  }

  async ofUsers(db: Queryable, userIds: readonly number[]): Promise<MembershipRow[]> {
    return db.query<MembershipRow>(sql`
      select ${MEMBERSHIP_COLUMNS} from ${MEMBERSHIP_FROM}
      where membership.user_id = any(${userIds}) order by membership.id`);
  }

  /** Inserts an inactive membership. @throws a unique violation if the user already has one */
  async insert(db: Queryable, userId: number, organizationId: number, role: Role): Promise<number> {
    const [row] = await db.query<{ id: number }>(sql`
      insert into membership (user_id, organization_id, is_active, role)
      values (${userId}, ${organizationId}, false, ${role}) returning id`);
    if (row === undefined) throw new Error('The new membership has no id');
    return row.id;
  }

  async activate(db: Queryable, id: number, now: Date): Promise<void> {
    await db.query(sql`update membership set is_active = true, joined_date = ${now} where id = ${id}`);
  }

  async changeRole(db: Queryable, id: number, role: Role): Promise<void> {
    await db.query(sql`update membership set role = ${role} where id = ${id}`);
  }

  async delete(db: Queryable, id: number): Promise<void> {
    await db.query(sql`delete from membership where id = ${id}`);
  }
}
