type Json = Readonly<Record<string, unknown>>;

export interface JsonSchemaOptions {
  /** Where references into the document lead instead. */
  readonly reference?: (reference: string) => string;
  /** No keys beyond the named ones, unless a schema speaks of others itself. */
  readonly closed?: boolean;
}

/** A schema of OpenAPI 3.0, or anything with such schemas in it, as JSON Schema. */
export function toJsonSchema(value: unknown, options: JsonSchemaOptions = {}): unknown {
  if (Array.isArray(value)) return value.map((part) => toJsonSchema(part, options));
  if (typeof value !== 'object' || value === null) return value;
  const { nullable, $ref, ...rest } = value as Json & { nullable?: boolean; $ref?: unknown };
  const inner = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, toJsonSchema(part, options)]));
  const { reference = (same: string) => same, closed = false } = options;
  const schema = {
    ...inner,
    ...(typeof $ref === 'string' ? { $ref: reference($ref) } : {}),
    ...(closed && isObjectSchema(rest) && !('additionalProperties' in rest) ? { additionalProperties: false } : {}),
  };
  return nullable === true ? { anyOf: [{ type: 'null' }, schema] } : schema;
}

const isObjectSchema = (schema: Json): boolean => schema['type'] === 'object' && 'properties' in schema;
