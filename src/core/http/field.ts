import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { registerDecorator, type ValidationArguments } from 'class-validator';

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

/** A field of a body by its parts: `api` documents it, `read` takes what a client may send for it. */
export function field(
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

/** A value as sentences quote it. */
export const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A problem that is an object rather than a sentence, carried through class-validator's text messages. */
const NESTED = '\u0001';
export const nested = (problem: unknown): string => NESTED + JSON.stringify(problem);
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
