import { isDeepStrictEqual } from 'node:util';
import type { StoredEvent } from './event-map.js';
import type { ApiVersion } from '../versioning/accept.js';
import type { Representations, WireObject } from '../versioning/representations.js';
import { type JsonChanges, jsonChanges } from '../../engines/json/json-changes.js';
import { resourceOf } from './event-declaration.js';

type Renderer = Pick<Representations, 'olderRepresentation' | 'render'>;

/** Whole objects, or only their id and URL. */
export const PAYLOAD_FORMS = ['full', 'thin'] as const;
export type PayloadForm = (typeof PAYLOAD_FORMS)[number];

/** The payload of an event in one API version, without its last key `webhook_id`. */
export interface EventPayload {
  /** Keys in the order of the contract: event, the object, sender, before_update (only if something changed). */
  readonly payload: WireObject;
  readonly changedFields: readonly string[];
  /** The head of the full form if it was composed from the event's text; `payload` is then computed on demand. */
  readonly head?: string;
}

export function eventPayload(event: StoredEvent, version: ApiVersion, renderer: Renderer): EventPayload {
  return payloadFromText(event, version, renderer) ?? payloadFromObject(event, version, renderer);
}

function payloadFromObject(event: StoredEvent, version: ApiVersion, renderer: Renderer): EventPayload {
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

/** Start of a snapshot's JSON. */
const SNAPSHOT = '{"object":';

/** Separates the object from the extras. */
const EXTRAS = ',"extras":';

/**
 * Composes the payload from the text of the event, which is faster than parsing and serializing it: only changed
 * members are parsed. A version may embed one more member.
 *
 * @returns null for versions with more differences, and for texts that have to be parsed completely
 */
function payloadFromText(event: StoredEvent, version: ApiVersion, renderer: Renderer): EventPayload | null {
  const resource = resourceOf(event.name);
  const older = renderer.olderRepresentation(resource, version);
  const { after, before } = event.json ?? {};
  if (typeof older === 'function' || after?.startsWith(SNAPSHOT) !== true || before === undefined) return null;
  const read = jsonChanges(after, before ?? after, SNAPSHOT.length, older?.embedded);
  const object = read === null ? null : objectText(after, read, older?.embedded);
  if (read === null || object === null) return null;
  const changes = read.changes.filter(
    ({ key, after: now, before: then }) => key !== 'labels' && !isDeepStrictEqual(JSON.parse(now), JSON.parse(then)),
  );
  const old = changes.map(({ key, before: then }) => `"${key}":${then}`).join(',');
  const head = `{"event":"${event.name}","${resource}":${object},"sender":${JSON.stringify(event.sender)}`;
  let payload: WireObject | undefined;
  return {
    changedFields: changes.map(({ key }) => key),
    head: changes.length === 0 ? head : `${head},"before_update":{${old}}`,
    get payload() {
      return (payload ??= payloadFromObject(event, version, renderer).payload);
    },
  };
}

/** Extracts the object's text from a snapshot, with one member from the extras embedded if named. */
function objectText(text: string, { end, found }: JsonChanges, embedded: string | undefined): string | null {
  if (embedded === undefined) return text.slice(SNAPSHOT.length, end);
  if (found === null) return null;
  let value: string | undefined;
  if (text.startsWith(EXTRAS, end)) {
    const extras = jsonChanges(text, text, end + EXTRAS.length, embedded);
    if (extras === null) return null;
    value = extras.found === null ? undefined : text.slice(extras.found.start, extras.found.end);
  }
  return `${text.slice(SNAPSHOT.length, found.start)}${value ?? '[]'}${text.slice(found.end, end)}`;
}

/** The keys of an object in a thin payload. The receiver can request the rest with them. */
const IDENTITY: readonly string[] = ['id', 'key', 'url'];

/** The payload in the webhook's form. Thin payloads name the changed fields instead of giving their previous values. */
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

/** The head of the payload in the webhook's form. */
export const headInForm = (payload: EventPayload, form: PayloadForm): string =>
  (form === 'full' ? payload.head : undefined) ?? headOf(inForm(payload, form));

/**
 * Previous values of the keys of the new object whose values changed. Labels are never compared. Keys that only an
 * older version shows are compared if the event stores their previous values.
 */
function changedValues({ before, after }: StoredEvent, now: WireObject, then: WireObject): WireObject {
  const changed: Record<string, unknown> = {};
  for (const key of Object.keys(now)) {
    const isComparable = key !== 'labels' && (before?.extras !== undefined || Object.hasOwn(after.object, key));
    if (isComparable && !isDeepStrictEqual(now[key], then[key])) changed[key] = then[key] ?? null;
  }
  return changed;
}
