import { sql, type Sql } from '../sql/sql.js';
import type { JsonValue } from './json-value.js';

export type FieldKind = 'integer' | 'text' | 'boolean' | 'timestamp' | 'enum';

/** A field that a client may filter by. */
export interface FilterField {
  /** The expression that is compared. Of a to-many field it is valid inside `exists` only. */
  readonly column: Sql;
  readonly kind: FieldKind;
  /** How a column is written where a part of its text is looked for, as its index over parts has it. Default: as it is. */
  readonly inBatches?: (column: Sql) => Sql;
  /** Condition of the rows without a value, where it asks less than `column is null`. */
  readonly missing?: Sql;
  /** Values of an enum. */
  readonly choices?: readonly string[];
  /** What newer clients call some of the choices. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** To-many field: how a condition on `column` becomes EXISTS. */
  readonly exists?: (condition: Sql) => Sql;
}

/** A client's word for a value of the field, as rows have it. */
export const canonical = ({ synonyms }: FilterField, word: string): string =>
  synonyms !== undefined && Object.hasOwn(synonyms, word) ? (synonyms[word] ?? word) : word;

/** The client's filter is wrong; the message says what and is meant for the client. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
}

/** How a fraction becomes an integer; a comparison picks the side that keeps it true. */
export type Rounding = (value: number) => number;

/** What the driver is given for a client's value. */
export type FilterValue = string | number | boolean;

const readers: Readonly<Record<FieldKind, (value: JsonValue, round: Rounding) => FilterValue | undefined>> = {
  integer: readInteger,
  text: readText,
  enum: readText,
  boolean: readBoolean,
  timestamp: readTimestamp,
};

/** A client's value in the field's own type; undefined when it has none. */
export function readValue(kind: FieldKind, value: JsonValue, round: Rounding = Math.trunc): FilterValue | undefined {
  return readers[kind](value, round);
}

const scalars: Readonly<Record<FieldKind, (value: FilterValue) => Sql>> = {
  integer: (value) => sql`${value}::bigint`,
  text: (value) => sql`${value}::text`,
  enum: (value) => sql`${value}::text`,
  boolean: (value) => sql`${value}::boolean`,
  timestamp: (value) => sql`${value}::timestamptz`,
};

const arrays: Readonly<Record<FieldKind, (values: readonly FilterValue[]) => Sql>> = {
  integer: (values) => sql`${values}::bigint[]`,
  text: (values) => sql`${values}::text[]`,
  enum: (values) => sql`${values}::text[]`,
  boolean: (values) => sql`${values}::boolean[]`,
  timestamp: (values) => sql`${values}::timestamptz[]`,
};

/** One parameter with its type. */
export const scalar = (kind: FieldKind, value: FilterValue): Sql => scalars[kind](value);

/** One array parameter with its type. */
export const array = (kind: FieldKind, values: readonly FilterValue[]): Sql => arrays[kind](values);

/** Numbers beyond what an id can be are drawn in, so comparisons stay true and the database sees no overflow. */
function readInteger(value: JsonValue, round: Rounding): number | undefined {
  const number = typeof value === 'string' && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return undefined;
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, round(number)));
}

function readText(value: JsonValue): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && !value.includes('\0') ? value : undefined;
}

const TRUE: ReadonlySet<JsonValue> = new Set<JsonValue>([true, 1, 'true', 'True']);
const FALSE: ReadonlySet<JsonValue> = new Set<JsonValue>([false, 0, 'false', 'False']);

function readBoolean(value: JsonValue): boolean | undefined {
  if (TRUE.has(value)) return true;
  return FALSE.has(value) ? false : undefined;
}

const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:[.,](\d{1,6})\d{0,6})?)?\s*(?:Z|([+-])(\d{2}):?(\d{2})?)?)?$/i;

/** ISO 8601 with or without time and offset (then UTC), as text for the database: a Date has no microseconds. */
function readTimestamp(value: JsonValue): string | undefined {
  const match = typeof value === 'string' ? TIMESTAMP.exec(value) : null;
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const inRange = year >= 1 && hour < 24 && minute < 60 && second < 60 && part(9) < 16 && part(10) < 60;
  if (!inRange || !isDay(year, month, day)) return undefined;
  const date = `${pad(year, 4)}-${pad(month)}-${pad(day)}`;
  const fraction = (match[7] ?? '').padEnd(6, '0');
  return `${date}T${pad(hour)}:${pad(minute)}:${pad(second)}.${fraction}${match[8] ?? '+'}${pad(part(9))}:${pad(part(10))}`;
}

const pad = (number: number, length = 2): string => String(number).padStart(length, '0');

function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
