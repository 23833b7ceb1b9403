import { applyDecorators } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ValidateIf, ValidateNested } from 'class-validator';
import { Invalid } from './errors.js';
import { type Check, field, type FieldOptions, nested, pythonType, shown } from './field.js';
import { checkNumber, checkWhole, FRACTION, type NumberOptions, readNumber, readText } from './fields.js';

/** Fields of many values: lists and objects. */

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

export interface ListOptions extends FieldOptions {
  readonly notEmpty?: boolean;
  readonly maxItems?: number;
}

/** What the items of a `ListField` are. */
export interface ListItem {
  readonly api: ApiPropertyOptions;
  /** Default: as it is. */
  readonly read?: (value: unknown) => unknown;
  readonly check: Check;
}

/** A list of plain values. */
export function ListField(item: ListItem, options: ListOptions = {}): PropertyDecorator {
  return field(
    options,
    { type: 'array', items: item.api as never },
    (value) => (Array.isArray(value) && item.read !== undefined ? value.map(item.read) : value),
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
export const textItem = (max: number): ListItem => ({ ...nameItem(max), read: readText });

/** Names of files: white space around them is part of them. */
export const nameItem = (max = 10_000): ListItem => ({
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

export const intItem = (options: NumberOptions = {}): ListItem => ({
  api: { type: 'integer' },
  read: readNumber,
  check: checkWhole(options),
});

export const floatItem = (): ListItem => ({
  api: FRACTION,
  read: readNumber,
  check: checkNumber({}),
});

/** In all lists of objects of a body. To read 25,000 labels takes about a second, in which nobody else is answered. */
export const MAX_NESTED = 25_000;

/** The limit for the body that is being read, and what is left of it. Reading is synchronous. */
const nestedRoom = { limit: MAX_NESTED, left: MAX_NESTED };

/** Reads a body whose `NestedField`s have at most `limit` elements. @throws Invalid before it looks at more of them */
export function readNested<T>(limit: number, read: () => T): T {
  Object.assign(nestedRoom, { limit, left: limit });
  return read();
}

function countNested(value: unknown): void {
  if (!Array.isArray(value)) return;
  nestedRoom.left -= value.length;
  if (nestedRoom.left >= 0) return;
  throw new Invalid({ non_field_errors: [`The body has more than ${nestedRoom.limit} objects in its lists.`] });
}

/** An object with fields of its own, or a list of such objects. */
export function NestedField(
  type: () => new () => object,
  options: FieldOptions & { readonly list?: boolean } = {},
): PropertyDecorator {
  const list = options.list === true;
  return applyDecorators(
    Type((place) => {
      if (place !== undefined) countNested((place.object as Record<string, unknown>)[place.property]);
      return type();
    }),
    ValidateNested(),
    ...(options.nullable === true ? [ValidateIf((_, value) => value !== null)] : []), // null is no object to look into
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
const indexed = (problems: readonly (string | undefined)[]): Record<string, string[]> =>
  Object.fromEntries(problems.flatMap((problem, index) => (problem === undefined ? [] : [[String(index), [problem]]])));
