import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';

/**
 * Fields of request bodies. One decorator defines a field: its documentation, how values are converted (numbers become
 * text, `"5"` becomes 5, as in the contract) and its error message. Absent and null differ.
 */
export interface FieldOptions {
  /** Whether the field may be absent. Default: required. */
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly description?: string;
  readonly example?: unknown;
}

/** @returns an error message, or undefined for a valid value */
export type Check = (value: unknown) => string | undefined;

/** The value of a field, or its errors: a list of messages, or an object that mirrors the value. */
export type Reading = { readonly value: unknown } | { readonly problem: unknown };

/** How many more elements the lists of objects in a body may contain. */
export interface Room {
  readonly limit: number;
  left: number;
}

/** Reads a value that is neither absent nor null. */
type Reader = (value: unknown, room: Room) => Reading;

/** The fields that each type declares itself, by prototype. */
const FIELDS = new WeakMap<object, Map<string, Reader>>();

/** A field with one value: `api` documents it, `read` converts what a client may send. */
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

/** A field with a custom reader. The reader must check the length of a list before it copies the list. */
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
 * Reads an object by the fields of its type. Unknown keys are dropped without reading their values.
 * @returns an instance of `type`, or the errors by field
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

/** The fields of a prototype, including inherited ones that it does not override. */
function fieldsOf(prototype: object): Map<string, Reader> {
  const known = ALL_FIELDS.get(prototype);
  if (known !== undefined) return known;
  const parent = Object.getPrototypeOf(prototype) as object | null;
  const fields = new Map([...(parent === null ? [] : fieldsOf(parent)), ...(FIELDS.get(prototype) ?? [])]);
  ALL_FIELDS.set(prototype, fields);
  return fields;
}

/** A value can be megabytes long, so error messages truncate it. */
const MAX_SHOWN = 1_000;

/** A value as quoted in error messages. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** The type name of a JSON value in the contract's error messages. */
export function pythonType(value: unknown): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'dict';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  return Number.isInteger(value) ? 'int' : 'float';
}
