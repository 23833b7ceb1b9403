import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { NotFound, Unavailable } from '../../../core/http/errors/errors.js';
import { currentTrace } from '../../../core/http/request/trace.js';
import { Urls } from '../../../core/http/response/urls.js';
import { ListService } from '../../../core/list/list.service.js';
import type { Page } from '../../../core/list/page.dto.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import { Representations, type WireObject } from '../../../core/versioning/representations.js';
import { raw, sql } from '../../../engines/sql/sql.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { senderOf } from '../../users/index.js';
import { Notifier } from '../../../core/worker/notifier.js';
import { PING } from '../event-catalogue.js';
import { WebhookSender } from '../delivery/webhook-sender.js';
import { toWebhook, type WebhookRow } from '../subscriptions/webhook.mapper.js';
import { WebhookService } from '../subscriptions/webhook.service.js';
import {
  type DeliveryRow,
  toAttempt,
  toDelivery,
  type WebhookAttemptDto,
  type WebhookDeliveryDto,
} from './delivery.dto.js';
import { DELIVERY_COLUMNS, deliveryList, DeliveryRepository } from './delivery.repository.js';

/** What users do with deliveries: list them, redeliver them, or send one now. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly webhooks: WebhookService,
    private readonly deliveries: DeliveryRepository,
    private readonly notifier: Notifier,
    private readonly sender: WebhookSender,
    private readonly representations: Representations,
    private readonly lists: ListService,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async list(
    actor: Actor,
    webhookId: number,
    query: Record<string, unknown>,
    version: ApiVersion,
  ): Promise<Page<WebhookDeliveryDto>> {
    await this.webhooks.require(this.db, actor, webhookId, 'view');
    return this.lists.page<DeliveryRow, WebhookDeliveryDto>(
      deliveryList,
      {
        select: DELIVERY_COLUMNS,
        visible: raw('true'),
        organization: 'any',
        where: sql`webhook_delivery.webhook_id = ${webhookId}`,
        query,
        version,
        url: `${actor.baseUrl}/api/webhooks/${webhookId}/deliveries`,
      },
      toDelivery,
    );
  }

  async get(actor: Actor, webhookId: number, id: number, version: ApiVersion): Promise<WebhookDeliveryDto> {
    await this.webhooks.require(this.db, actor, webhookId, 'view');
    const row = await this.deliveries.find(this.db, webhookId, id, version);
    if (row === undefined) throw NotFound.of('WebhookDelivery');
    return toDelivery(row);
  }

  /** All attempts of a delivery, oldest first: at most as many as the retry schedule has. */
  async attempts(actor: Actor, webhookId: number, id: number): Promise<WebhookAttemptDto[]> {
    await this.webhooks.require(this.db, actor, webhookId, 'view');
    const row = await this.deliveries.find(this.db, webhookId, id);
    if (row === undefined) throw NotFound.of('WebhookDelivery');
    const payload = row.payload.slice(0, this.config.webhooks.logBytes);
    return (await this.deliveries.attempts(this.db, id)).map((attempt) => toAttempt(attempt, payload));
  }

  /** Queues the same bytes for the webhook's current URL and secret. */
  redeliver(actor: Actor, webhookId: number, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      await this.webhooks.require(tx, actor, webhookId, 'redelivery');
      const count = await this.deliveries.repeat(tx, webhookId, [id], tx.now);
      if (count === 0) throw NotFound.of('WebhookDelivery');
      tx.afterCommit(() => this.notifier.notify('deliveries'));
    });
  }

  /** Sends a ping now, even if the webhook is disabled, and records it with its response. There are no retries. */
  async ping(actor: Actor, webhookId: number): Promise<WebhookDeliveryDto> {
    const webhook = await this.webhooks.require(this.db, actor, webhookId, 'ping');
    const object = toWebhook(webhook, new Urls(actor.baseUrl)) as object as WireObject;
    const payload = JSON.stringify({
      event: PING,
      webhook: this.representations.render('webhook', webhook.api_version, { object }),
      sender: senderOf(actor),
    });
    return this.sendNow(webhook, PING, payload);
  }

  /** Sends a payload immediately and records it with its outcome. There are no retries. */
  async sendNow(webhook: WebhookRow, event: string, payload: string): Promise<WebhookDeliveryDto> {
    const { id: webhookId } = webhook;
    const messageId = randomUUID();
    const message = { ...webhook, payload, message_id: messageId, traceparent: currentTrace() };
    const sent = await this.sender.send(message, `ping ${webhookId}`);
    if (sent.stopped) throw new Unavailable('The server is stopping.');
    const now = this.clock.now();
    const row = await this.work.run((tx) =>
      this.deliveries.insertPing(tx, { ...sent, webhookId, event, messageId, payload }, now),
    );
    return toDelivery(row);
  }
}
