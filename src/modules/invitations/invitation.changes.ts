import { Injectable } from '@nestjs/common';
import { Throttle } from '../../core/access/throttle.js';
import { Clock } from '../../core/clock.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { NotFound, Throttled } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { Mailer } from '../../core/mail/mailer.js';
import { BeforeDeleting, type Cascade } from '../../core/events/cascades.js';
import { Events } from '../../core/events/events.js';
import type { Actor } from '../../shared/policy/actor.js';
import { invitationScope } from './invitation.events.js';
import { type InvitationRow, toInvitation } from './invitation.dto.js';
import { InvitationRepository } from './invitation.repository.js';

const RESENDS_PER_HOUR = 5;
const HOUR_MS = 3_600_000;

/** Changes invitations, records the events and sends the e-mails. */
@Injectable()
export class InvitationChanges {
  private readonly resends: Throttle;

  constructor(
    private readonly rows: InvitationRepository,
    private readonly events: Events,
    private readonly mailer: Mailer,
    clock: Clock,
  ) {
    this.resends = new Throttle(RESENDS_PER_HOUR, HOUR_MS, () => clock.now().getTime());
  }

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
    const seconds = this.resends.hit(String(actor.id));
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
