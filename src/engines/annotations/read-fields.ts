import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isList, notAList, notAnObject } from '../json/python-type.js';
import { decimal } from './decimal.js';
import type { FieldErrors } from './field-errors.js';

/**
 * Readers of single JSON fields, with CVAT's conversions and error texts: `"5"` becomes 5, `"true"` becomes true, and
 * null differs from absent. Hand-written because a request may have millions of fields: a valid value costs one
 * `typeof` and no allocation.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

const REQUIRED = ['This field is required.'];
const NOT_NULL = ['This field may not be null.'];
const NOT_INTEGER = ['A valid integer is required.'];
const NOT_NUMBER = ['A valid number is required.'];
const NOT_BOOLEAN = ['Must be a valid boolean.'];
const NOT_STRING = ['Not a valid string.'];
const MAX_INT32 = 2_147_483_647;
const MAX_SOURCE = 16;
const MAX_VALUE = 4096;

const TRUE_WORDS = new Set(['t', 'y', 'yes', 'true', 'on', '1']);
const FALSE_WORDS = new Set(['f', 'n', 'no', 'false', 'off', '0']);

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** Reads an integer of min..max; `fallback` undefined means the field is required. */
export function readInt(
  raw: JsonObject,
  field: string,
  errors: FieldErrors,
  fallback?: number,
  min = 0,
  max = MAX_INT32,
): number {
  const value = raw[field];
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  if (value === undefined) {
    if (fallback === undefined) errors.add(field, REQUIRED);
    return fallback ?? 0;
  }
  return convertInt(value, field, errors, min, max);
}

/** Reads an integer that may be null or absent (null). */
export function readNullableInt(raw: JsonObject, field: string, errors: FieldErrors, max = MAX_INT32): number | null {
  const value = raw[field];
  return value === undefined || value === null ? null : readInt(raw, field, errors, 0, 0, max);
}

function convertInt(value: unknown, field: string, errors: FieldErrors, min: number, max: number): number {
  if (value === null) return fail(errors, field, NOT_NULL);
  const number = typeof value === 'string' && /^\s*[+-]?\d{1,30}(\.0*)?\s*$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !(Number.isInteger(number) || Math.abs(number) === Infinity)) {
    return fail(errors, field, NOT_INTEGER);
  }
  return checkRange(number, field, errors, min, max);
}

/** Reads a finite number of min..max; an absent one is `fallback`. */
export function readFloat(
  raw: JsonObject,
  field: string,
  errors: FieldErrors,
  fallback: number,
  min: number,
  max: number,
): number {
  const value = raw[field];
  if (value === undefined) return fallback;
  if (typeof value === 'number') return checkRange(value, field, errors, min, max);
  if (value === null) return fail(errors, field, NOT_NULL);
  const number = typeof value === 'string' && value.length < 1000 ? decimal(value) : NaN;
  if (Number.isNaN(number)) return fail(errors, field, NOT_NUMBER);
  return checkRange(number, field, errors, min, max);
}

function checkRange(value: number, field: string, errors: FieldErrors, min: number, max: number): number {
  if (value < min) return fail(errors, field, [`Ensure this value is greater than or equal to ${min}.`]);
  if (value > max) return fail(errors, field, [`Ensure this value is less than or equal to ${max}.`]);
  return value;
}

function fail(errors: FieldErrors, field: string, error: unknown): number {
  errors.add(field, error);
  return 0;
}

/** Reads a boolean, false when absent. */
export function readBoolean(raw: JsonObject, field: string, errors: FieldErrors): boolean {
  const value = raw[field];
  if (typeof value === 'boolean') return value;
  if (value === undefined) return false;
  if (value === null) {
    errors.add(field, NOT_NULL);
    return false;
  }
  const word = typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : '';
  if (TRUE_WORDS.has(word)) return true;
  if (!FALSE_WORDS.has(word)) errors.add(field, NOT_BOOLEAN);
  return false;
}

/** Reads the source of an annotation: a short free text, `manual` if absent. */
export function readSource(raw: JsonObject, errors: FieldErrors): string {
  const value = raw['source'];
  if (value === undefined || value === 'manual') return 'manual';
  if (value === null) {
    errors.add('source', NOT_NULL);
    return '';
  }
  if (typeof value !== 'string' && typeof value !== 'number') {
    errors.add('source', NOT_STRING);
    return '';
  }
  const text = String(value);
  if (text.trim() === '') errors.add('source', ['This field may not be blank.']);
  checkText(text, 'source', MAX_SOURCE, errors);
  return text;
}

/** Reads the value of an attribute. Scalars become text as CVAT writes them (`True`, `None`). */
export function readAttributeText(raw: JsonObject, errors: FieldErrors): string {
  const value = raw['value'];
  let text: string;
  if (typeof value === 'string') text = value;
  else if (typeof value === 'number') text = String(value);
  else if (value === true) text = 'True';
  else if (value === false) text = 'False';
  else if (value === null) text = 'None';
  else {
    errors.add('value', value === undefined ? REQUIRED : NOT_STRING);
    return '';
  }
  checkText(text, 'value', MAX_VALUE, errors);
  return text;
}

/** PostgreSQL cannot store NUL or half of a surrogate pair, so they are rejected instead of being lost. */
function checkText(text: string, field: string, max: number, errors: FieldErrors): void {
  if (text.length > max && (text.length > 2 * max || Array.from(text).length > max)) {
    errors.add(field, [`Ensure this field has no more than ${max} characters.`]);
  } else if (text.includes('\0')) {
    errors.add(field, ['Null characters are not allowed.']);
  } else if (/\p{Surrogate}/u.test(text)) {
    errors.add(field, ['Surrogate characters are not allowed.']);
  }
}

/** One list for all objects without attributes or elements: a million empty lists take 64 MB. */
const NONE = Object.freeze([]) as unknown as never[];

/**
 * Reads a list of objects with `item`, which adds its errors to the collector it receives. The error of a list keeps
 * the positions: `[{}, {"frame": [...]}]`. Reading stops when there are more errors than a response can contain.
 */
export function readList<T extends object>(
  raw: JsonObject,
  field: string,
  errors: FieldErrors,
  scratch: FieldErrors,
  item: (raw: JsonObject, errors: FieldErrors) => T,
): T[] {
  return raw[field] === undefined ? NONE : atOnce(readListInTurns(raw, field, errors, scratch, item));
}

const isInTurns = <T extends object>(read: T | Slices<T>): read is Slices<T> => Symbol.iterator in read;

/** Objects of a list are read for this long before the event loop gets its turn. One can have a million numbers. */
const TURN_MS = 10;

/**
 * Like {@link readList}, in slices; `item` reads an object at once, or in slices itself.
 * @yields after every slice
 */
export function* readListInTurns<T extends object>(
  raw: JsonObject,
  field: string,
  errors: FieldErrors,
  scratch: FieldErrors,
  item: (raw: JsonObject, errors: FieldErrors) => T | Slices<T>,
): Slices<T[]> {
  const value = raw[field];
  if (value === undefined) return [];
  if (!isList(value)) {
    errors.add(field, value === null ? NOT_NULL : { non_field_errors: [notAList(value)] });
    return [];
  }
  const items: T[] = [];
  const { budget } = scratch;
  let bad: Map<number, unknown> | undefined;
  let read = 0;
  let end = performance.now() + TURN_MS;
  for (const entry of value) {
    if (budget.left <= 0) break;
    read += 1;
    if (performance.now() > end) {
      yield undefined;
      end = performance.now() + TURN_MS;
    }
    if (isJsonObject(entry)) {
      const one = item(entry, scratch);
      items.push(isInTurns(one) ? yield* one : one);
    } else scratch.add('non_field_errors', [notAnObject(entry)]);
    if (!scratch.any) continue;
    budget.left -= 1;
    (bad ??= new Map()).set(read - 1, scratch.take());
  }
  if (bad !== undefined) {
    const found = bad;
    errors.add(
      field,
      Array.from({ length: read }, (_, i) => found.get(i) ?? {}),
    );
  }
  return items;
}

export function requireField(raw: JsonObject, field: string, errors: FieldErrors): void {
  if (raw[field] === undefined) errors.add(field, REQUIRED);
}

/** Work that pauses so that the event loop gets its turn. */
export type Slices<T> = Generator<undefined, T>;

/** Does the work without pauses. */
export function atOnce<T>(work: Slices<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Does the work and yields to the event loop in its pauses. */
export async function inSlices<T>(work: Slices<T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await yieldToEventLoop();
  }
}
