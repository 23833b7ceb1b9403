import { Injectable } from '@nestjs/common';
import {
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-context.js';
import { Clock } from '../../core/clock.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { bool, integer, type ListSpec, text, timestamp } from '../../core/list/list-spec.js';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { basicUserColumns } from '../users/index.js';
import type { InvitationRow } from './invitation.dto.js';

/** `invitation` with its membership, organization and users. */
export const INVITATION_FROM = sql`invitation join membership on membership.id = invitation.membership_id
  join organization on organization.id = membership.organization_id
  join app_user invitee on invitee.id = membership.user_id
  left join app_user owner on owner.id = invitation.owner_id`;

/** @param now an invitation expires seven days after it was sent */
const invitationColumns = (now: Date): Sql => sql`invitation.key, invitation.created_date, membership.role,
  organization.id as organization_id, organization.slug as organization_slug,
  invitation.sent_date + interval '7 days' <= ${now} as is_expired,
  membership.id as membership_id, membership.is_active as is_accepted, invitee.email as invitee_email,
  ${basicUserColumns('owner', 'owner')}, ${basicUserColumns('invitee', 'invitee')}`;

/** What lists of invitations can be filtered, sorted and searched by. */
export const invitationList: ListSpec = {
  from: INVITATION_FROM,
  fields: {
    owner: text('owner.username'),
    user_id: integer('membership.user_id'),
    accepted: bool('membership.is_active'),
    created_date: timestamp('invitation.created_date'),
  },
  search: ['owner'],
  simple: ['owner', 'user_id', 'accepted'],
  sortable: ['owner', 'created_date'],
  defaultSort: '-created_date',
  key: raw('invitation.key'),
  organization: raw('membership.organization_id'),
};

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
  constructor(private readonly clock: Clock) {}

  /** The columns of an `InvitationRow`. */
  get columns(): Sql {
    return invitationColumns(this.clock.now());
  }

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
   * Finds a visible invitation, and the facts that the policy needs.
   * @param lock locks the invitation and its membership until the transaction ends
   */
  async findVisible(
    db: Queryable,
    key: string,
    actorId: number,
    visible: Sql,
    lock: boolean,
  ): Promise<(InvitationRow & OrganizationFactsRow) | undefined> {
    const [row] = await db.query<InvitationRow & OrganizationFactsRow>(sql`
      select ${this.columns}, ${organizationFactsColumns} from ${INVITATION_FROM}
      ${organizationFactsJoin(raw('membership.organization_id'), actorId)}
      where invitation.key = ${key} and ${visible}${raw(lock ? ' for update of invitation, membership' : '')}`);
    return row;
  }

  async insert(tx: Tx, key: string, ownerId: number, membershipId: number): Promise<void> {
    await tx.query(sql`
      insert into invitation (key, owner_id, membership_id, created_date)
      values (${key}, ${ownerId}, ${membershipId}, ${tx.now})`);
  }

  async setSent(tx: Tx, key: string): Promise<void> {
    await tx.query(sql`update invitation set sent_date = ${tx.now} where key = ${key}`);
  }

  async delete(db: Queryable, key: string): Promise<void> {
    await db.query(sql`delete from invitation where key = ${key}`);
  }

  /** The oldest account with this e-mail address, in any letter case. */
  async invitee(db: Queryable, email: string): Promise<Invitee | undefined> {
    const [row] = await db.query<Invitee>(sql`
      select id, username, email, email_verified, password from app_user where lower(email) = lower(${email}) order by id limit 1`);
    return row;
  }

  private select(db: Queryable, condition: Sql): Promise<InvitationRow[]> {
    return db.query<InvitationRow>(sql`
      select ${this.columns} from ${INVITATION_FROM}
      where ${condition} order by invitation.created_date, invitation.key`);
  }
}
