import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Invalid } from './errors.js';
import {
  type Check,
  fieldOf,
  type FieldOptions,
  pythonType,
  type Reading,
  readObject,
  refused,
  type Room,
  shown,
} from './field.js';
import { checkNumber, checkWhole, FRACTION, type NumberOptions, readNumber, readText } from './fields.js';

/** Fields of many values: lists and objects. */

/**
 * A set of texts out of a fixed one; repetitions do not count. The keys of an object are read as its items, and the
 * first wrong item is named, as the contract has it.
 */
export function ChoicesField(choices: readonly string[], options: FieldOptions = {}): PropertyDecorator {
  return fieldOf(options, { type: 'array', items: { type: 'string', enum: choices } as never }, (sent) => {
    const list: unknown = isObject(sent) ? Object.keys(sent) : sent;
    if (!Array.isArray(list)) return notAList(list);
    if (list.length > MAX_ITEMS) return refused(tooMany(MAX_ITEMS));
    const value = [...new Set<unknown>(list)];
    const wrong = value.find((item) => typeof item !== 'string' || !choices.includes(item));
    return wrong === undefined ? { value } : refused(`"${shown(wrong)}" is not a valid choice.`);
  });
}

export interface ListOptions extends FieldOptions {
  readonly notEmpty?: boolean;
  /** Default: 100,000. Longer lists are refused without a look at their elements. */
  readonly maxItems?: number;
}

/** What the items of a `ListField` are. */
export interface ListItem {
  readonly api: ApiPropertyOptions;
  /** Default: as it is. */
  readonly read?: (value: unknown) => unknown;
  readonly check: Check;
  /** How many elements an item counts as. Default: one. */
  readonly size?: (value: unknown) => number;
}

/** Of a list, unless its field says otherwise. */
const MAX_ITEMS = 100_000;
/** After so many wrong elements the others are not checked. */
const MAX_PROBLEMS = 1_000;

/** A list of plain values. */
export function ListField(item: ListItem, options: ListOptions = {}): PropertyDecorator {
  const limit = options.maxItems ?? MAX_ITEMS;
  return fieldOf(options, { type: 'array', items: item.api as never }, (sent) => {
    if (!Array.isArray(sent)) return notAList(sent);
    if (options.notEmpty === true && sent.length === 0) return refused('This list may not be empty.');
    if (sizeOf(sent, item) > limit) return refused(tooMany(limit));
    const value = item.read === undefined ? [...(sent as unknown[])] : sent.map(item.read);
    const problems = problemsIn(value, (entry) => (entry === null ? 'This field may not be null.' : item.check(entry)));
    return problems.size === 0
      ? { value }
      : { problem: Object.fromEntries([...problems].map(([index, problem]) => [index, [problem]])) };
  });
}

function sizeOf(list: readonly unknown[], { size }: ListItem): number {
  return size === undefined ? list.length : list.reduce<number>((sum, entry) => sum + size(entry), 0);
}

/** The problems of the elements of a list, by index. */
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
 * For a list whose longest length only the handler knows, before the list is read.
 * @throws Invalid when the list `key` of the body is longer
 */
export function requireNoMoreThan(limit: number, { raw }: { readonly raw: object }, key: string): void {
  const list = (raw as Record<string, unknown>)[key];
  if (Array.isArray(list) && list.length > limit) throw new Invalid({ [key]: [tooMany(limit)] });
}

const tooMany = (limit: number): string => `Ensure this field has no more than ${limit} elements.`;
const tooManyObjects = (limit: number): string => `The body has more than ${limit} objects in its lists.`;
const notAList = (value: unknown): Reading => refused(`Expected a list of items but got type "${pythonType(value)}".`);

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

/** An object with fields of its own, or a list of such objects. */
export function NestedField(
  type: () => new () => object,
  options: FieldOptions & { readonly list?: boolean } = {},
): PropertyDecorator {
  const isList = options.list === true;
  const read = (value: unknown, room: Room): Reading =>
    isObject(value) ? readObject(type(), value, room) : { problem: { non_field_errors: [notAnObject(value)] } };
  // Swagger knows a lazy type by the name of its function.
  return fieldOf(options, { type: () => type(), isArray: isList }, (value, room) => {
    if (!isList) return read(value, room);
    if (!Array.isArray(value)) return notAList(value);
    if (value.length > room.limit) return refused(tooMany(room.limit));
    room.left -= value.length;
    if (room.left < 0) throw new Invalid({ non_field_errors: [tooManyObjects(room.limit)] });
    return readList(value, (entry) => read(entry, room));
  });
}

/** @returns the elements as they are read, or a list with the problem of each, `{}` where there is none */
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
const notAnObject = (value: unknown): string => `Invalid data. Expected a dictionary, but got ${pythonType(value)}.`;
