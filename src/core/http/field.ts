import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

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

/** @returns the sentence that refuses a value; undefined when it is fine */
export type Check = (value: unknown) => string | undefined;

/** What a field makes of a value, or why it refuses it: a list of sentences, or an object that mirrors the value. */
export type Reading = { readonly value: unknown } | { readonly problem: unknown };

/** How many more elements the lists of objects in a body may have. */
export interface Room {
  readonly limit: number;
  left: number;
}

/** Reads a value that is neither absent nor null. */
type Reader = (value: unknown, room: Room) => Reading;

/** By prototype: the fields of a type, without those that it inherits. */
const FIELDS = new WeakMap<object, Map<string, Reader>>();

/** A field with one value: `api` documents it, `read` takes what a client may send for it. */
export function field(
  options: FieldOptions,
  api: ApiPropertyOptions,
  read: (value: unknown) => unknown,
  check: Check,
): PropertyDecorator {
  return fieldOf(options, api, (sent) => {
    const value = read(sent);
    const problem = check(value);
    return problem === undefined ? { value } : refused(problem);
  });
}

/** A field with a reader of its own. A reader checks how long a list is before it copies the list. */
export function fieldOf(options: FieldOptions, api: ApiPropertyOptions, reader: Reader): PropertyDecorator {
  const read: Reader = (value, room) => {
    if (value === undefined) return options.optional === true ? { value } : refused('This field is required.');
    if (value === null) return options.nullable === true ? { value } : refused('This field may not be null.');
    return reader(value, room);
  };
  const documented = {
    ...api,
    required: options.optional !== true,
    ...(options.nullable === true ? { nullable: true } : {}),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.example === undefined ? {} : { example: options.example }),
  } as ApiPropertyOptions;
  return applyDecorators(ApiProperty(documented), (type: object, name: string | symbol) => {
    const own = FIELDS.get(type) ?? new Map<string, Reader>();
    FIELDS.set(type, own.set(String(name), read));
  });
}

export const refused = (sentence: string): Reading => ({ problem: [sentence] });

/**
 * Reads an object by the fields of its type. Keys without a field are left out, and their values are never looked at.
 * @returns an instance of `type`, or the problems by field
 */
export function readObject(type: new () => object, raw: object, room: Room): Reading {
  const value = new type() as Record<string, unknown>;
  const problems: Record<string, unknown> = {};
  for (const [name, read] of fieldsOf(type.prototype as object)) {
    const reading = read(Object.hasOwn(raw, name) ? (raw as Record<string, unknown>)[name] : undefined, room);
    if ('problem' in reading) problems[name] = reading.problem;
    else if (reading.value !== undefined) value[name] = reading.value;
  }
  return Object.keys(problems).length > 0 ? { problem: problems } : { value };
}

const ALL_FIELDS = new WeakMap<object, Map<string, Reader>>();

/** The fields of a prototype, with those that it inherits and does not declare again. */
function fieldsOf(prototype: object): Map<string, Reader> {
  const known = ALL_FIELDS.get(prototype);
  if (known !== undefined) return known;
  const parent = Object.getPrototypeOf(prototype) as object | null;
  const fields = new Map([...(parent === null ? [] : fieldsOf(parent)), ...(FIELDS.get(prototype) ?? [])]);
  ALL_FIELDS.set(prototype, fields);
  return fields;
}

/** A value can be megabytes long. */
const MAX_SHOWN = 1_000;

/** A value as sentences quote it. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** The name that the contract's error texts have for the type of a JSON value. */
export function pythonType(value: unknown): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'dict';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  return Number.isInteger(value) ? 'int' : 'float';
}
