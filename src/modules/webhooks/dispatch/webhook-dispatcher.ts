import { setImmediate as breath } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../core/database/tx.js';
import type { Snapshot, StoredEvent } from '../../../core/events/event-map.js';
import { OnEventBatch } from '../../../core/events/on-event.js';
import { longSnapshots } from '../../../core/events/stored-event.js';
import { Representations, showsExtras } from '../../../core/versioning/representations.js';
import { DispatchRepository, type NewDelivery } from './dispatch.repository.js';
import { DeliveryWorker } from '../delivery/delivery.worker.js';
import { resourceOf } from '../event-catalogue.js';
import { batchKey, type Draft, Drafts, type OpenBatch } from './batches.js';
import { listenersOf, type Subscriber, wants } from './matching.js';
import { type EventPayload, eventPayload, headInForm } from './payload.js';

/** An event and who hears of it. */
interface Heard {
  readonly event: StoredEvent;
  readonly listeners: readonly Subscriber[];
}

/** Events of which payloads are made in one go: a long batch holds up no requests. */
const SLICE = 250;

/** Turns committed events into deliveries, in the relay's transaction: an event is done when its deliveries are there. */
@Injectable()
export class WebhookDispatcher {
  constructor(
    private readonly repository: DispatchRepository,
    private readonly representations: Representations,
    private readonly worker: DeliveryWorker,
  ) {}

  /** The number of statements does not depend on the number of events. */
  @OnEventBatch()
  async dispatch(events: readonly StoredEvent[], tx: Tx): Promise<void> {
    const organizationIds = distinct(events.map((event) => event.organizationId));
    const projectIds = distinct(events.map((event) => event.projectId));
    const names = distinct(events.map((event) => event.name));
    const subscriptions = await this.repository.subscriptions(tx, organizationIds, projectIds, names);
    if (subscriptions.length === 0) return;
    const drafts = new Drafts(await this.openBatches(tx, subscriptions, events));
    const heard = events.map((event) => ({ event, listeners: listenersOf(event, subscriptions) }));
    const long = await this.longSnapshots(tx, heard);
    for (const [place, { event, listeners }] of heard.entries()) {
      if (place % SLICE === SLICE - 1) await breath();
      const after = long.get(event.id);
      this.draft(drafts, after === undefined ? event : { ...event, after }, listeners);
    }
    await this.write(tx, drafts);
  }

  /** What is very long is read when somebody hears of it in a version that shows it. */
  private async longSnapshots(tx: Tx, heard: readonly Heard[]): Promise<ReadonlyMap<number, Snapshot>> {
    const events = heard
      .filter(({ listeners }) => listeners.some(({ api_version: version }) => showsExtras(version)))
      .map(({ event }) => event)
      .filter(({ name }) => this.representations.longExtras(resourceOf(name)) !== undefined);
    return events.length === 0 ? new Map() : longSnapshots(tx, events);
  }

  /**
   * What each of its listeners is told of an event; made once for each version and form, and kept as text: the objects of a
   * whole batch would outlive the collections of young garbage.
   */
  private draft(drafts: Drafts, event: StoredEvent, listeners: readonly Subscriber[]): void {
    const whole = new Map<string, EventPayload>();
    const heads = new Map<string, string>();
    for (const webhook of listeners) {
      const { api_version: version, payload: form } = webhook;
      const payload = whole.get(version) ?? eventPayload(event, version, this.representations);
      whole.set(version, payload);
      if (!wants(webhook, payload)) continue;
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
    if (fresh.length + changed.size > 0) tx.afterCommit(() => this.worker.wake());
  }
}

/**
 * Each head once for all that are told the same of an event. Only those of one event are compared: to look for a long text
 * among all costs as much as to read it.
 */
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
