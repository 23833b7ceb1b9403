import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { plainToInstance, Transform } from 'class-transformer';
import { ValidateBy, validateSync } from 'class-validator';

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
export interface ElementBudget {
  readonly limit: number;
  remaining: number;
}

/** How a field treats a value that is neither absent nor null. */
export interface FieldRules {
  /** Converts the value as sent. It must check the length of a list before it copies the list. */
  readonly convert: (value: unknown, budget: ElementBudget) => unknown;
  /** @returns the errors of a converted value; undefined for a valid value */
  readonly problemOf: (value: unknown) => unknown;
}

/** The fields that each type declares itself, by prototype. */
const FIELDS = new WeakMap<object, Set<string>>();

/** A field with one value: `api` documents it, `read` converts what a client may send. */
export function field(
  options: FieldOptions,
  api: ApiPropertyOptions,
  read: (value: unknown) => unknown,
  check: Check,
): PropertyDecorator {
  return fieldOf(options, api, {
    convert: read,
    problemOf: (value) => {
      const problem = check(value);
      return problem === undefined ? undefined : [problem];
    },
  });
}

/** A field with custom rules. */
export function fieldOf(options: FieldOptions, api: ApiPropertyOptions, rules: FieldRules): PropertyDecorator {
  const documented = {
    ...api,
    required: options.optional !== true,
    ...(options.nullable === true ? { nullable: true } : {}),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.example === undefined ? {} : { example: options.example }),
  } as ApiPropertyOptions;
  return applyDecorators(
    ApiProperty(documented),
    Transform(({ value: sent }: { value: Sent }) => {
      const { value, budget } = sent();
      return value === null ? null : rules.convert(value, budget);
    }),
    validation((value) => {
      if (value === undefined) return options.optional === true ? undefined : ['This field is required.'];
      if (value === null) return options.nullable === true ? undefined : ['This field may not be null.'];
      return rules.problemOf(value);
    }),
    declare,
  );
}

/** A constraint of class-validator whose message is the errors as JSON. */
function validation(problemOf: (value: unknown) => unknown): PropertyDecorator {
  let problem: unknown; // of the value that was validated last, whose message is requested next
  return ValidateBy({
    name: CONSTRAINT,
    validator: {
      validate: (value: unknown) => {
        problem = problemOf(value);
        return problem === undefined;
      },
      // class-validator replaces `$value` in messages, also where a client sent it.
      defaultMessage: () => JSON.stringify(problem).replaceAll('$', String.raw`\u0024`),
    },
  });
}

const CONSTRAINT = 'field';

function declare(prototype: object, name: string | symbol): void {
  const key = String(name);
  // class-transformer would also convert with the field of the base class.
  if (fieldsOf(prototype).includes(key)) throw new Error(`The field ${key} is already declared.`);
  FIELDS.set(prototype, (FIELDS.get(prototype) ?? new Set()).add(key));
}

/** The fields of a prototype, including inherited ones. */
function fieldsOf(prototype: object): string[] {
  const parent = Object.getPrototypeOf(prototype) as object | null;
  return [...(parent === null ? [] : fieldsOf(parent)), ...(FIELDS.get(prototype) ?? [])];
}

const NAMES = new WeakMap<object, readonly string[]>();

/** `fieldsOf` a type that is complete. */
function namesOf(prototype: object): readonly string[] {
  const names = NAMES.get(prototype) ?? fieldsOf(prototype);
  NAMES.set(prototype, names);
  return names;
}

/** A value as sent. A function, since class-transformer copies lists and objects, however long, before it converts. */
type Sent = () => { readonly value: unknown; readonly budget: ElementBudget };

/**
 * Reads an object by the fields of its type. Unknown keys are dropped without reading their values.
 * @returns an instance of `type`, or the errors by field
 */
export function readObject(type: new () => object, raw: object, budget: ElementBudget): Reading {
  const names = namesOf(type.prototype as object);
  const picked: Record<string, Sent> = {};
  for (const name of names) {
    const value = Object.hasOwn(raw, name) ? (raw as Record<string, unknown>)[name] : undefined;
    if (value !== undefined) picked[name] = () => ({ value, budget });
  }
  const value = plainToInstance(type, picked, { exposeUnsetFields: false });
  const errors = validateSync(value, { forbidUnknownValues: false });
  if (errors.length === 0) return { value };
  const problems = new Map(
    errors.map(({ property, constraints }) => [property, JSON.parse(constraints?.[CONSTRAINT] ?? '') as unknown]),
  );
  const inOrder = names.filter((name) => problems.has(name));
  return { problem: Object.fromEntries(inOrder.map((name) => [name, problems.get(name)])) };
}

/** A value can be megabytes long, so error messages truncate it. */
const MAX_SHOWN = 1_000;

/** A value as quoted in error messages. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
