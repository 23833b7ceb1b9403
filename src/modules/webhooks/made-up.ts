import type { Type } from '@nestjs/common';
import type { CatalogueEvent } from '../../core/outbox/event-catalogue.js';
import type { ApiVersion } from '../../core/versioning/accept.js';
import type { WireObject } from '../../core/versioning/representations.js';
import type { EventPayload } from './webhook-payload.js';

/** What `@ApiProperty` has written down. */
interface Property {
  readonly type?: unknown;
  readonly isArray?: boolean;
  readonly enum?: unknown;
  readonly example?: unknown;
  readonly format?: string;
  readonly nullable?: boolean;
}

const NAMES = 'swagger/apiModelPropertiesArray';
const PROPERTY = 'swagger/apiModelProperties';
const MAX_DEPTH = 6;
const MOMENT = '2026-01-02T03:04:05.678900Z';
const EARLIER = '2026-01-01T00:00:00.000000Z';
const BASE = 'https://cairn.example.org/api';
const SENDER = { url: `${BASE}/users/1`, id: 1, username: 'anna', first_name: 'Anna', last_name: 'Example' };

/** A payload of an event that has not happened, made of what is documented about its object. */
export function madeUp(event: CatalogueEvent, version: ApiVersion): EventPayload {
  const object = sampleOf(event.older[version] ?? event.object, 0);
  const changes = event.operation === 'update' && 'updated_date' in object ? { updated_date: EARLIER } : {};
  const changedFields = Object.keys(changes);
  const payload = {
    event: event.name,
    [event.resource]: object,
    sender: SENDER,
    ...(changedFields.length === 0 ? {} : { before_update: changes }),
  };
  return { payload, changedFields };
}

/** An object with a value for every documented property. */
function sampleOf(type: Type<object>, depth: number): WireObject {
  const prototype = type.prototype as object;
  const names = (Reflect.getMetadata(NAMES, prototype) ?? []) as readonly string[];
  const entries = names.map((name) => {
    const key = name.replace(/^:/, '');
    const property = (Reflect.getMetadata(PROPERTY, prototype, key) ?? {}) as Property;
    return [key, valueOf(key, property, depth)] as const;
  });
  return Object.fromEntries(entries);
}

function valueOf(key: string, property: Property, depth: number): unknown {
  const { type, isArray = false, enum: choices, example } = property;
  if (example !== undefined) return example;
  const [of, many] = Array.isArray(type) ? [type[0] as unknown, true] : [type, isArray];
  const value = choices === undefined ? single(key, of, property, depth) : firstOf(choices);
  return many ? [value] : value;
}

/** Of a list, or of an object whose values are the choices. */
const firstOf = (choices: unknown): unknown => Object.values(choices as object)[0] ?? null;

function single(key: string, type: unknown, { format, nullable }: Property, depth: number): unknown {
  if (type === String || type === 'string') return textOf(key, format);
  if (type === Number || type === 'number' || type === 'integer') return 1;
  if (type === Boolean || type === 'boolean') return false;
  if (typeof type !== 'function' || type === Object) return nullable === true ? null : {};
  const known = isClass(type) ? type : (type as () => unknown)();
  if (typeof known !== 'function' || depth >= MAX_DEPTH) return null;
  return isClass(known) ? sampleOf(known, depth + 1) : single(key, known, {}, depth);
}

const isClass = (value: object): value is Type<object> => /^class\b/.test(Function.prototype.toString.call(value));

function textOf(key: string, format: string | undefined): string {
  if (format === 'date-time') return MOMENT;
  if (format === 'uri') return `${BASE}/…`;
  return format === 'email' ? 'anna@example.org' : key;
}
