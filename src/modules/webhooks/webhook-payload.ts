import { isDeepStrictEqual } from 'node:util';
import type { Snapshot, StoredEvent } from '../../core/outbox/event-map.js';
import type { ApiVersion } from '../../core/versioning/accept.js';
import type { Representations, WireObject } from '../../core/versioning/representations.js';
import { resourceOf } from './event-catalogue.js';

type Renderer = Pick<Representations, 'render'>;

/** The payload of an event in one API version, still without the webhook's id, which is its last key. */
export interface EventPayload {
  /** JSON without its closing brace. */
  readonly head: string;
  readonly changedFields: readonly string[];
}

/** Keys in the order of the contract: event, the object, sender, before_update (only when something differs). */
export function eventPayload(event: StoredEvent, version: ApiVersion, renderer: Renderer): EventPayload {
  const resource = resourceOf(event.name);
  const object = renderer.render(resource, version, event.after);
  const before = event.before === undefined ? {} : changedValues(event, event.before, version, renderer);
  const changedFields = Object.keys(before);
  const payload = {
    event: event.name,
    [resource]: object,
    sender: event.sender,
    ...(changedFields.length === 0 ? {} : { before_update: before }),
  };
  return { head: JSON.stringify(payload).slice(0, -1), changedFields };
}

/** What follows the head of the payload for one webhook. */
export const PAYLOAD_TAIL = { before: ',"webhook_id":', after: '}' };

/**
 * Old values of the keys of the new object whose values differ. Labels are never compared. Keys that only an older
 * version shows are compared when the event has kept what they were.
 */
function changedValues(event: StoredEvent, before: Snapshot, version: ApiVersion, renderer: Renderer): WireObject {
  const resource = resourceOf(event.name);
  const now = renderer.render(resource, version, event.after);
  const then = renderer.render(resource, version, before);
  const comparable = (key: string): boolean =>
    key !== 'labels' && (before.extras !== undefined || Object.hasOwn(event.after.object, key));
  const changed = Object.keys(now).filter((key) => comparable(key) && !isDeepStrictEqual(now[key], then[key]));
  return Object.fromEntries(changed.map((key) => [key, then[key] ?? null]));
}
