import { Inject, Injectable } from '@nestjs/common';
import {
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-facts.js';
import { Clock } from '../../core/clock.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { INVITATION_FROM, invitationColumns, type InvitationRow } from './invitation.mapper.js';

export interface Invitee {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly email_verified: boolean;
  /** Encoded. */
  readonly password: string;
}

@Injectable()
export class InvitationRepository {
  constructor(@Inject(Clock) private readonly clock: Clock) {}

  async find(db: Queryable, key: string): Promise<InvitationRow | undefined> {
    return (await this.select(db, sql`invitation.key = ${key}`))[0];
  }

  async ofMemberships(db: Queryable, membershipIds: readonly number[]): Promise<InvitationRow[]> {
    return this.select(db, sql`membership.id = any(${membershipIds})`);
  }

  async ofOrganizations(db: Queryable, organizationIds: readonly number[]): Promise<InvitationRow[]> {
    return this.select(db, sql`membership.organization_id = any(${organizationIds})`);
  }

  /**
   * One of the visible invitations, with what the policy asks.
   * @param lock to change it or its membership in the same transaction
   */
  async findVisible(
    db: Queryable,
    key: string,
    actorId: number,
    visible: Sql,
    lock: boolean,
  ): Promise<(InvitationRow & OrganizationFactsRow) | undefined> {
    const [row] = await db.query<InvitationRow & OrganizationFactsRow>(sql`
      select ${invitationColumns(this.clock.now())}, ${organizationFactsColumns} from ${INVITATION_FROM}
      ${organizationFactsJoin(raw('membership.organization_id'), actorId)}
      where invitation.key = ${key} and ${visible}${raw(lock ? ' for update of invitation, membership' : '')}`);
    return row;
  }

  async insert(tx: Tx, key: string, ownerId: number, membershipId: number): Promise<void> {
    await tx.query(sql`
      insert into invitation (key, owner_id, membership_id, created_date)
      values (${key}, ${ownerId}, ${membershipId}, ${tx.now})`);
  }

  async noteSending(tx: Tx, key: string): Promise<void> {
    await tx.query(sql`update invitation set sent_date = ${tx.now} where key = ${key}`);
  }

  async delete(db: Queryable, key: string): Promise<void> {
    await db.query(sql`delete from invitation where key = ${key}`);
  }

  /** The account with this address in any letter case; of several the oldest. */
  async invitee(db: Queryable, email: string): Promise<Invitee | undefined> {
    const [row] = await db.query<Invitee>(sql`
      select id, username, email, email_verified, password from app_user where lower(email) = lower(${email}) order by id limit 1`);
    return row;
  }

  private select(db: Queryable, condition: Sql): Promise<InvitationRow[]> {
    return db.query<InvitationRow>(sql`
      select ${invitationColumns(this.clock.now())} from ${INVITATION_FROM}
      where ${condition} order by invitation.created_date, invitation.key`);
  }
}
