import { Inject, Injectable } from '@nestjs/common';
import { requireAll } from '../../../core/access/require.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import { ChangeLog, type ChangePlace } from '../../../core/event-log/change-log.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Invalid, NotFound } from '../../../core/http/errors/errors.js';
import { Preconditions } from '../../../core/http/conditional/preconditions.js';
import { Urls } from '../../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../../core/list/list.service.js';
import type { Page } from '../../../core/list/page-request.js';
import { join, type Sql, sql } from '../../../engines/sql/sql.js';
import { type Actor, contextOrganization } from '../../../shared/policy/actor.js';
import { webhookPolicy, type WebhookScope } from '../../../shared/policy/webhook.policy.js';
import { canReceive, type WebhookType } from '../event-catalogue.js';
import { generateSecret } from '../../../engines/signature/standard-webhooks.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { BeforeDeleting, type Cascade } from '../../../core/events/cascades.js';
import { OnTransfer, type Transfer } from '../../../core/events/transfers.js';
import type { ReplaceWebhookDto, UpdateWebhookDto, WebhookDto } from './webhook.dto.js';
import { WebhookTargets } from './target-url.js';
import { deliverySettings, requireSettings, RESUMED } from './webhook-settings.js';
import { ROTATION_MS, WebhookSecrets } from './webhook-secrets.js';
import { WEBHOOK_COLUMNS, WEBHOOK_EXISTS, webhookList, WebhookRepository } from './webhook.repository.js';
import { toWebhook, type WebhookRow } from './webhook.mapper.js';

/** Reads and changes webhooks. `WebhookCreation` creates them. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly webhooks: WebhookRepository,
    private readonly secrets: WebhookSecrets,
    private readonly lists: ListService,
    private readonly preconditions: Preconditions,
    private readonly targets: WebhookTargets,
    private readonly changes: ChangeLog,
  ) {}

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<WebhookDto>> {
    const organization = contextOrganization(actor);
    requireAll(webhookPolicy, ['list'], actor, { ownerId: null, projectOwnerId: null, organization });
    const urls = new Urls(actor.baseUrl);
    return this.lists.page<WebhookRow, WebhookDto>(
      webhookList,
      {
        select: WEBHOOK_COLUMNS,
        visible: webhookPolicy.visible(actor),
        organization: listOrganization(actor),
        where: WEBHOOK_EXISTS,
        query,
        url: `${actor.baseUrl}/api/webhooks`,
      },
      (row) => toWebhook(row, urls),
    );
  }

  async get(actor: Actor, id: number): Promise<WebhookDto> {
    return toWebhook(await this.require(this.db, actor, id, 'view'), new Urls(actor.baseUrl));
  }

  /** @throws NotFound, Forbidden */
  async require(db: Queryable, actor: Actor, id: number, scope: WebhookScope): Promise<WebhookRow> {
    const found = await this.webhooks.find(db, id, actor.id);
    if (found === undefined) throw NotFound.of('Webhook');
    requireAll(webhookPolicy, [scope], actor, found.facts);
    return found.row;
  }

  async update(actor: Actor, id: number, body: Unvalidated<UpdateWebhookDto | ReplaceWebhookDto>): Promise<WebhookDto> {
    const { target_url: url } = body.raw;
    if (this.targets.needsLookup(url)) {
      await this.require(this.db, actor, id, 'update');
      await this.targets.requireAllowedName(url);
    }
    return this.work.run(async (tx) => {
      const row = await this.lock(tx, actor, id, 'update');
      const dto: UpdateWebhookDto = body.validate();
      if (dto.target_url !== undefined) this.targets.require(dto.target_url, actor);
      if (dto.events !== undefined) requireEvents(dto.events, row.type);
      await this.webhooks.set(tx, id, join(this.assignments(row, dto, tx.now), ', '));
      const urls = new Urls(actor.baseUrl);
      const before = toWebhook(row, urls);
      const object = toWebhook(await this.require(tx, actor, id, 'update'), urls);
      this.changes.record(tx, actor, 'update:webhook', { before, object }, placeOf(object));
      return object;
    });
  }

  /** Marks the webhook as deleted. The rows are deleted in the background. */
  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      const object = toWebhook(await this.lock(tx, actor, id, 'delete'), new Urls(actor.baseUrl));
      this.changes.record(tx, actor, 'delete:webhook', { object }, placeOf(object));
      await this.webhooks.set(tx, id, sql`deleted_date = ${tx.now}, is_active = false`);
    });
  }

  /** Generates a secret and returns it, only this once. The previous secret stays valid for a day. */
  rotateSecret(actor: Actor, id: number): Promise<{ secret: string; previous_secret_until: string | null }> {
    return this.work.run(async (tx) => {
      const row = await this.lock(tx, actor, id, 'update');
      const now = tx.now;
      const secret = generateSecret();
      const until = row.secret === null ? null : new Date(now.getTime() + ROTATION_MS);
      await this.webhooks.set(
        tx,
        id,
        sql`secret = ${this.secrets.seal(secret)}, previous_secret = secret, previous_secret_until = ${until},
          updated_date = ${now}`,
      );
      return { secret, previous_secret_until: until?.toISOString() ?? null };
    });
  }

  /** Ends a pause, and enables a disabled webhook. */
  resume(actor: Actor, id: number): Promise<WebhookDto> {
    return this.work.run(async (tx) => {
      const row = await this.lock(tx, actor, id, 'update');
      const now = tx.now;
      const on = row.is_active ? [] : [sql`is_active = true`, sql`active_since = ${now}`];
      await this.webhooks.set(tx, id, join([sql`updated_date = ${now}`, ...RESUMED, ...on], ', '));
      return toWebhook(await this.require(tx, actor, id, 'update'), new Urls(actor.baseUrl));
    });
  }

  private async lock(tx: Tx, actor: Actor, id: number, scope: WebhookScope): Promise<WebhookRow> {
    await this.webhooks.lock(tx, id);
    const row = await this.require(tx, actor, id, scope);
    await this.preconditions.require(tx, 'webhook', toWebhook(row, new Urls(actor.baseUrl)));
    return row;
  }

  private assignments(row: WebhookRow, dto: UpdateWebhookDto, now: Date): Sql[] {
    requireSettings(dto);
    const isEnabling = dto.is_active === true && !row.is_active;
    return [
      sql`updated_date = ${now}`,
      ...(dto.target_url === undefined ? [] : [sql`target_url = ${dto.target_url}`]),
      ...(dto.description === undefined ? [] : [sql`description = ${dto.description}`]),
      ...(dto.content_type === undefined ? [] : [sql`content_type = ${dto.content_type}`]),
      // A secret set by a user replaces the old one immediately. Two secrets are valid only after a rotation.
      ...(dto.secret === undefined
        ? []
        : [sql`secret = ${this.secrets.seal(dto.secret)}, previous_secret = null, previous_secret_until = null`]),
      ...(dto.is_active === undefined ? [] : [sql`is_active = ${dto.is_active}`]),
      ...(isEnabling ? [sql`active_since = ${now}`] : []),
      ...(dto.enable_ssl === undefined ? [] : [sql`enable_ssl = ${dto.enable_ssl}`]),
      ...(dto.is_active === true ? RESUMED : []),
      ...deliverySettings(dto, row),
      ...(dto.api_version === undefined ? [] : [sql`api_version = ${dto.api_version}`]),
      ...(dto.events === undefined ? [] : [sql`events = ${[...dto.events].sort()}`]),
    ];
  }
}

/** @throws Invalid for an empty list, and for events that webhooks of this type cannot subscribe to */
export function requireEvents(events: readonly string[], type: WebhookType): void {
  if (events.length > 0 && events.every((event) => canReceive(type, event))) return;
  throw new Invalid({ non_field_errors: [`Invalid events list for ${type} webhook`] });
}

/** A webhook that was disabled because its owner leaves the organization. */
interface DisabledWebhook {
  readonly id: number;
  readonly target_url: string;
  readonly reason: string;
  readonly organization_id: number;
  readonly slug: string;
  /** E-mail address of the organization's owner; null if there is none. */
  readonly email: string | null;
}

/** The number of webhooks that an e-mail lists. */
const MAX_LISTED = 20;

/**
 * Former members must not receive events of an organization. This disables the webhooks that they own there, including
 * those of its projects, until a maintainer resumes them.
 */
@Injectable()
export class FormerMemberWebhooks {
  constructor(
    private readonly mailer: Mailer,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @BeforeDeleting('membership')
  async onDeletionOfMemberships(tx: Tx, { ids }: Cascade): Promise<void> {
    const disabled = await this.disable(tx, ids);
    for (const id of new Set(disabled.map((webhook) => webhook.organization_id)))
      tx.afterCommit(() => this.notifyOwner(disabled.filter((webhook) => webhook.organization_id === id)));
  }

  /** The webhooks of a project move with it, except that those of people who are not in the new organization stop. */
  @OnTransfer()
  async onTransfer(tx: Tx, { kind, id, actor, to }: Transfer): Promise<void> {
    if (kind === 'task') return;
    await tx.query(sql`
      with moved as (
        select id, owner_id = ${actor.id} or exists (select from membership where user_id = webhook.owner_id
          and organization_id = ${to}::int and is_active) as is_known
        from webhook where project_id = ${id} and deleted_date is null order by id for no key update
      )
      update webhook set organization_id = ${to}::int, updated_date = ${tx.now}, is_active = is_active and is_known,
        disabled_reason = case when is_active and not is_known
          then 'Its project was moved to an organization that its owner is not a member of.' else disabled_reason end
      from moved where webhook.id = moved.id`);
  }

  /** @param membershipIds memberships that still exist */
  private disable(tx: Tx, membershipIds: readonly number[]): Promise<DisabledWebhook[]> {
    return tx.query<DisabledWebhook>(sql`
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

  private notifyOwner(webhooks: readonly DisabledWebhook[]): void {
    const [first] = webhooks;
    if (first === undefined) return;
    const ids = webhooks.map(({ id }) => id);
    this.log.warn({ webhooks: ids, organization: first.organization_id }, 'webhooks of a former member were disabled');
    if (first.email === null || first.email === '') return;
    const hosts = webhooks.slice(0, MAX_LISTED).map(({ id, target_url: target }) => `${id} (${new URL(target).host})`);
    const more = webhooks.length - hosts.length;
    const count = webhooks.length === 1 ? 'A webhook' : `${webhooks.length} webhooks`;
    this.mailer.send({
      to: first.email,
      subject: `${count} of the organization ${first.slug} ${webhooks.length === 1 ? 'was' : 'were'} disabled`,
      reason: `${first.reason} Disabled: ${hosts.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
      request: 'To enable or delete them, open this link:',
      path: webhooks.length === 1 ? `/webhooks/${first.id}` : '/webhooks',
      closing: 'You receive this e-mail because you own the organization.',
    });
  }
}

const placeOf = ({ project_id: projectId, organization }: WebhookDto): ChangePlace => ({
  projectId,
  organizationId: organization,
});
