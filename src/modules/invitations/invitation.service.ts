import { Injectable } from '@nestjs/common';
import { organizationFacts } from '../../core/access/organization-context.js';
import { requireAll } from '../../core/access/require.js';
import { type Limit, Throttles } from '../../core/access/throttles.js';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { BeforeDeleting, type Cascade } from '../../core/events/cascades.js';
import { Events } from '../../core/events/events.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Forbidden, InvalidString, NotFound, Throttled } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import type { Page } from '../../core/list/page-request.js';
import { Mailer } from '../../core/mail/mailer.js';
import { and, or, type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization } from '../../shared/policy/actor.js';
import { invitationPolicy, type InvitationScope } from '../../shared/policy/invitation.policy.js';
import { MembershipChanges } from '../memberships/index.js';
import { type InvitationDto, type InvitationRow, toInvitation } from './invitation.dto.js';
import { invitationScope } from './invitation.events.js';
import { invitationList, InvitationRepository } from './invitation.repository.js';

const RESENDS: Limit = { name: 'invitations sent again', most: 5, windowMs: 3_600_000 };

/** Changes invitations, records the events and sends the e-mails. */
@Injectable()
export class InvitationChanges {
  constructor(
    private readonly rows: InvitationRepository,
    private readonly events: Events,
    private readonly mailer: Mailer,
    private readonly throttles: Throttles,
  ) {}

  @BeforeDeleting('membership')
  async onDeletionOfMemberships(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    await this.recordDeletions(tx, actor, await this.rows.ofMemberships(tx, ids));
  }

  @BeforeDeleting('organization')
  async onDeletionOfOrganizations(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    await this.recordDeletions(tx, actor, await this.rows.ofOrganizations(tx, ids));
  }

  async add(tx: Tx, actor: Actor, key: string, membershipId: number): Promise<void> {
    await this.rows.insert(tx, key, actor.id, membershipId);
    const row = await this.read(tx, key);
    const object = toInvitation(row, new Urls(actor.baseUrl));
    await this.events.created(tx, actor, 'invitation', { object, scope: invitationScope(object) });
  }

  /** Sends the link after the commit. The invitation expires in seven days. */
  async send(tx: Tx, key: string): Promise<void> {
    await this.rows.setSent(tx, key);
    const { invitee_email: to, organization_slug: slug } = await this.read(tx, key);
    const query = new URLSearchParams({ email: to, key });
    const path = `/auth/register/invitation?${query.toString()}`;
    tx.afterCommit(() => this.mailer.send({ to, subject: `Invitation to the organization ${slug}`, path }));
  }

  /** @throws Throttled */
  async resend(tx: Tx, actor: Actor, key: string): Promise<void> {
    await this.send(tx, key);
    const seconds = await this.throttles.hit(RESENDS, String(actor.id), tx);
    if (seconds > 0) throw new Throttled(seconds);
  }

  async remove(tx: Tx, actor: Actor, row: InvitationRow): Promise<void> {
    await this.recordDeletions(tx, actor, [row]);
    await this.rows.delete(tx, row.key);
  }

  async read(db: Queryable, key: string): Promise<InvitationRow> {
    const row = await this.rows.find(db, key);
    if (row === undefined) throw NotFound.of('Invitation');
    return row;
  }

  private async recordDeletions(tx: Tx, actor: Actor, rows: readonly InvitationRow[]): Promise<void> {
    const urls = new Urls(actor.baseUrl);
    const deleted = rows.map((row) => toInvitation(row, urls));
    const occurrences = deleted.map((object) => ({ object, scope: invitationScope(object) }));
    await this.events.deleted(tx, actor, 'invitation', occurrences);
  }
}

const EXPIRED = 'Your invitation is expired. Please contact organization owner to renew it.';

/** Reads, accepts, declines, resends and deletes invitations. */
@Injectable()
export class InvitationService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly rows: InvitationRepository,
    private readonly changes: InvitationChanges,
    private readonly memberships: MembershipChanges,
    private readonly preconditions: Preconditions,
    private readonly lists: ListService,
  ) {}

  async list(actor: Actor, query: Record<string, unknown>): Promise<Page<InvitationDto>> {
    if (!invitationPolicy.mayList(actor)) throw new Forbidden();
    const urls = new Urls(actor.baseUrl);
    return this.lists.page(
      invitationList,
      {
        select: this.rows.columns,
        visible: invitationPolicy.visible(actor),
        organization: listOrganization(actor),
        query,
        url: `${actor.baseUrl}/api/invitations`,
      },
      (row: InvitationRow) => toInvitation(row, urls),
    );
  }

  async get(actor: Actor, key: string): Promise<InvitationDto> {
    return toInvitation(await this.find(this.db, actor, key, 'view'), new Urls(actor.baseUrl));
  }

  /** @returns the slug of the organization */
  async accept(actor: Actor, key: string): Promise<string> {
    return this.work.run(async (tx) => {
      const row = await this.find(tx, actor, key, 'accept');
      if (row.is_accepted) throw new InvalidString('Your invitation is already accepted.');
      await this.join(tx, actor, row);
      return row.organization_slug;
    });
  }

  /** Accepts an invitation for older clients, unless it is already accepted. */
  async acceptOnce(actor: Actor, key: string): Promise<InvitationDto> {
    return this.work.run(async (tx) => {
      const row = await this.find(tx, actor, key, 'accept');
      if (!row.is_accepted) await this.join(tx, actor, row);
      return toInvitation(row, new Urls(actor.baseUrl));
    });
  }

  /** Deletes the membership, too. */
  async decline(actor: Actor, key: string): Promise<void> {
    await this.work.run(async (tx) => {
      const row = await this.find(tx, actor, key, 'decline');
      await this.memberships.remove(tx, actor, row.membership_id);
    });
  }

  async resend(actor: Actor, key: string): Promise<void> {
    await this.work.run(async (tx) => {
      const row = await this.find(tx, actor, key, 'resend');
      if (row.is_accepted) throw new InvalidString('This invitation is already accepted.');
      await this.changes.resend(tx, actor, key);
    });
  }

  /** Keeps the membership. */
  async delete(actor: Actor, key: string): Promise<void> {
    await this.work.run(async (tx) => {
      const row = await this.find(tx, actor, key, 'delete');
      await this.preconditions.require(tx, 'invitation', toInvitation(row, new Urls(actor.baseUrl)));
      await this.changes.remove(tx, actor, row);
    });
  }

  private async join(tx: Tx, actor: Actor, row: InvitationRow): Promise<void> {
    if (row.is_expired === true) throw new InvalidString(EXPIRED);
    await this.memberships.activate(tx, actor, row.membership_id);
  }

  /** @throws NotFound, also for an invitation that the actor's list does not show; Forbidden */
  private async find(db: Queryable, actor: Actor, key: string, scope: InvitationScope): Promise<InvitationRow> {
    if (!/^\w{1,64}$/.test(key)) throw NotFound.of('Invitation');
    const row = await this.rows.findVisible(db, key, actor.id, visibleNow(actor), db !== this.db);
    if (row === undefined) throw NotFound.of('Invitation');
    const organization = organizationFacts(row);
    const facts = { ownerId: row.owner_id, inviteeId: row.invitee_id, role: row.role, organization };
    requireAll(invitationPolicy, [scope], actor, facts);
    return row;
  }
}

/** Invitees find an invitation by its key even if their e-mail address is not verified. */
function visibleNow(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  const visible = or([invitationPolicy.visible(actor), sql`membership.user_id = ${actor.id}`]);
  return organization === null ? visible : and([visible, sql`membership.organization_id = ${organization.id}`]);
}
