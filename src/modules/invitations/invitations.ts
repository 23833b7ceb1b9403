import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { NotFound } from '../../core/http/errors.js';
import { Urls } from '../../core/http/urls.js';
import { Mailer } from '../../core/mail/mailer.js';
import { BeforeDeleting, type Cascade } from '../../core/outbox/cascades.js';
import type { Actor } from '../../shared/policy/actor.js';
import { InvitationEvents } from './invitation.events.js';
import { type InvitationRow, toInvitation } from './invitation.mapper.js';
import { InvitationRepository } from './invitation.repository.js';

/** Changes of invitations, with the events and letters that tell of them. */
@Injectable()
export class Invitations {
  constructor(
    @Inject(InvitationRepository) private readonly invitations: InvitationRepository,
    @Inject(InvitationEvents) private readonly events: InvitationEvents,
    @Inject(Mailer) private readonly mailer: Mailer,
  ) {}

  @BeforeDeleting('membership')
  async onDeletionOfMemberships(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    await this.tellDeletions(tx, actor, await this.invitations.ofMemberships(tx, ids));
  }

  @BeforeDeleting('organization')
  async onDeletionOfOrganizations(tx: Tx, { ids, actor }: Cascade): Promise<void> {
    await this.tellDeletions(tx, actor, await this.invitations.ofOrganizations(tx, ids));
  }

  async add(tx: Tx, actor: Actor, key: string, membershipId: number): Promise<void> {
    await this.invitations.insert(tx, key, actor.id, membershipId);
    const row = await this.read(tx, key);
    await this.events.record(tx, 'create', actor, toInvitation(row, new Urls(actor.baseUrl)));
  }

  /** Sends the link when the transaction is committed; the seven days start now. */
  async send(tx: Tx, key: string): Promise<void> {
    await this.invitations.noteSending(tx, key);
    const { invitee_email: to, organization_slug: slug } = await this.read(tx, key);
    const query = new URLSearchParams({ email: to, key });
    const path = `/auth/register/invitation?${query.toString()}`;
    tx.afterCommit(() => this.mailer.send({ to, subject: `Invitation to the organization ${slug}`, path }));
  }

  async remove(tx: Tx, actor: Actor, row: InvitationRow): Promise<void> {
    await this.tellDeletions(tx, actor, [row]);
    await this.invitations.delete(tx, row.key);
  }

  async read(db: Queryable, key: string): Promise<InvitationRow> {
    const row = await this.invitations.find(db, key);
    if (row === undefined) throw NotFound.of('Invitation');
    return row;
  }

  private async tellDeletions(tx: Tx, actor: Actor, rows: readonly InvitationRow[]): Promise<void> {
    const urls = new Urls(actor.baseUrl);
    for (const row of rows) await this.events.record(tx, 'delete', actor, toInvitation(row, urls));
  }
}
