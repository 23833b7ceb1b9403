import { sql, type Sql } from '../sql/sql.js';
import type { JsonValue } from '../json/json-value.js';

export type FieldKind = 'integer' | 'text' | 'boolean' | 'timestamp' | 'enum';

/** A field that a client may filter by. */
export interface FilterField {
  /** The expression to compare. For a to-many field it is valid only inside `exists`. */
  readonly column: Sql;
  readonly kind: FieldKind;
  /** The column as its substring index has it, for substring searches. Default: the column itself. */
  readonly inBatches?: (column: Sql) => Sql;
  /** Condition for rows without a value, if there is a cheaper one than `column is null`. */
  readonly missing?: Sql;
  /** Values of an enum. */
  readonly choices?: readonly string[];
  /** Newer clients' names for some of the choices. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** For a to-many field: converts a condition on `column` to EXISTS. */
  readonly exists?: (condition: Sql) => Sql;
}

/** Converts a client's word for a value of the field to the stored value. */
export const canonical = ({ synonyms }: FilterField, word: string): string =>
  synonyms !== undefined && Object.hasOwn(synonyms, word) ? (synonyms[word] ?? word) : word;

/** An invalid filter. The message is for the client and says what is wrong. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
}

/** Rounds a fraction to an integer, in the direction that keeps the comparison equivalent. */
export type Rounding = (value: number) => number;

/** A client's value as the driver receives it. */
export type FilterValue = string | number | boolean;

const readers: Readonly<Record<FieldKind, (value: JsonValue, round: Rounding) => FilterValue | undefined>> = {
  integer: readInteger,
  text: readText,
  enum: readText,
  boolean: readBoolean,
  timestamp: readTimestamp,
};

/** Converts a client's value to the field's type; undefined if that is impossible. */
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

/** One typed parameter. */
export const scalar = (kind: FieldKind, value: FilterValue): Sql => scalars[kind](value);

/** One typed array parameter. */
export const array = (kind: FieldKind, values: readonly FilterValue[]): Sql => arrays[kind](values);

/** Clamps numbers outside the range of ids, so that comparisons stay equivalent and PostgreSQL does not overflow. */
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

/**
 * Reads ISO 8601 with or without time and offset (default UTC).
 * @returns text for PostgreSQL, because a Date has no microseconds; undefined for times that do not exist
 */
export function readTimestamp(value: JsonValue): string | undefined {
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
