import type { OpenAPIObject } from '@nestjs/swagger';

/** Where a number is in a body: keys of objects, and 0 for the items of lists. */
export type FieldPath = readonly (string | 0)[];

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

/** Finds the numbers that operations accept. */
export class NumericInputs {
  constructor(private readonly document: OpenAPIObject) {}

  /** Names of the query parameters that are numbers. */
  queryOf(operation: string): string[] {
    return (this.find(operation).parameters ?? [])
      .map((one) => this.resolved(one as Schema) as unknown as Parameter)
      .filter((one) => one.in === 'query' && this.isNumber(one.schema))
      .map(({ name }) => name);
  }

  /** The numbers in the JSON body, each once. */
  bodyOf(operation: string): FieldPath[] {
    const found = new Map<string, FieldPath>();
    for (const path of this.numbersIn(this.bodySchema(operation), [], [])) found.set(path.join('.'), path);
    return [...found.values()];
  }

  /** The same for operations that take the same body. */
  bodyNameOf(operation: string): string {
    return this.bodySchema(operation)?.$ref ?? operation;
  }

  private bodySchema(operation: string): Schema | undefined {
    return this.find(operation).requestBody?.content?.['application/json']?.schema;
  }

  private find(operation: string): Operation {
    const [verb = '', path = ''] = operation.split(' ');
    return (this.document.paths[path]?.[verb.toLowerCase() as 'get'] ?? {}) as Operation;
  }

  private isNumber(schema: Schema | undefined): boolean {
    return ['integer', 'number'].includes(this.resolved(schema ?? {}).type ?? '');
  }

  private *numbersIn(schema: Schema | undefined, path: FieldPath, inside: readonly Schema[]): Generator<FieldPath> {
    const known = this.resolved(schema ?? {});
    if (inside.includes(known)) return;
    const nested = [...inside, known];
    if (this.isNumber(known)) yield path;
    for (const one of [known.allOf, known.oneOf, known.anyOf].flatMap((list) => list ?? []))
      yield* this.numbersIn(one, path, nested);
    for (const [key, inner] of Object.entries(known.properties ?? {}))
      yield* this.numbersIn(inner, [...path, key], nested);
    if (known.items !== undefined) yield* this.numbersIn(known.items, [...path, 0], nested);
  }

  private resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const keys = schema.$ref.split('/').slice(1);
    const found = keys.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], this.document);
    return this.resolved(found as Schema);
  }
}

const PLACEHOLDER = '@number@';

/**
 * The text of a body with other numbers. JSON.stringify cannot write all numbers that a client can send.
 * @param number as text, such as 1e400
 */
export function withNumbers(body: object, fields: readonly FieldPath[], number: string): string {
  const changed = structuredClone(body) as Record<string, unknown>;
  for (const path of fields) put(changed, path);
  return JSON.stringify(changed).replaceAll(`"${PLACEHOLDER}"`, number);
}

/** Adds missing objects and lists on the way to the field. */
function put(body: Record<string, unknown>, path: FieldPath): void {
  let at: Record<string, unknown> = body;
  for (const [index, key] of path.slice(0, -1).entries()) {
    const inner = at[key];
    const isThere = typeof inner === 'object' && inner !== null;
    const next = (isThere ? inner : path[index + 1] === 0 ? [] : {}) as Record<string, unknown>;
    at[key] = next;
    at = next;
  }
  at[path.at(-1) ?? ''] = PLACEHOLDER;
}
