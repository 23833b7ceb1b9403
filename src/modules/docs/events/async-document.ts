import type { OpenAPIObject } from '@nestjs/swagger';
import { API_VERSIONS, type ApiVersion, LATEST_VERSION } from '../../../core/versioning/accept.js';
import type { CatalogueEvent } from '../../../core/events/event-declaration.js';
import { changesInPayload } from '../../../core/events/payload.js';
import type { WireObject } from '../../../core/versioning/representations.js';
import type { Schema as AnySchema } from '../openapi/operation.js';
import { type EventPayloadSchema, payloadSchemas, THIN_EVENT, objectSchema, subscriberTypes } from './event-schemas.js';

type Json = Readonly<Record<string, unknown>>;

const PREFIX = '#/components/schemas/';
const DESCRIPTION = `What webhooks send. Each webhook has its own URL and selects the API version of its payloads (\`api_version\`), so
there is one channel for each version. Verify the signature over the raw body first. Respond with 2xx within the timeout,
and ignore a \`webhook-id\` that you have already processed.

A webhook can filter and shape its payloads. With a \`filter\` (a JSON Logic rule over the full payload), events for which
the rule is false are not sent. With \`payload: thin\`, every event is sent as the message \`thin\`: only the id or key and
the URL of the object, and the names of the changed fields in \`changed_fields\` instead of \`before_update\` and \`changes\`. With
\`batch_window\`, saves of one object within that number of seconds (updates of only \`updated_date\`) are sent as one
message: the newest object, and in \`before_update\` the values before the first save. The event stream sends the same
payloads without \`webhook_id\`: full, unfiltered and unbatched.`;

/** Builds the AsyncAPI 3 document of all payloads from the OpenAPI document, which has the schemas. */
export function asyncDocument(document: OpenAPIObject): Json {
  const payloads = payloadSchemas();
  const names = [THIN_EVENT, ...payloads.flatMap((payload) => Object.values(payload.schemas))];
  const schemas = reachable(names, document.components?.schemas ?? {});
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Cairn webhooks',
      version: LATEST_VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: fromVersions((version) => [channelOf(version), channel(version, payloads)]),
    operations: fromVersions((version) => [`send-${channelOf(version)}`, operation(version)]),
    components: {
      schemas: { WebhookHeaders: HEADERS, ...schemas },
      messages: Object.fromEntries([
        ['thin', THIN_MESSAGE],
        ...payloads.flatMap((payload) =>
          API_VERSIONS.map((version) => [messageOf(payload, version), message(document, payload, version)]),
        ),
      ]),
    },
  };
}

/** The JSON Schema of one payload, without external references. */
export function payloadJsonSchema(payload: EventPayloadSchema, version: ApiVersion, document: OpenAPIObject): Json {
  const name = payload.schemas[version];
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `${payload.event}, version ${version}`,
    $ref: `#/$defs/${name}`,
    $defs: reachable([name], document.components?.schemas ?? {}, '#/$defs/'),
  };
}

const fromVersions = (entry: (version: ApiVersion) => [string, Json]): Json =>
  Object.fromEntries([...API_VERSIONS].reverse().map(entry));

const channelOf = (version: ApiVersion): string => `webhooks-${version}`;

/** Names of components cannot have colons and brackets: `completed.request.create.task-2.1`. */
const messageOf = ({ event }: EventPayloadSchema, version: ApiVersion): string =>
  `${event.replace(/[^\w]+/g, '.').replace(/\.$/, '')}-${version}`;

function channel(version: ApiVersion, payloads: readonly EventPayloadSchema[]): Json {
  const messages = payloads.map((payload) => {
    const name = messageOf(payload, version);
    return [name, { $ref: `#/components/messages/${name}` }];
  });
  return {
    address: null,
    title: `Webhooks with payloads of version ${version}`,
    description: 'The URL is the `target_url` of each webhook.',
    messages: { ...Object.fromEntries(messages), thin: { $ref: '#/components/messages/thin' } },
  };
}

const operation = (version: ApiVersion): Json => ({
  action: 'send',
  channel: { $ref: `#/channels/${channelOf(version)}` },
  summary: 'POST the event as JSON',
  bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
});

function message(document: OpenAPIObject, payload: EventPayloadSchema, version: ApiVersion): Json {
  const { event, entry, schemas } = payload;
  const example = entry === null ? undefined : { ...payloadExample(document, entry, version), webhook_id: 1 };
  return {
    name: event,
    title: event,
    summary: entry?.when ?? 'Sent on demand to test a webhook',
    contentType: 'application/json',
    headers: { $ref: `${PREFIX}WebhookHeaders` },
    payload: { $ref: `${PREFIX}${schemas[version]}` },
    ...(example === undefined ? {} : { examples: [{ name: 'example', payload: example }] }),
    tags: (entry === null ? ['organization', 'project', 'server'] : subscriberTypes(entry)).map((name) => ({ name })),
  };
}

const THIN_MESSAGE: Json = {
  name: 'thin',
  title: 'Any event, thin',
  summary: 'Sent instead of the other messages to webhooks with `payload: thin`',
  contentType: 'application/json',
  headers: { $ref: `${PREFIX}WebhookHeaders` },
  payload: { $ref: PREFIX + THIN_EVENT },
};

/** The named schemas and all schemas that they refer to, as JSON Schema, by name. */
function reachable(names: readonly string[], schemas: Json, prefix = PREFIX): Json {
  const found = new Map<string, unknown>();
  const take = (name: string): void => {
    if (found.has(name)) return;
    found.set(name, null);
    const own: string[] = [];
    const schema = toJsonSchema(schemas[name], {
      reference: (reference) => {
        own.push(reference.slice(PREFIX.length));
        return prefix + reference.slice(PREFIX.length);
      },
    });
    found.set(name, schema);
    for (const other of own) take(other);
  };
  for (const name of names) take(name);
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const HEADERS: Json = {
  type: 'object',
  properties: {
    'webhook-id': { type: 'string', format: 'uuid', description: 'The same for all attempts of a delivery' },
    'webhook-timestamp': { type: 'string', pattern: '^\\d+$', description: 'Unix time of this attempt, in seconds' },
    'webhook-signature': { type: 'string', description: '`v1,<base64>`, two during a rotation; only with a secret' },
    'X-Signature-256': { type: 'string', pattern: '^sha256=[0-9a-f]{64}$', description: 'Only with a secret' },
  },
  required: ['webhook-id', 'webhook-timestamp'],
};

export interface JsonSchemaOptions {
  /** Rewrites references into the document. */
  readonly reference?: (reference: string) => string;
  /** Forbids unknown keys, unless a schema has `additionalProperties`. */
  readonly closed?: boolean;
}

/** Converts an OpenAPI 3.0 schema, or any value that contains such schemas, to JSON Schema. */
export function toJsonSchema(value: unknown, options: JsonSchemaOptions = {}): unknown {
  if (Array.isArray(value)) return value.map((part) => toJsonSchema(part, options));
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, $ref, ...rest } = value as Json & { nullable?: boolean; $ref?: unknown };
  const inner = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, toJsonSchema(part, options)]));
  const { reference = (same: string) => same, closed = false } = options;
  const schema = {
    ...inner,
    ...(typeof $ref === 'string' ? { $ref: reference($ref) } : {}),
    ...(closed && isObjectSchema(rest) && !('additionalProperties' in rest) ? { additionalProperties: false } : {}),
  };
  return nullable === true ? { anyOf: [{ type: 'null' }, schema] } : schema;
}

const isObjectSchema = (schema: Json): boolean => schema['type'] === 'object' && 'properties' in schema;

/** The parts of a schema that an example is built from. */
interface Schema extends AnySchema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly format?: string;
  readonly minimum?: number;
}

type Schemas = Readonly<Record<string, Schema>>;

const BASE = 'https://cairn.example.org/api';
const MOMENT = '2026-01-02T03:04:05.678901Z';
const EARLIER = '2026-01-01T00:00:00.000000Z';
const SENDER = { url: `${BASE}/users/1`, id: 1, username: 'anna', first_name: 'Anna', last_name: 'Example' };
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': MOMENT,
  uri: `${BASE}/…`,
  email: 'anna@example.org',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/**
 * An example payload, without the webhook's id, which is its last key. The object has a value for every property of its
 * published schema. In an update, the date has changed.
 */
export function payloadExample(document: OpenAPIObject, event: CatalogueEvent, version: ApiVersion): WireObject {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const object = valueOf(objectSchema(event, version), event.resource, schemas, []) as WireObject;
  const payload = { event: event.name, [event.resource]: object, sender: SENDER };
  if (event.operation !== 'update' || !('updated_date' in object)) return payload;
  const changes = [{ key: 'updated_date', from: EARLIER, to: object['updated_date'] }];
  return { ...payload, ...changesInPayload(version, changes) };
}

/** @param path names of the enclosing schemas, which ends the recursion of a schema that contains itself */
function valueOf(schema: Schema, key: string, schemas: Schemas, path: readonly string[]): unknown {
  if (schema.example !== undefined) return schema.example;
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(PREFIX.length);
    return path.includes(name) ? undefined : valueOf(schemas[name] ?? {}, key, schemas, [...path, name]);
  }
  const [choice] = schema.enum ?? [];
  if (choice !== undefined) return choice;
  const [inner] = schema.allOf ?? schema.oneOf ?? schema.anyOf ?? [];
  if (inner !== undefined) return valueOf(inner, key, schemas, path) ?? null;
  switch (schema.type) {
    case 'object':
      return objectOf(schema, schemas, path);
    case 'array':
      return [valueOf(schema.items ?? {}, key, schemas, path)].filter((item) => item !== undefined);
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return false;
    case 'string':
      return FORMATS[schema.format ?? ''] ?? key;
    default:
      return null;
  }
}

const objectOf = ({ properties = {} }: Schema, schemas: Schemas, path: readonly string[]): WireObject =>
  Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, valueOf(schema, key, schemas, path) ?? null]),
  );
