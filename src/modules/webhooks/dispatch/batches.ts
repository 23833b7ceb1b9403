import type { StoredEvent } from '../../../core/events/event-map.js';
import type { WireObject } from '../../../core/versioning/representations.js';
import { resourceOf } from '../../../core/events/event-declaration.js';
import { headOf } from '../../../core/events/payload.js';
import { headIn } from './payload-text.js';

/** A batch in the database whose window has not ended. */
export interface OpenBatch {
  /** Id of the delivery. */
  readonly id: number;
  readonly webhook_id: number;
  readonly batch_key: string;
  readonly payload: string;
  readonly changed_fields: string;
  readonly merged_events: readonly number[];
}

/** A delivery to write: a new one, or a batch that changed. */
export interface Draft {
  /** Id of the delivery in the database; null for a new one. */
  readonly id: number | null;
  readonly webhookId: number;
  /** For a batch, its first event. */
  readonly eventId: number;
  readonly event: string;
  /** The payload without its last key. Webhooks with the same version and form share it. */
  head: string;
  changedFields: string;
  /** Null: sent immediately, without merging. */
  readonly batchKey: string | null;
  /** Delay of a new delivery in seconds. */
  wait: number;
  /** Whether a pending batch is sent now. */
  released: boolean;
  /** Further events that the payload covers. */
  readonly merged: number[];
}

/** The batch settings of a webhook. */
export interface Batching {
  readonly id: number;
  readonly ordered: boolean;
  /** Seconds; null: no batching. */
  readonly batch_window: number | null;
}

/** Whether an event only changes `updated_date`. `update:annotations` has no previous state and is not a save. */
export const isSave = (event: StoredEvent, changedFields: readonly string[]): boolean =>
  event.name.startsWith('update:') &&
  event.before !== undefined &&
  changedFields.every((field) => field === 'updated_date');

/** The key that all saves of one object share. */
export const batchKey = (event: Pick<StoredEvent, 'name' | 'objectId'>): string =>
  `update:${resourceOf(event.name)} ${event.objectId}`;

/**
 * Deliveries for a batch of events, in order. Saves of one object within a webhook's window become one delivery. Any
 * other event of the object (of an ordered webhook: any other event) releases pending batches before itself.
 */
export class Drafts {
  readonly fresh: Draft[] = [];
  /** Drafts of deliveries that exist in the database. */
  readonly changed = new Set<Draft>();
  private readonly open = new Map<string, Draft>();

  /** @param open batches of the affected webhooks and objects, locked */
  constructor(open: readonly OpenBatch[]) {
    for (const batch of open) {
      this.open.set(`${batch.webhook_id} ${batch.batch_key}`, {
        id: batch.id,
        webhookId: batch.webhook_id,
        eventId: 0,
        event: '',
        head: headIn(batch.webhook_id, batch.payload),
        changedFields: batch.changed_fields,
        batchKey: batch.batch_key,
        wait: 0,
        released: false,
        merged: [...batch.merged_events],
      });
    }
  }

  add(webhook: Batching, event: StoredEvent, head: string, changedFields: readonly string[]): void {
    const draft = {
      id: null, webhookId: webhook.id, eventId: event.id, event: event.name, head,
      changedFields: changedFields.join(','), batchKey: null, wait: 0, released: false, merged: [],
    }; // prettier-ignore
    if (webhook.batch_window === null) this.fresh.push(draft);
    else if (isSave(event, changedFields)) this.merge(draft, batchKey(event), webhook.batch_window);
    else {
      this.release(webhook, batchKey(event));
      this.fresh.push(draft);
    }
  }

  private merge(draft: Draft, key: string, wait: number): void {
    const name = `${draft.webhookId} ${key}`;
    const open = this.open.get(name);
    if (open === undefined) {
      const first = { ...draft, batchKey: key, wait };
      this.open.set(name, first);
      this.fresh.push(first);
      return;
    }
    open.head = headOf(mergedPayload(payloadOf(open), payloadOf(draft)));
    open.changedFields = union(open.changedFields.split(','), draft.changedFields.split(',')).join(',');
    open.merged.push(draft.eventId);
    if (open.id !== null) this.changed.add(open);
  }

  /** Sends pending batches now. */
  private release({ id, ordered }: Batching, key: string): void {
    for (const [name, draft] of this.open) {
      if (draft.webhookId !== id || (!ordered && draft.batchKey !== key)) continue;
      this.open.delete(name);
      draft.wait = 0;
      draft.released = true;
      if (draft.id !== null) this.changed.add(draft);
    }
  }
}

const payloadOf = ({ head }: Draft): WireObject => JSON.parse(`${head}}`) as WireObject;

/** The newest state with the oldest previous values. */
export function mergedPayload(older: WireObject, newer: WireObject): WireObject {
  const before = { ...(newer['before_update'] as object), ...(older['before_update'] as object) };
  const changes = mergedChanges(older['changes'] as Changes, newer['changes'] as Changes);
  const fields = union(
    older['changed_fields'] as string[] | undefined,
    newer['changed_fields'] as string[] | undefined,
  );
  return {
    ...newer,
    ...(Object.keys(before).length === 0 ? {} : { before_update: before }),
    ...(changes === undefined ? {} : { changes }),
    ...(fields.length === 0 ? {} : { changed_fields: fields }),
  };
}

type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>> | undefined;

/** From the oldest value to the newest. */
function mergedChanges(older: Changes, newer: Changes): Changes {
  if (older === undefined || newer === undefined) return older ?? newer;
  const merged = Object.entries({ ...older, ...newer }).map(([key, change]) => [
    key,
    { ...change, from: (older[key] ?? change).from },
  ]);
  return Object.fromEntries(merged) as Changes;
}

const union = (one: readonly string[] = [], other: readonly string[] = []): string[] =>
  [...new Set([...one, ...other])].filter((field) => field !== '');
