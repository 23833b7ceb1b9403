/**
 * SQL as values: a template tag whose interpolations are parameters, never text. Fragments nest, so a query is put
 * together from conditions without counting `$n` by hand.
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

/** Trusted text (identifiers, keywords written in the code). Never give it anything a client sent. */
export function raw(text: string): Sql {
  return new Sql([text], []);
}

/**
 * A `text[]` of JSON texts as `JSON.stringify` makes them: they have no line breaks, so nothing needs to be escaped here nor
 * unescaped there, which for long texts costs more than what is done with them.
 */
export function jsonLines(texts: readonly string[]): Sql {
  return sql`string_to_array(${texts.join('\n')}, chr(10))`;
}

/** Fragments one after another with a separator; `empty` stands for none of them. */
export function join(parts: readonly Sql[], separator: string, empty = ''): Sql {
  if (parts.length === 0) return raw(empty);
  return new Sql(['', ...parts.slice(1).map(() => separator), ''], parts);
}

/**
 * `column = value` for each given value; a column whose value is undefined keeps its own.
 * @param values by column name; trusted, like the text of `raw`
 */
export const assignments = (values: Readonly<Record<string, unknown>>): Sql[] =>
  Object.entries(values).flatMap(([column, value]) => (value === undefined ? [] : [sql`${raw(column)} = ${value}`]));

/** All conditions must hold; none means `true`. */
export function and(parts: readonly Sql[]): Sql {
  return parts.length === 1 ? (parts[0] ?? raw('true')) : join(parts.map(bracket), ' and ', 'true');
}

/** A condition of which it is known that one of several holds. */
class Either extends Sql {
  constructor(
    { strings, values }: Sql,
    readonly parts: readonly Sql[],
  ) {
    super(strings, values);
  }
}

/** One condition must hold; none means `false`. */
export function or(parts: readonly Sql[]): Sql {
  if (parts.length === 1) return parts[0] ?? raw('false');
  return new Either(bracket(join(parts.map(bracket), ' or ', 'false')), parts);
}

/** The parts of a condition made by `or`, else the condition alone. */
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

/** `column in (selection)`, which `withArrays` can say otherwise. */
export const among = (column: Sql, selection: Sql): Sql => new Among(column, selection);

/**
 * The same condition with an array in the place of each selection of `among`: rows are then found from the values, by an
 * index, never the other way round.
 * @param columnFor gives the column that has the values, the one of `among` or one that equals it
 */
export function withArrays(condition: Sql, columnFor: (column: Sql) => Sql): Sql {
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
