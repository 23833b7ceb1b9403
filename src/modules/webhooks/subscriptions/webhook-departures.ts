import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { BeforeDeleting, type Cascade } from '../../../core/events/cascades.js';
import { sql } from '../../../engines/sql/sql.js';

/** A webhook whose owner leaves, and the e-mail address of the organization's owner. */
interface Paused {
  readonly id: number;
  readonly target_url: string;
  readonly reason: string;
  readonly organization_id: number;
  readonly slug: string;
  /** E-mail address of the organization's owner; null if there is none. */
  readonly email: string | null;
}

const MOST_NAMED = 20;

/**
 * Former members must not receive events of an organization. This disables the webhooks that they own there, including
 * those of its projects, until a maintainer resumes them.
 */
@Injectable()
export class WebhookDepartures {
  constructor(
    private readonly mailer: Mailer,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @BeforeDeleting('membership')
  async onDeletionOfMemberships(tx: Tx, { ids }: Cascade): Promise<void> {
    const paused = await this.pause(tx, ids);
    for (const id of new Set(paused.map((webhook) => webhook.organization_id)))
      tx.afterCommit(() => this.notifyOwner(paused.filter((webhook) => webhook.organization_id === id)));
  }

  /** @param membershipIds memberships that still exist */
  private pause(tx: Tx, membershipIds: readonly number[]): Promise<Paused[]> {
    return tx.query<Paused>(sql`
      with leaving as (
        select webhook.id, member.username, organization.slug, owner.email
        from membership
        join app_user member on member.id = membership.user_id
        join organization on organization.id = membership.organization_id
        left join app_user owner on owner.id = organization.owner_id
        join webhook on webhook.owner_id = membership.user_id and webhook.organization_id = membership.organization_id
        where membership.id = any(${membershipIds}) and webhook.is_active and webhook.deleted_date is null
        order by webhook.id for no key update of webhook
      )
      update webhook set is_active = false, updated_date = ${tx.now},
        disabled_reason = 'Its owner ' || leaving.username || ' is no longer a member of the organization.'
      from leaving where webhook.id = leaving.id
      returning webhook.id, webhook.target_url, webhook.disabled_reason as reason, webhook.organization_id, leaving.slug,
        leaving.email`);
  }

  private notifyOwner(webhooks: readonly Paused[]): void {
    const [first] = webhooks;
    if (first === undefined) return;
    const ids = webhooks.map(({ id }) => id);
    this.log.warn({ webhooks: ids, organization: first.organization_id }, 'webhooks of a former member were paused');
    if (first.email === null || first.email === '') return;
    const hosts = webhooks.slice(0, MOST_NAMED).map(({ id, target_url: target }) => `${id} (${new URL(target).host})`);
    const more = webhooks.length - hosts.length;
    const count = webhooks.length === 1 ? 'A webhook' : `${webhooks.length} webhooks`;
    this.mailer.send({
      to: first.email,
      subject: `${count} of the organization ${first.slug} ${webhooks.length === 1 ? 'is' : 'are'} paused`,
      reason: `${first.reason} Paused: ${hosts.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
      request: 'Resume or delete what is paused here:',
      path: webhooks.length === 1 ? `/webhooks/${first.id}` : '/webhooks',
      closing: 'You receive this e-mail because you own the organization.',
    });
  }
}
