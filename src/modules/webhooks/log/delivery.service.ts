import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { Db } from '../../../core/database/db.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { NotFound, Unavailable } from '../../../core/http/errors/errors.js';
import { currentTrace } from '../../../core/http/request/trace.js';
import { ListService } from '../../../core/list/list.service.js';
import type { Page } from '../../../core/list/page-request.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import { raw, sql } from '../../../engines/sql/sql.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { WebhookSender } from '../delivery/webhook-sender.js';
import type { WebhookRow } from '../subscriptions/webhook.mapper.js';
import { WebhookService } from '../subscriptions/webhook.service.js';
import {
  type DeliveryRow,
  toAttempt,
  toDelivery,
  type WebhookAttemptDto,
  type WebhookDeliveryDto,
} from './delivery.dto.js';
import { DELIVERY_COLUMNS, deliveryList, DeliveryRepository } from './delivery.repository.js';

/** Lists deliveries and their attempts. */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly db: Db,
    private readonly webhooks: WebhookService,
    private readonly deliveries: DeliveryRepository,
    private readonly lists: ListService,
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
}

/** Sends payloads that are not events, such as pings. */
@Injectable()
export class ImmediateDeliveries {
  constructor(
    private readonly work: UnitOfWork,
    private readonly deliveries: DeliveryRepository,
    private readonly sender: WebhookSender,
    private readonly clock: Clock,
  ) {}

  /** Sends a payload immediately and records it with its outcome. There are no retries. */
  async send(webhook: WebhookRow, event: string, payload: string): Promise<WebhookDeliveryDto> {
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
