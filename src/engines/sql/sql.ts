/**
 * SQL as values: a template tag whose interpolations become parameters, never text. Fragments nest, so that queries can
 * be composed from conditions without counting `$n`.
 */
export class Sql {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
  ) {}

  /** The statement for the driver: text with `$1…$n` and the parameters in order. */
  compile(): { text: string; values: unknown[] } {
    const values: unknown[] = [];
    return { text: write(this, values), values };
  }
}

/** `sql\`id = ${id}\``: every interpolation that is not itself a fragment becomes a parameter. */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  return new Sql(strings, values);
}

/** Trusted text (identifiers and keywords from the code). Never pass client input. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

/**
 * A `text[]` of JSON texts from `JSON.stringify`. They contain no line breaks, so they need no escaping, which for long
 * texts costs more than processing them.
 */
export function jsonLines(texts: readonly string[]): Sql {
  return sql`string_to_array(${texts.join('\n')}, chr(10))`;
}

/** Joins fragments with a separator; `empty` is the result for no fragments. */
export function join(parts: readonly Sql[], separator: string, empty = ''): Sql {
  if (parts.length === 0) return raw(empty);
  return new Sql(['', ...parts.slice(1).map(() => separator), ''], parts);
}

/**
 * `column = value` for each given value. Columns whose value is undefined are not changed.
 * @param values by column name; trusted, like the text of `raw`
 */
export const assignments = (values: Readonly<Record<string, unknown>>): Sql[] =>
  Object.entries(values).flatMap(([column, value]) => (value === undefined ? [] : [sql`${raw(column)} = ${value}`]));

/** All conditions must hold; `true` for none. */
export function and(parts: readonly Sql[]): Sql {
  return parts.length === 1 ? (parts[0] ?? raw('true')) : join(parts.map(bracket), ' and ', 'true');
}

/** A condition made by `or`, which keeps its alternatives. */
class Either extends Sql {
  constructor(
    { strings, values }: Sql,
    readonly parts: readonly Sql[],
  ) {
    super(strings, values);
  }
}

/** One condition must hold; `false` for none. */
export function or(parts: readonly Sql[]): Sql {
  if (parts.length === 1) return parts[0] ?? raw('false');
  return new Either(bracket(join(parts.map(bracket), ' or ', 'false')), parts);
}

/** The alternatives of a condition made by `or`, otherwise the condition itself. */
export const alternatives = (condition: Sql): readonly Sql[] =>
  condition instanceof Either ? condition.parts : [condition];

/** A condition that a column has one of the values of a selection. */
class Among extends Sql {
  constructor(
    readonly column: Sql,
    readonly selection: Sql,
  ) {
    const { strings, values } = sql`${column} in (${selection})`;
    super(strings, values);
  }
}

/** `column in (selection)`, which `withArrays` can rewrite. */
export const among = (column: Sql, selection: Sql): Sql => new Among(column, selection);

/**
 * The same condition with an array in place of each selection of `among`. PostgreSQL then finds rows from the values
 * with an index, never the other way round.
 * @param columnFor returns the column that has the values: that of `among`, or one that equals it
 */
export function withArrays(condition: Sql, columnFor: (column: Sql) => Sql): Sql {
  if (condition.values.length === 0) return condition;
  if (condition instanceof Among) return sql`${columnFor(condition.column)} = any(array(${condition.selection}))`;
  const values = condition.values.map((value) => (value instanceof Sql ? withArrays(value, columnFor) : value));
  return new Sql(condition.strings, values);
}

const bracket = (part: Sql): Sql => sql`(${part})`;

function write(fragment: Sql, values: unknown[]): string {
  let text = fragment.strings[0] ?? '';
  fragment.values.forEach((value, index) => {
    text += value instanceof Sql ? write(value, values) : `$${values.push(value)}`;
    text += fragment.strings[index + 1] ?? '';
  });
  return text;
}

/** A LIKE pattern that finds `needle` anywhere, with %, _ and \ escaped. */
const containsPattern = (needle: string): string => `%${needle.replace(/[\\%_]/g, '\\$&')}%`;

/** Whether `column` (any type, as text) contains `needle`, case-sensitively. */
export const contains = (column: Sql, needle: string): Sql => sql`(${column})::text like ${containsPattern(needle)}`;

/** The same, ignoring case. */
export const containsCaseless = (column: Sql, needle: string): Sql =>
  sql`(${column})::text ilike ${containsPattern(needle)}`;
