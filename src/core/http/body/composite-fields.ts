import { notAList, notAnObject } from '../../../engines/json/python-type.js';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Invalid } from '../errors/errors.js';
import {
  type Check,
  type ElementBudget,
  fieldOf,
  type FieldOptions,
  type Reading,
  readObject,
  shown,
} from './field.js';
import { checkNumber, checkWhole, FRACTION, type NumberOptions, readNumber, readText } from './fields.js';

/** Fields with several values: lists and objects. */

/**
 * A set of texts from a fixed list; duplicates are ignored. The keys of an object are read as its items, and the error
 * names the first invalid item, as in the contract.
 */
export function ChoicesField(choices: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  return fieldOf(
    options,
    { type: 'array', items: { type: 'string', enum: choices } as never },
    {
      convert: (sent) => {
        const list: unknown = isObject(sent) ? Object.keys(sent) : sent;
        return Array.isArray(list) && list.length <= MAX_ITEMS ? [...new Set<unknown>(list)] : list;
      },
      problemOf: (list) => {
        if (!Array.isArray(list)) return [notAList(list)];
        if (list.length > MAX_ITEMS) return [tooMany(MAX_ITEMS)];
        const wrong: unknown = list.find((item) => typeof item !== 'string' || !choices.includes(item));
        return wrong === undefined ? undefined : [`"${shown(wrong)}" is not a valid choice.`];
      },
    },
  );
}

export interface ListOptions extends FieldOptions {
  readonly notEmpty?: boolean;
  /** Default: 100,000. Longer lists are refused without reading their elements. */
  readonly maxItems?: number;
}

/** The item type of a `ListField`. */
export interface ListItem {
  readonly api: ApiPropertyOptions;
  /** Reads an item. Default: unchanged. */
  readonly read?: (value: unknown) => unknown;
  readonly check: Check;
  /** The number of elements that an item counts as. Default: one. */
  readonly size?: (value: unknown) => number;
}

/** Default maximum length of a list. */
const MAX_ITEMS = 100_000;
/** Validation stops after this many invalid elements. */
const MAX_PROBLEMS = 1_000;

/** A list of scalar values. */
export function ListField(item: ListItem, options: ListOptions = {}): PropertyDecorator {
  const limit = options.maxItems ?? MAX_ITEMS;
  return fieldOf(
    options,
    { type: 'array', items: item.api as never },
    {
      convert: (sent) =>
        Array.isArray(sent) && item.read !== undefined && sizeOf(sent, item) <= limit ? sent.map(item.read) : sent,
      problemOf: (list) => {
        if (!Array.isArray(list)) return [notAList(list)];
        if (options.notEmpty === true && list.length === 0) return ['This list may not be empty.'];
        if (sizeOf(list, item) > limit) return [tooMany(limit)];
        const problems = problemsIn(list, (entry) =>
          entry === null ? 'This field may not be null.' : item.check(entry),
        );
        return problems.size === 0
          ? undefined
          : Object.fromEntries([...problems].map(([index, problem]) => [index, [problem]]));
      },
    },
  );
}

function sizeOf(list: readonly unknown[], { size }: ListItem): number {
  return size === undefined ? list.length : list.reduce<number>((sum, entry) => sum + size(entry), 0);
}

/** Errors of the elements of a list, by index. */
function problemsIn<T>(
  list: readonly unknown[],
  check: (entry: unknown, index: number) => T | undefined,
): Map<number, T> {
  const problems = new Map<number, T>();
  for (const [index, entry] of list.entries()) {
    const problem = check(entry, index);
    if (problem !== undefined) problems.set(index, problem);
    if (problems.size === MAX_PROBLEMS) break;
  }
  return problems;
}

/**
 * For a list whose maximum length only the handler knows. Called before the list is read.
 * @throws Invalid if the list `key` of the body is longer
 */
export function requireNoMoreThan(limit: number, { raw }: { readonly raw: object }, key: string): void {
  const list = (raw as Record<string, unknown>)[key];
  if (Array.isArray(list) && list.length > limit) throw new Invalid({ [key]: [tooMany(limit)] });
}

const tooMany = (limit: number): string => `Ensure this field has no more than ${limit} elements.`;
const tooManyObjects = (limit: number): string => `The body has more than ${limit} objects in its lists.`;

/** Items of a `ListField`. */
export const textItem = (max: number): ListItem => ({ ...nameItem(max), read: readText });

/** File names, whose white space is significant. */
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

export const floatItem = (options: NumberOptions = {}): ListItem => ({
  api: FRACTION,
  read: readNumber,
  check: checkNumber(options),
});

/** An object with its own fields, or a list of such objects. */
export function NestedField(
  type: () => new () => object,
  options: FieldOptions & { readonly list?: boolean } = {},
): PropertyDecorator {
  const isList = options.list === true;
  const read = (value: unknown, budget: ElementBudget): Reading =>
    isObject(value) ? readObject(type(), value, budget) : { problem: { non_field_errors: [notAnObject(value)] } };
  const readMany = (value: unknown, budget: ElementBudget): Reading => {
    if (!Array.isArray(value)) return { problem: [notAList(value)] };
    if (value.length > budget.limit) return { problem: [tooMany(budget.limit)] };
    budget.remaining -= value.length;
    if (budget.remaining < 0) throw new Invalid({ non_field_errors: [tooManyObjects(budget.limit)] });
    return readList(value, (entry) => read(entry, budget));
  };
  // Swagger identifies a lazy type by the name of its function.
  return fieldOf(
    options,
    { type: () => type(), isArray: isList },
    {
      convert: (value, budget) => {
        const reading = isList ? readMany(value, budget) : read(value, budget);
        return 'problem' in reading ? new InvalidNested(reading.problem) : reading.value;
      },
      problemOf: (value) => (value instanceof InvalidNested ? value.problem : undefined),
    },
  );
}

/** Takes the place of invalid objects, which are validated one by one so that the validation can stop early. */
class InvalidNested {
  constructor(readonly problem: unknown) {}
}

/** @returns the elements as read, or a list with the errors of each element, `{}` for valid ones */
function readList(list: readonly unknown[], read: (entry: unknown) => Reading): Reading {
  const value: unknown[] = [];
  const problems = problemsIn(list, (entry) => {
    const reading = read(entry);
    if ('problem' in reading) return reading.problem;
    value.push(reading.value);
    return undefined;
  });
  if (problems.size === 0) return { value };
  return { problem: list.slice(0, Math.max(...problems.keys()) + 1).map((_, index) => problems.get(index) ?? {}) };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
