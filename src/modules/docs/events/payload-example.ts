import type { OpenAPIObject } from '@nestjs/swagger';
import type { CatalogueEvent } from '../../../core/events/event-declaration.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import type { WireObject } from '../../../core/versioning/representations.js';
import { objectSchema } from './event-schemas.js';
import type { Schema as AnySchema } from '../openapi/operation.js';

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

const PREFIX = '#/components/schemas/';
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
  const isDated = event.operation === 'update' && 'updated_date' in object;
  return {
    event: event.name,
    [event.resource]: object,
    sender: SENDER,
    ...(isDated ? { before_update: { updated_date: EARLIER } } : {}),
  };
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
