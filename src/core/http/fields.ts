import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { registerDecorator, ValidateNested, type ValidationArguments } from 'class-validator';
import { hasText } from '../../engines/filter/json-value.js';

/**
 * Fields of request bodies. One decorator says all about a field: what is documented, how a client's value is read
 * (numbers become text, `"5"` becomes 5, as the contract has it) and which sentence refuses it. Absent and null differ.
 */
export interface FieldOptions {
  /** Absent is fine. Default: required. */
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly description?: string;
  readonly example?: unknown;
}

type Check = (value: unknown) => string | undefined;

function field(
  options: FieldOptions,
  api: ApiPropertyOptions,
  read: (value: unknown) => unknown,
  check: Check,
): PropertyDecorator {
  const problem = (value: unknown): string | undefined => {
    if (value === undefined) return options.optional === true ? undefined : 'This field is required.';
    if (value === null) return options.nullable === true ? undefined : 'This field may not be null.';
    return check(value);
  };
  const documented = {
    ...api,
    required: options.optional !== true,
    ...(options.nullable === true ? { nullable: true } : {}),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.example === undefined ? {} : { example: options.example }),
  } as ApiPropertyOptions;
  return applyDecorators(
    ApiProperty(documented),
    Transform(({ value }: { value: unknown }) => (value === undefined || value === null ? value : read(value))),
    (target: object, propertyName: string | symbol) =>
      registerDecorator({
        name: 'field',
        target: target.constructor,
        propertyName: String(propertyName),
        validator: {
          validate: (value: unknown) => problem(value) === undefined,
          defaultMessage: (args?: ValidationArguments) => problem(args?.value) ?? '',
        },
      }),
  );
}

const readText = (value: unknown): unknown =>
  typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : value;

export interface TextOptions extends FieldOptions {
  readonly max?: number;
  readonly min?: number;
  /** The empty string is fine. */
  readonly blank?: boolean;
  readonly pattern?: RegExp;
  readonly patternMessage?: string;
  /** Keep outer white space (passwords). */
  readonly verbatim?: boolean;
  readonly format?: string;
}

/** A text; outer white space is dropped. */
export function TextField(options: TextOptions = {}): PropertyDecorator {
  return field(
    options,
    {
      type: String,
      ...(options.max === undefined ? {} : { maxLength: options.max }),
      ...(options.blank === true ? {} : { minLength: options.min ?? 1 }),
      ...(options.pattern === undefined ? {} : { pattern: options.pattern.source }),
      ...(options.format === undefined ? {} : { format: options.format }),
    },
    (value) => (options.verbatim === true && typeof value === 'string' ? value : readText(value)),
    (value) => {
      if (typeof value !== 'string') return 'Not a valid string.';
      if (value.includes('\0')) return 'Null characters are not allowed.';
      if (value === '') return options.blank === true ? undefined : 'This field may not be blank.';
      const length = [...value].length;
      if (options.max !== undefined && length > options.max)
        return `Ensure this field has no more than ${options.max} characters.`;
      if (options.min !== undefined && length < options.min)
        return `Ensure this field has at least ${options.min} characters.`;
      return options.pattern === undefined || options.pattern.test(value)
        ? undefined
        : (options.patternMessage ?? 'Enter a valid value.');
    },
  );
}

const EMAIL = /^[^\s@"(),:;<>[\\\]]+@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/i;

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

const readNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\s*[+-]?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/.test(value) ? Number(value) : value;

function numberRange(value: number, options: NumberOptions): string | undefined {
  if (options.min !== undefined && value < options.min)
    return `Ensure this value is greater than or equal to ${options.min}.`;
  if (options.max !== undefined && value > options.max)
    return `Ensure this value is less than or equal to ${options.max}.`;
  return undefined;
}

/** A 32-bit integer. */
export function IntField(options: NumberOptions = {}): PropertyDecorator {
  const bounded = { min: MIN_INT, max: MAX_INT, ...options };
  return field(
    options,
    {
      type: 'integer',
      ...(options.min === undefined ? {} : { minimum: options.min }),
      ...(options.max === undefined ? {} : { maximum: options.max }),
    },
    readNumber,
    (value) =>
      typeof value === 'number' && Number.isInteger(value)
        ? numberRange(value, bounded)
        : 'A valid integer is required.',
  );
}

/** For documents: numbers without this format are whole. */
export const FRACTION = { type: Number, format: 'double' } as const;

/** A number. */
export function FloatField(options: NumberOptions = {}): PropertyDecorator {
  return field(options, FRACTION, readNumber, (value) =>
    typeof value === 'number' && Number.isFinite(value) ? numberRange(value, options) : 'A valid number is required.',
  );
}

const TRUE = new Set<unknown>([true, 'true', 'True', 'TRUE', 't', '1', 1, 'on', 'yes']);
const FALSE = new Set<unknown>([false, 'false', 'False', 'FALSE', 'f', '0', 0, 'off', 'no']);

/** A boolean, also in the spellings of forms. */
export function BoolField(options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { type: Boolean },
    (value) => (TRUE.has(value) ? true : FALSE.has(value) ? false : value),
    (value) => (typeof value === 'boolean' ? undefined : 'Must be a valid boolean.'),
  );
}

/** One of a fixed set of texts. */
export function ChoiceField(choices: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { enum: choices },
    (value) => value,
    (value) =>
      typeof value === 'string' && choices.includes(value) ? undefined : `"${shown(value)}" is not a valid choice.`,
  );
}

/**
 * A set of texts out of a fixed one; repetitions do not count. The keys of an object are read as its items, and the
 * first wrong item is named, as the contract has it.
 */
export function ChoicesField(choices: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { type: 'array', items: { type: 'string', enum: choices } as never },
    (value) => (Array.isArray(value) ? [...new Set(value)] : isObject(value) ? Object.keys(value) : value),
    (value) => {
      if (!Array.isArray(value)) return `Expected a list of items but got type "${pythonType(value)}".`;
      const wrong = value.find((item) => typeof item !== 'string' || !choices.includes(item)) as unknown;
      return wrong === undefined ? undefined : `"${shown(wrong)}" is not a valid choice.`;
    },
  );
}

const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/;

/** A timestamp in ISO 8601; one that names no zone is in UTC. */
export function TimestampField(options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    { type: String, format: 'date-time' },
    (value) => (typeof value === 'string' ? value.trim().replace(WITHOUT_ZONE, '$1T$2Z') : value),
    (value) =>
      typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value))
        ? undefined
        : 'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  );
}

/** Documents any JSON value but null. */
export const ANY_JSON: ApiPropertyOptions = {
  oneOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
    { type: 'string' },
    { type: 'number', format: 'double' },
    { type: 'boolean' },
  ],
};

/** Half of a character of two UTF-16 units; with the `u` flag a whole one does not match. */
const HALF_CHARACTER = /\p{Surrogate}/u;

/** Any JSON value that the database can keep: its JSON has neither null characters nor halves of characters. */
export function JsonField(options: FieldOptions = {}): PropertyDecorator {
  return field(
    options,
    ANY_JSON,
    (value) => value,
    (value) => {
      if (hasText(value, (text) => text.includes('\0'))) return 'Null characters are not allowed.';
      return hasText(value, (text) => HALF_CHARACTER.test(text)) ? 'Surrogates must come in pairs.' : undefined;
    },
  );
}

export interface ListOptions extends FieldOptions {
  readonly notEmpty?: boolean;
  readonly maxItems?: number;
}

/** A list of plain values; `item` returns the sentence against a bad one. */
export function ListField(
  item: { readonly api: ApiPropertyOptions; readonly check: Check },
  options: ListOptions = {},
): PropertyDecorator {
  return field(
    options,
    { type: 'array', items: item.api as never },
    (value) => value,
    (value) => {
      if (!Array.isArray(value)) return `Expected a list of items but got type "${pythonType(value)}".`;
      if (options.notEmpty === true && value.length === 0) return 'This list may not be empty.';
      const limit = options.maxItems ?? 100_000;
      if (value.length > limit) return `Ensure this field has no more than ${limit} elements.`;
      const problems = value.map((entry) => (entry === null ? 'This field may not be null.' : item.check(entry)));
      return problems.some((problem) => problem !== undefined) ? nested(indexed(problems)) : undefined;
    },
  );
}

/** Items of a `ListField`. */
export const textItem = (max = 10_000): { api: ApiPropertyOptions; check: Check } => ({
  api: { type: 'string', maxLength: max },
  check: (value) =>
    typeof value !== 'string'
      ? 'Not a valid string.'
      : value.includes('\0')
        ? 'Null characters are not allowed.'
        : value.length > max
          ? `Ensure this field has no more than ${max} characters.`
          : undefined,
});

export const intItem = (options: NumberOptions = {}): { api: ApiPropertyOptions; check: Check } => ({
  api: { type: 'integer' },
  check: (value) =>
    typeof value === 'number' && Number.isInteger(value)
      ? numberRange(value, { min: MIN_INT, max: MAX_INT, ...options })
      : 'A valid integer is required.',
});

export const floatItem = (): { api: ApiPropertyOptions; check: Check } => ({
  api: { type: 'number', format: 'double' },
  check: (value) => (typeof value === 'number' && Number.isFinite(value) ? undefined : 'A valid number is required.'),
});

/** An object with fields of its own, or a list of such objects. */
export function NestedField(
  type: () => new () => object,
  options: FieldOptions & { readonly list?: boolean } = {},
): PropertyDecorator {
  const list = options.list === true;
  return applyDecorators(
    Type(type),
    ValidateNested(),
    field(
      options,
      { type: () => type(), isArray: list }, // Swagger knows a lazy type by the name of its function
      (value) => value,
      (value) => {
        if (list) {
          if (!Array.isArray(value)) return `Expected a list of items but got type "${pythonType(value)}".`;
          const problems = value.map((entry) => (isObject(entry) ? undefined : notAnObject(entry)));
          return problems.some((problem) => problem !== undefined)
            ? nested(problems.map((problem) => (problem === undefined ? {} : { non_field_errors: [problem] })))
            : undefined;
        }
        return isObject(value) ? undefined : nested({ non_field_errors: [notAnObject(value)] });
      },
    ),
  );
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const notAnObject = (value: unknown): string => `Invalid data. Expected a dictionary, but got ${pythonType(value)}.`;
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const indexed = (problems: readonly (string | undefined)[]): Record<string, string[]> =>
  Object.fromEntries(problems.flatMap((problem, index) => (problem === undefined ? [] : [[String(index), [problem]]])));

/** A problem that is an object rather than a sentence, carried through class-validator's text messages. */
const NESTED = '\u0001';
const nested = (problem: unknown): string => NESTED + JSON.stringify(problem);
/** Undoes `nested`; a plain sentence becomes a list of one. */
export const fieldProblem = (message: string): unknown =>
  message.startsWith(NESTED) ? JSON.parse(message.slice(1)) : [message];

/** The name that the contract's error texts have for the type of a JSON value. */
export function pythonType(value: unknown): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'dict';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  return Number.isInteger(value) ? 'int' : 'float';
}
