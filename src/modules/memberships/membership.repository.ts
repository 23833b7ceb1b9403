import { Injectable } from '@nestjs/common';
import {
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-facts.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { raw, sql } from '../../engines/sql/sql.js';
import type { Role } from '../../shared/policy/actor.js';
import { MEMBERSHIP_COLUMNS, MEMBERSHIP_FROM, type MembershipRow } from './membership.mapper.js';

@Injectable()
export class MembershipRepository {
  async find(db: Queryable, id: number): Promise<MembershipRow | undefined> {
    const [row] = await db.query<MembershipRow>(
      sql`select ${MEMBERSHIP_COLUMNS} from ${MEMBERSHIP_FROM} where membership.id = ${id}`,
    );
    return row;
  }

  /** With what the policy asks. @param lock to change it in the same transaction */
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
   * Memberships that nobody else changes until the transaction ends.
   * @returns `isActive`: the membership is, and so is the account
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

  /** Adds a membership that is not active yet. @throws a unique violation when there is one already */
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
