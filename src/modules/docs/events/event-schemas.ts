import type { Type } from '@nestjs/common';
import { type CatalogueEvent, EVENTS, type PayloadObject } from '../../../core/events/event-declaration.js';
import type { Operation } from '../../../core/events/event-map.js';
import { API_VERSIONS, type ApiVersion } from '../../../core/versioning/accept.js';
import { listsChanges } from '../../../core/versioning/representations.js';
import type { Schema } from '../openapi/operation.js';
import type { OpenAPIObject } from '@nestjs/swagger';

type Schemas = Record<string, Schema>;

let ping: (PayloadObject & { readonly event: string }) | undefined;

/** Documents an event about a webhook itself, which is not in the catalogue. */
export function documentPing(payload: PayloadObject & { readonly event: string }): void {
  ping = payload;
}

/** A payload in documents: its name, and the name of its schema in each API version. */
export interface EventPayloadSchema {
  readonly event: string;
  /** Null for a ping, which is not in the catalogue. */
  readonly entry: CatalogueEvent | null;
  readonly schemas: Readonly<Record<ApiVersion, string>>;
}

const DONE: Readonly<Record<Operation, string>> = {
  create: 'Created',
  update: 'Updated',
  delete: 'Deleted',
  completed: 'Completed',
};
/** How the settings of a webhook affect payloads. */
const SHAPED =
  'Not sent if the filter of the webhook is false for it. Webhooks with thin payloads get ThinEvent instead.';
const SENDER = 'EventSender';
/** The schema of thin payloads. */
export const THIN_EVENT = 'ThinEvent';

/** Classes whose schemas the payloads refer to. */
export const payloadClasses = (): Type<object>[] => [
  ...new Set(EVENTS.flatMap((event) => [event.object, ...Object.values(event.older)])),
];

/** All payloads, in the order of the catalogue. The ping is last. */
export function payloadSchemas(): EventPayloadSchema[] {
  const ofEvents = EVENTS.map((entry) => ({
    event: entry.name,
    entry,
    schemas: named(`${capital(entry.resource)}${DONE[entry.operation]}Event`, entry, entry.operation === 'update'),
  }));
  return ping === undefined
    ? ofEvents
    : [...ofEvents, { event: ping.event, entry: null, schemas: named('PingEvent', ping) }];
}

/**
 * Adds the schemas of all payloads in all API versions to those of an OpenAPI 3.0 document, which has the schemas of the
 * objects in them.
 */
export function addPayloadSchemas(schemas: Schemas): void {
  schemas['BackgroundSender'] = BACKGROUND_SENDER;
  schemas[SENDER] = SENDER_SCHEMA;
  schemas[THIN_EVENT] = thinSchema();
  for (const { entry, schemas: names } of payloadSchemas()) {
    for (const version of API_VERSIONS) {
      const name = names[version];
      if (entry !== null) schemas[name] ??= payloadSchema(entry, version, schemas);
      else if (ping !== undefined) schemas[name] = pingSchema(ping, version);
    }
  }
}

/** `TaskCreatedEvent`, or `TaskCreatedEvent20` for an older version in which the object or its changes have another form. */
const named = (name: string, { older = {} }: PayloadObject, isUpdate = false): Readonly<Record<ApiVersion, string>> =>
  Object.fromEntries(
    API_VERSIONS.map((version) => [
      version,
      older[version] === undefined && (!isUpdate || listsChanges(version)) ? name : `${name}${digits(version)}`,
    ]),
  ) as Record<ApiVersion, string>;

const digits = (version: ApiVersion): string => version.replace('.', '');

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const nameOfClass = (type: Type<object>): string => type.name.replace(/Dto$/, '');
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const objectName = ({ object, older = {} }: PayloadObject, version: ApiVersion): string =>
  nameOfClass(older[version] ?? object);

/** The object of a payload in an API version. */
export const objectSchema = (of: PayloadObject, version: ApiVersion): Schema => reference(objectName(of, version));

function payloadSchema(event: CatalogueEvent, version: ApiVersion, schemas: Schemas): Schema {
  const object = objectName(event, version);
  const kinds = EVENTS.filter(
    ({ resource, operation }) => resource === event.resource && operation === event.operation,
  );
  const required = ['event', event.resource, 'sender', 'webhook_id'];
  const updates = event.operation === 'update' ? changesOf(event, version, schemas) : {};
  return {
    type: 'object',
    description: `${event.when}. ${SHAPED}`,
    properties: {
      event: { type: 'string', enum: kinds.map(({ name }) => name) },
      [event.resource]: reference(object),
      sender: reference(SENDER),
      ...updates,
      webhook_id: { type: 'integer' },
    },
    required,
  };
}

/** What an update changed. Labels are never compared. */
function changesOf(event: CatalogueEvent, version: ApiVersion, schemas: Schemas): Record<string, Schema> {
  const object = objectName(event, version);
  const properties = (schemas[object]?.['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const isListed = listsChanges(version);
  const names = isListed ? event.columns : null;
  const compared = Object.entries(properties).flatMap(([key, schema]): [string, Schema][] => {
    const name = names === null ? key : names[key];
    if (key === 'labels' || name === undefined) return [];
    return [[name, name === key ? nullable(schema) : { type: 'integer', nullable: true }]];
  });
  const before = isListed ? `${object}Before` : `${nameOfClass(event.object)}Before${digits(version)}`;
  schemas[before] ??= {
    type: 'object',
    description: 'Old values of what changed. Absent if nothing changed. In a batch: the values before its first save.',
    properties: Object.fromEntries(compared),
  };
  if (!isListed) return { before_update: reference(before) };
  schemas[`${object}Changes`] ??= {
    type: 'object',
    description: 'Old and new values of what changed. Absent if nothing changed.',
    properties: Object.fromEntries(
      compared.map(([name, schema]) => [name, { type: 'object', properties: { from: schema, to: schema } }]),
    ),
  };
  return { before_update: reference(before), changes: reference(`${object}Changes`) };
}

/** A key that was absent before is null. */
const nullable = (schema: Schema): Schema =>
  schema.$ref === undefined
    ? { ...schema, nullable: true }
    : { type: 'object', nullable: true, allOf: [{ $ref: schema.$ref }] };

function pingSchema({ event, ...payload }: PayloadObject & { readonly event: string }, version: ApiVersion): Schema {
  return {
    type: 'object',
    description: 'Sent on demand to test a webhook.',
    properties: {
      event: { type: 'string', enum: [event] },
      webhook: objectSchema(payload, version),
      sender: reference(SENDER),
    },
    required: ['event', 'webhook', 'sender'],
  };
}

/** Any event, with only the identity of its object. */
function thinSchema(): Schema {
  const identity = {
    type: 'object',
    properties: {
      id: { oneOf: [{ type: 'integer' }, { type: 'string' }] },
      key: { type: 'string' },
      url: { type: 'string', format: 'uri' },
    },
  };
  const resources = [...new Set(EVENTS.map(({ resource }) => resource))];
  return {
    type: 'object',
    description:
      'Any event for a webhook whose `payload` is thin: the object has only its id or key and its URL. In a batch, ' +
      '`changed_fields` lists all keys that changed in it.',
    properties: {
      event: { type: 'string', enum: EVENTS.map(({ name }) => name) },
      ...Object.fromEntries(resources.map((resource) => [resource, identity])),
      sender: reference(SENDER),
      changed_fields: { type: 'array', items: { type: 'string' }, description: 'Keys that changed, for updates' },
      webhook_id: { type: 'integer' },
    },
    required: ['event', 'sender', 'webhook_id'],
  };
}

const BACKGROUND_SENDER: Schema = {
  type: 'object',
  description: 'The user who caused an event of background work',
  properties: { id: { type: 'integer' }, username: { type: 'string' }, email: { type: 'string' } },
  required: ['id', 'username', 'email'],
};

const SENDER_SCHEMA: Schema = {
  type: 'object',
  nullable: true,
  description: 'The user who caused the event. Null if unknown.',
  anyOf: [reference('BasicUser'), reference('BackgroundSender')],
};

/** The schemas of a payload in all API versions. */
const content = ({ schemas }: EventPayloadSchema): object => {
  const references = [...new Set(Object.values(schemas))].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return { 'application/json': { schema: references.length === 1 ? references[0] : { oneOf: references } } };
};

/** The types of webhooks that receive an event. */
export const subscriberTypes = ({ owners }: CatalogueEvent): readonly string[] => [...owners, 'server'];

const subscribersOf = ({ entry }: EventPayloadSchema): string =>
  entry === null ? 'Sent on demand by any webhook.' : `For webhooks of type ${subscriberTypes(entry).join(', ')}.`;

/**
 * Adds the payloads of webhooks and their schemas: under `x-webhooks`, because OpenAPI has had `webhooks` since version 3.1.
 * `x-versions` names the schema of each API version.
 */
export function addWebhooks(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  addPayloadSchemas(schemas);
  const webhooks = payloadSchemas().map((payload) => [
    payload.event,
    {
      post: {
        summary: payload.entry?.when ?? 'Sent on demand to test a webhook',
        description: subscribersOf(payload),
        requestBody: { required: true, content: content(payload) },
        responses: {
          '2XX': { description: 'Delivered. After any other response the delivery is retried or abandoned.' },
        },
        'x-versions': Object.fromEntries(
          API_VERSIONS.map((version) => [version, `#/components/schemas/${payload.schemas[version]}`]),
        ),
      },
    },
  ]);
  Object.assign(document, { 'x-webhooks': Object.fromEntries(webhooks) });
}
