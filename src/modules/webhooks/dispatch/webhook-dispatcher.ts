import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import type { StoredEvent } from '../../../core/events/event-map.js';
import { type ListenerContext, NOT_URGENT, OnEventBatch } from '../../../core/events/on-event.js';
import { longSnapshots } from '../../../core/events/stored-event.js';
import { Representations, showsExtras, type Snapshot } from '../../../core/versioning/representations.js';
import { DispatchRepository, type NewDelivery } from './dispatch.repository.js';
import { Notifier } from '../../../core/worker/notifier.js';
import { resourceOf } from '../../../core/events/event-declaration.js';
import { batchKey, type Draft, Drafts, type OpenBatch } from './batches.js';
import { subscribersOf, type Subscriber, passesFilter } from './matching.js';
import { type EventPayload, eventPayload, headInForm } from '../../../core/events/payload.js';

/** An event and the webhooks that receive it. */
interface MatchedEvent {
  readonly event: StoredEvent;
  readonly subscribers: readonly Subscriber[];
}

/** Number of events between two yields, so that a long batch does not block requests. */
const SLICE = 250;

/** The listener that creates deliveries. */
export const WEBHOOKS_LISTENER = 'webhooks';

/** Creates the deliveries of committed events in a transaction with their position, so that an event is done when its deliveries exist. */
@Injectable()
export class WebhookDispatcher {
  constructor(
    private readonly repository: DispatchRepository,
    private readonly representations: Representations,
    private readonly notifier: Notifier,
  ) {}

  /** The number of statements does not depend on the number of events. */
  @OnEventBatch({ listener: WEBHOOKS_LISTENER })
  async dispatch(
    events: readonly StoredEvent[],
    tx: Tx,
    { isLate }: ListenerContext = { isLate: false },
  ): Promise<typeof NOT_URGENT | undefined> {
    const organizationIds = distinct(events.map((event) => event.organizationId));
    const projectIds = distinct(events.map((event) => event.projectId));
    const names = distinct(events.map((event) => event.name));
    const found = await this.repository.subscriptions(tx, organizationIds, projectIds, names);
    // A batch has the newest state, so an event that comes after later ones must not become part of it.
    const subscriptions = isLate ? found.map((webhook) => ({ ...webhook, batch_window: null })) : found;
    if (subscriptions.length === 0) return (await this.repository.isAnyEnabled(tx)) ? undefined : NOT_URGENT;
    const drafts = new Drafts(await this.openBatches(tx, subscriptions, events));
    const matched = events.map((event) => ({ event, subscribers: subscribersOf(event, subscriptions) }));
    const long = await this.longSnapshots(tx, matched);
    for (const [index, { event, subscribers }] of matched.entries()) {
      if (index % SLICE === SLICE - 1) await yieldToEventLoop();
      const after = long.get(event.id);
      this.draft(drafts, after === undefined ? event : { ...event, after }, subscribers);
    }
    await this.write(tx, drafts);
    return undefined;
  }

  /** Reads the long parts of events for webhooks whose API version includes them. */
  private async longSnapshots(tx: Tx, matched: readonly MatchedEvent[]): Promise<ReadonlyMap<number, Snapshot>> {
    const events = matched
      .filter(({ subscribers }) => subscribers.some(({ api_version: version }) => showsExtras(version)))
      .map(({ event }) => event)
      .filter(({ name }) => this.representations.longExtras(resourceOf(name)) !== undefined);
    return events.length === 0 ? new Map() : longSnapshots(tx, events);
  }

  /**
   * Adds a draft for each subscriber. The payload is composed once per version and form, and kept as text: objects of a
   * whole batch would move to the garbage collector's old generation.
   */
  private draft(drafts: Drafts, event: StoredEvent, subscribers: readonly Subscriber[]): void {
    const whole = new Map<string, EventPayload>();
    const heads = new Map<string, string>();
    for (const webhook of subscribers) {
      const { api_version: version, payload: form } = webhook;
      const payload = whole.get(version) ?? eventPayload(event, version, this.representations);
      whole.set(version, payload);
      if (!passesFilter(webhook, payload)) continue;
      const head = heads.get(`${version} ${form}`) ?? headInForm(payload, form);
      heads.set(`${version} ${form}`, head);
      drafts.add(webhook, event, head, payload.changedFields);
    }
  }

  private async openBatches(
    tx: Tx,
    subscriptions: readonly Subscriber[],
    events: readonly StoredEvent[],
  ): Promise<OpenBatch[]> {
    const batching = subscriptions.filter((webhook) => webhook.batch_window !== null);
    if (batching.length === 0) return [];
    const ids = batching.map((webhook) => webhook.id);
    const ordered = batching.filter((webhook) => webhook.ordered).map((webhook) => webhook.id);
    return this.repository.openBatches(tx, ids, distinct(events.map(batchKey)), ordered, tx.now);
  }

  private async write(tx: Tx, { fresh, changed }: Drafts): Promise<void> {
    const now = tx.now;
    if (fresh.length > 0) await this.repository.insert(tx, ...withHeads(fresh), now);
    if (changed.size > 0) await this.repository.writeBatches(tx, [...changed], now);
    if (fresh.length + changed.size > 0) tx.afterCommit(() => this.notifier.notify('deliveries'));
  }
}

/** The distinct heads. Only heads of the same event are compared, since comparing long texts is expensive. */
function withHeads(drafts: readonly Draft[]): [heads: string[], deliveries: NewDelivery[]] {
  const heads: string[] = [];
  let first = { eventId: 0, head: 0 };
  const deliveries = drafts.map((draft) => {
    if (draft.eventId !== first.eventId) first = { eventId: draft.eventId, head: heads.length };
    const known = heads.indexOf(draft.head, first.head);
    return { ...draft, head: known < 0 ? heads.push(draft.head) - 1 : known };
  });
  return [heads, deliveries];
}

const distinct = <T>(values: readonly (T | null)[]): T[] => [...new Set(values.filter((value) => value !== null))];
