import { Inject, Injectable } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import { Clock } from '../../core/clock.js';
import type { Tx } from '../../core/database/tx.js';
import type { StoredEvent } from '../../core/outbox/event-map.js';
import { EVENTS_COMMITTED } from '../../core/outbox/outbox.relay.js';
import { Representations } from '../../core/versioning/representations.js';
import { DeliveryRepository, type NewDelivery } from './delivery.repository.js';
import { DeliveryWorker } from './delivery.worker.js';
import { listenersOf } from './webhook-matching.js';
import { type EventPayload, eventPayload } from './webhook-payload.js';

/** Turns committed events into deliveries, in the relay's transaction: an event is done when its deliveries are there. */
@Injectable()
export class WebhookDispatcher {
  constructor(
    @Inject(DeliveryRepository) private readonly deliveries: DeliveryRepository,
    @Inject(Representations) private readonly representations: Representations,
    @Inject(DeliveryWorker) private readonly worker: DeliveryWorker,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** The number of statements does not depend on the number of events. */
  @OnEvent(EVENTS_COMMITTED, { suppressErrors: false })
  async dispatch(events: readonly StoredEvent[], tx: Tx): Promise<void> {
    const organizationIds = distinct(events.map((event) => event.organizationId));
    const projectIds = distinct(events.map((event) => event.projectId));
    const names = distinct(events.map((event) => event.name));
    const subscriptions = await this.deliveries.subscriptions(tx, organizationIds, projectIds, names);
    if (subscriptions.length === 0) return;
    const heads: string[] = [];
    const fresh: NewDelivery[] = [];
    for (const event of events) {
      const payloads = new Map<string, { readonly head: number; readonly payload: EventPayload }>();
      for (const { id, api_version: version } of listenersOf(event, subscriptions)) {
        const known = payloads.get(version);
        const payload = known?.payload ?? eventPayload(event, version, this.representations);
        const head = known?.head ?? heads.push(payload.head) - 1;
        payloads.set(version, { head, payload });
        const changedFields = payload.changedFields.join(',');
        fresh.push({ webhookId: id, eventId: event.id, event: event.name, head, changedFields });
      }
    }
    if (fresh.length === 0) return;
    await this.deliveries.insert(tx, heads, fresh, this.clock.now());
    tx.afterCommit(() => this.worker.wake());
  }
}

const distinct = <T>(values: readonly (T | null)[]): T[] => [...new Set(values.filter((value) => value !== null))];
