import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Invalid, NotFound } from '../../../core/http/errors/errors.js';
import { Representations } from '../../../core/versioning/representations.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { DispatchRepository, type NewDelivery } from '../dispatch/dispatch.repository.js';
import { DeliveryRepository } from './delivery.repository.js';
import { Notifier } from '../../../core/worker/notifier.js';
import type { RedeliverDto, RedeliveriesDto } from './delivery.dto.js';
import { eventPayload, headInForm } from '../../../core/events/payload.js';
import { passesFilter } from '../dispatch/matching.js';
import type { WebhookRow } from '../subscriptions/webhook.mapper.js';
import { WebhookService } from '../subscriptions/webhook.service.js';

/** Maximum number of deliveries that one request queues. The response says where to continue. */
const BATCH = 1000;
const UNBATCHED = { batchKey: null, wait: 0, merged: [] } as const;

/** Redelivers selected, failed, missing or all deliveries since a time. */
@Injectable()
export class RedeliveryService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly webhooks: WebhookService,
    private readonly deliveries: DeliveryRepository,
    private readonly dispatch: DispatchRepository,
    private readonly representations: Representations,
    private readonly notifier: Notifier,
  ) {}

  /** Queues the same bytes for the webhook's current URL and secret. */
  redeliverOne(actor: Actor, webhookId: number, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      await this.webhooks.require(tx, actor, webhookId, 'redelivery');
      const count = await this.deliveries.repeat(tx, webhookId, [id], tx.now);
      if (count === 0) throw NotFound.of('WebhookDelivery');
      tx.afterCommit(() => this.notifier.notify('deliveries'));
    });
  }

  /** Runs in one transaction, so a failed request queues nothing. @throws Invalid */
  redeliver(actor: Actor, webhookId: number, body: Unvalidated<RedeliverDto>): Promise<RedeliveriesDto> {
    return this.work.run(async (tx) => {
      const webhook = await this.webhooks.require(tx, actor, webhookId, 'redelivery');
      const { ids, since, which = 'failed', rate, after = 0 } = body.validate();
      const gap = rate === undefined ? 0 : 1 / rate;
      tx.afterCommit(() => this.notifier.notify('deliveries'));
      if (ids !== undefined && since === undefined) return this.selection(tx, webhookId, ids, gap);
      if (since === undefined || ids !== undefined) {
        throw new Invalid({ non_field_errors: ['Set either "ids" or "since".'] });
      }
      if (which === 'missing') return this.missing(tx, webhook, new Date(since), after, gap);
      const found = await this.deliveries.since(tx, webhookId, new Date(since), after, which === 'failed', BATCH + 1);
      const batch = found.slice(0, BATCH);
      await this.deliveries.repeat(tx, webhookId, batch, tx.now, gap);
      return responseFor(batch, found.length);
    });
  }

  private async selection(tx: Tx, webhookId: number, ids: readonly number[], gap: number): Promise<RedeliveriesDto> {
    const known = await this.deliveries.known(tx, webhookId, ids);
    const unknown = ids.find((id) => !known.includes(id));
    if (unknown !== undefined) throw new Invalid({ ids: [`The webhook has no delivery ${unknown}.`] });
    await this.deliveries.repeat(tx, webhookId, known, tx.now, gap);
    return { count: known.length, next: null };
  }

  /** Events that occurred while the webhook was disabled or not subscribed to them. */
  private async missing(
    tx: Tx,
    webhook: WebhookRow,
    since: Date,
    after: number,
    gap: number,
  ): Promise<RedeliveriesDto> {
    const found = await this.deliveries.missing(tx, webhook, since, after, BATCH + 1);
    const events = found.slice(0, BATCH);
    const heads: string[] = [];
    const fresh: NewDelivery[] = [];
    for (const event of events) {
      const payload = eventPayload(event, webhook.api_version, this.representations);
      if (!passesFilter(webhook, payload)) continue;
      const head = heads.push(headInForm(payload, webhook.payload)) - 1;
      const changedFields = payload.changedFields.join(',');
      fresh.push({ ...UNBATCHED, webhookId: webhook.id, eventId: event.id, event: event.name, head, changedFields });
    }
    const now = tx.now;
    if (fresh.length > 0) await this.dispatch.insert(tx, heads, fresh, now);
    const ids = fresh.map((delivery) => delivery.eventId);
    if (gap > 0 && ids.length > 0) await this.deliveries.space(tx, webhook.id, ids, now, gap);
    return { count: fresh.length, next: found.length > BATCH ? (events.at(-1)?.id ?? null) : null };
  }
}

const responseFor = (ids: readonly number[], found: number): RedeliveriesDto => ({
  count: ids.length,
  next: found > BATCH ? (ids.at(-1) ?? null) : null,
});
