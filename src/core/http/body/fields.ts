import type { ApiPropertyOptions } from '@nestjs/swagger';
import { readTimestamp } from '../../../engines/filter/filter-value.js';
import { hasMoreValues, hasText, isFiniteJson } from '../../../engines/json/json-value.js';
import { type Check, field, type FieldOptions, shown } from './field.js';

/** Fields with one value. */

/** Reads a text: numbers become their digits, and outer white space is removed. */
export const readText = (value: unknown): unknown =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : value;

export interface TextOptions extends FieldOptions {
  readonly max?: number;
  readonly min?: number;
  /** Whether the empty string is allowed. */
  readonly blank?: boolean;
  readonly pattern?: RegExp;
  /** The error message for a value that does not match. */
  readonly patternMessage?: string | ((value: string) => string);
  /** Keep outer white space (passwords). */
  readonly verbatim?: boolean;
  readonly format?: string;
}

/** Half of a surrogate pair. With the `u` flag, a complete pair does not match. */
const HALF_CHARACTER = /\p{Surrogate}/u;
const HALF_CHARACTER_MESSAGE = 'Surrogates must come in pairs.';

/** A text; outer white space is removed. */
export function TextField(options: TextOptions = {}): PropertyDecorator {
  return field(
    options,
    {
      type: String,
      ...(options.max === undefined ? {} : { maxLength: options.max }),
      ...(options.blank === true ? {} : { minLength: options.min ?? 1 }),
      // OpenAPI patterns have no flags. A pattern that needs them would refuse valid values or be invalid elsewhere.
      ...(options.pattern === undefined || options.pattern.flags !== '' ? {} : { pattern: options.pattern.source }),
      ...(options.format === undefined ? {} : { format: options.format }),
    },
    (value) => (options.verbatim === true && typeof value === 'string' ? value : readText(value)),
    (value) => {
      if (typeof value !== 'string') return 'Not a valid string.';
      if (value.includes('\0')) return 'Null characters are not allowed.';
      if (HALF_CHARACTER.test(value)) return HALF_CHARACTER_MESSAGE;
      if (value === '') return options.blank === true ? undefined : 'This field may not be blank.';
      const length = [...value].length;
      if (options.max !== undefined && length > options.max)
        return `Ensure this field has no more than ${options.max} characters.`;
      if (options.min !== undefined && length < options.min)
        return `Ensure this field has at least ${options.min} characters.`;
      if (options.pattern === undefined || options.pattern.test(value)) return undefined;
      const { patternMessage: message = 'Enter a valid value.' } = options;
      return typeof message === 'string' ? message : message(value);
    },
  );
}

const EMAIL = /^[^\s@"(),:;<>[\\\]]+@(?:localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63})$/i;

/** An e-mail address. */
export function EmailField(options: TextOptions = {}): PropertyDecorator {
  return TextField({
    max: 254,
    ...options,
    pattern: EMAIL,
    patternMessage: 'Enter a valid email address.',
    format: 'email',
  });
}

const MAX_INT = 2 ** 31 - 1;
const MIN_INT = -(2 ** 31);

export interface NumberOptions extends FieldOptions {
  readonly min?: number;
  readonly max?: number;
}

/** Reads a number: `"5"` becomes 5. Anything else is unchanged. */
export const readNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*[+-]?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/.test(value) ? Number(value) : value;

/** A 32-bit integer, unless the options narrow the range. */
export function checkWhole(options: NumberOptions): Check {
  const bounded = { min: MIN_INT, max: MAX_INT, ...options };
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) ? numberRange(value, bounded) : 'A valid integer is required.';
}

export const checkNumber =
  (options: NumberOptions): Check =>
  (value) =>
    typeof value === 'number' && Number.isFinite(value) ? numberRange(value, options) : 'A valid number is required.';

function numberRange(value: number, options: NumberOptions): string | undefined {
  if (options.min !== undefined && value < options.min)
    return `Ensure this value is greater than or equal to ${options.min}.`;
  if (options.max !== undefined && value > options.max)
    return `Ensure this value is less than or equal to ${options.max}.`;
  return undefined;
}

/** A 32-bit integer. */
export function IntField(options: NumberOptions = {}): PropertyDecorator {
  return field(
    options,
    {
      type: 'integer',
      ...(options.min === undefined ? {} : { minimum: options.min }),
      ...(options.max === undefined ? {} : { maximum: options.max }),
    },
    readNumber,
    checkWhole(options),
  );
}

/** For documents: without this format, numbers are integers. */
export const FRACTION = { type: 'number', format: 'double' } as const;

/** A number. */
export function FloatField(options: NumberOptions = {}): PropertyDecorator {
  return field(options, FRACTION, readNumber, checkNumber(options));
}

const TRUE = new Set<unknown>([true, 'true', 'True', 'TRUE', 't', '1', 1, 'on', 'yes']);
const FALSE = new Set<unknown>([false, 'false', 'False', 'FALSE', 'f', '0', 0, 'off', 'no']);

/** A boolean, also in the spellings used by forms. */
export function BoolField(options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { type: Boolean },
    (value) => (TRUE.has(value) ? true : FALSE.has(value) ? false : value),
    (value) => (typeof value === 'boolean' ? undefined : 'Must be a valid boolean.'),
  );
}

/** One value of a fixed list of texts. */
export function ChoiceField(choices: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { enum: choices },
    (value) => value,
    (value) =>
      typeof value === 'string' && choices.includes(value) ? undefined : `"${shown(value)}" is not a valid choice.`,
  );
}

const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/;

/** Whether the time exists, and has a year of four digits in UTC, too. */
function isTimestamp(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d/.test(text) || readTimestamp(text) === undefined) return false;
  const year = new Date(text).getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/** An ISO 8601 timestamp; UTC if it has no time zone. */
export function TimestampField(options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { type: String, format: 'date-time' },
    (value) => (typeof value === 'string' ? value.trim().replace(WITHOUT_ZONE, '$1T$2Z') : value),
    (value) =>
      typeof value === 'string' && isTimestamp(value)
        ? undefined
        : 'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  );
}

/** Documents any JSON value except null. */
export const ANY_JSON: ApiPropertyOptions = {
  oneOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'string' },
    FRACTION,
    { type: 'boolean' },
  ],
};

/** Elements and members of a value of any form. A walk over as many takes milliseconds. */
const MAX_JSON_VALUES = 10_000;

/**
 * Any JSON value that the database can store: without null characters, unpaired surrogates and numbers beyond those of
 * JavaScript, such as 1e400, and of limited size.
 */
export function JsonField(options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    ANY_JSON,
    (value) => value,
    (value) => {
      if (hasMoreValues(value, MAX_JSON_VALUES)) return `Ensure this field has no more than ${MAX_JSON_VALUES} values.`;
      if (!isFiniteJson(value)) return 'Numbers must be finite.';
      if (hasText(value, (text) => text.includes('\0'))) return 'Null characters are not allowed.';
      return hasText(value, (text) => HALF_CHARACTER.test(text)) ? HALF_CHARACTER_MESSAGE : undefined;
    },
  );
}
