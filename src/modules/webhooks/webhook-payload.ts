import { isDeepStrictEqual } from 'node:util';
import type { StoredEvent } from '../../core/outbox/event-map.js';
import type { ApiVersion } from '../../core/versioning/accept.js';
import type { Representations, WireObject } from '../../core/versioning/representations.js';
import { resourceOf } from './event-catalogue.js';

type Renderer = Pick<Representations, 'render'>;

/** Whole objects, or their identity alone. */
export const PAYLOAD_FORMS = ['full', 'thin'] as const;
export type PayloadForm = (typeof PAYLOAD_FORMS)[number];

/** The payload of an event in one API version, still without the webhook's id, which is its last key. */
export interface EventPayload {
  /** Keys in the order of the contract: event, the object, sender, before_update (only when something differs). */
  readonly payload: WireObject;
  readonly changedFields: readonly string[];
}

export function eventPayload(event: StoredEvent, version: ApiVersion, renderer: Renderer): EventPayload {
  const resource = resourceOf(event.name);
  const object = renderer.render(resource, version, event.after);
  const before =
    event.before === undefined ? {} : changedValues(event, object, renderer.render(resource, version, event.before));
  const changedFields = Object.keys(before);
  const payload = {
    event: event.name,
    [resource]: object,
    sender: event.sender,
    ...(changedFields.length === 0 ? {} : { before_update: before }),
  };
  return { payload, changedFields };
}

/** What is left of the object in a thin payload: with it the receiver asks for the rest. */
const IDENTITY: readonly string[] = ['id', 'key', 'url'];

/** The payload as a webhook wants it. Thin ones name the changed fields instead of giving their old values. */
export function inForm({ payload, changedFields }: EventPayload, form: PayloadForm): WireObject {
  if (form === 'full') return payload;
  const resource = resourceOf(String(payload['event']));
  const object = Object.entries(payload[resource] as WireObject).filter(([key]) => IDENTITY.includes(key));
  return {
    event: payload['event'],
    [resource]: Object.fromEntries(object),
    sender: payload['sender'],
    ...(changedFields.length === 0 ? {} : { changed_fields: changedFields }),
  };
}

/** JSON without its closing brace. */
export const headOf = (payload: WireObject): string => JSON.stringify(payload).slice(0, -1);

/** What follows the head of the payload for one webhook. */
export const PAYLOAD_TAIL = { before: ',"webhook_id":', after: '}' };

const tailOf = (webhookId: number): string => `${PAYLOAD_TAIL.before}${webhookId}${PAYLOAD_TAIL.after}`;

/** The whole payload as a webhook gets it. */
export const textFor = (webhookId: number, head: string): string => head + tailOf(webhookId);

/** The head of such a payload. */
export const headIn = (webhookId: number, text: string): string => text.slice(0, -tailOf(webhookId).length);

/**
 * Old values of the keys of the new object whose values differ. Labels are never compared. Keys that only an older
 * version shows are compared when the event has kept what they were.
 */
function changedValues({ before, after }: StoredEvent, now: WireObject, then: WireObject): WireObject {
  const changed: Record<string, unknown> = {};
  for (const key of Object.keys(now)) {
    const isComparable = key !== 'labels' && (before?.extras !== undefined || Object.hasOwn(after.object, key));
    if (isComparable && !isDeepStrictEqual(now[key], then[key])) changed[key] = then[key] ?? null;
  }
  return changed;
}
