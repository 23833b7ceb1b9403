import { isDeepStrictEqual } from 'node:util';
import type { StoredEvent } from './event-map.js';
import type { ApiVersion } from '../versioning/accept.js';
import { listsChanges, type Representations, type WireObject } from '../versioning/representations.js';
import { type JsonChanges, jsonChanges } from '../../engines/json/json-changes.js';
import { columnsOf, resourceOf } from './event-declaration.js';

type Renderer = Pick<Representations, 'olderRepresentation' | 'render'>;

/** Whole objects, or only their id and URL. */
export const PAYLOAD_FORMS = ['full', 'thin'] as const;
export type PayloadForm = (typeof PAYLOAD_FORMS)[number];

/** The payload of an event in one API version, without its last key `webhook_id`. */
export interface EventPayload {
  /** Keys in the order of the contract: event, the object, sender; only if something changed: before_update, changes. */
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
  const changed =
    event.before === undefined ? [] : changedValues(event, object, renderer.render(resource, version, event.before));
  const changes = namedChanges(resource, version, changed);
  const payload = {
    event: event.name,
    [resource]: object,
    sender: event.sender,
    ...changesInPayload(version, changes),
  };
  return { payload, changedFields: changes.map(({ key }) => key) };
}

/** A property that an update changed, with its values before and after. */
interface Change {
  readonly key: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** Changes under the names that the version has for them. Those without a column are left out where columns are named. */
function namedChanges(resource: string, version: ApiVersion, changes: readonly Change[]): readonly Change[] {
  const names = listsChanges(version) ? columnsOf(resource) : null;
  if (names === null) return changes;
  return changes.flatMap(({ key, from, to }) => {
    const column = Object.hasOwn(names, key) ? names[key] : undefined;
    if (column === undefined) return [];
    return column === key ? [{ key, from, to }] : [{ key: column, from: idOf(from), to: idOf(to) }];
  });
}

/** What a column holds that refers to an object: its id. */
const idOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as { readonly id?: number }).id : value;

/** What an update changed, as its payload shows it. */
export function changesInPayload(version: ApiVersion, changes: readonly Change[]): WireObject {
  if (changes.length === 0) return {};
  const before = Object.fromEntries(changes.map(({ key, from }) => [key, from]));
  if (!listsChanges(version)) return { before_update: before };
  return {
    before_update: before,
    changes: Object.fromEntries(changes.map(({ key, from, to }) => [key, { from, to }])),
  };
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
  const changed = read.changes
    .map(({ key, after: now, before: then }): Change => ({ key, from: JSON.parse(then), to: JSON.parse(now) }))
    .filter(({ key, from, to }) => key !== 'labels' && !isDeepStrictEqual(from, to));
  const changes = namedChanges(resource, version, changed);
  const listed = JSON.stringify(changesInPayload(version, changes)).slice(1, -1);
  const head = `{"event":"${event.name}","${resource}":${object},"sender":${JSON.stringify(event.sender)}`;
  let payload: WireObject | undefined;
  return {
    changedFields: changes.map(({ key }) => key),
    head: changes.length === 0 ? head : `${head},${listed}`,
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
 * The keys of the new object whose values changed. Labels are never compared. Keys that only an older version shows are
 * compared if the event stores their previous values.
 */
function changedValues({ before, after }: StoredEvent, now: WireObject, then: WireObject): Change[] {
  return Object.keys(now).flatMap((key) => {
    const isComparable = key !== 'labels' && (before?.extras !== undefined || Object.hasOwn(after.object, key));
    return isComparable && !isDeepStrictEqual(now[key], then[key])
      ? [{ key, from: then[key] ?? null, to: now[key] }]
      : [];
  });
}
