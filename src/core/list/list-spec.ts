import type { FieldKind, FilterField } from '../../engines/filter/filter-value.js';
import type { Dialect } from '../../engines/filter/json-logic.js';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { type Column, column, type ColumnName, type Table, type Tables } from '../../engines/sql/tables.js';
import type { ApiVersion } from '../versioning/accept.js';

export interface ListField extends FilterField {
  /** All texts that a row can have. Clients may still filter by other texts. */
  readonly values?: readonly string[];
  /** How to reach a field in another table; only with `ListSpec.rows`. */
  readonly through?: Through;
}

/** A to-one relation, in a form that lets the database use indexes. */
export interface Through {
  /** The foreign-key column of the list's own table. */
  readonly column: Column;
  /**
   * SELECT of the column's values for which a test of the field holds. Its alias must not occur in the list's joins.
   */
  readonly ids: (test: (column: Sql) => Sql) => Sql;
}

export interface Tally {
  /** With the same alias as the list's own table. */
  readonly table: Table;
  /** Columns that the list's own table also has: `job.state`. */
  readonly columns: readonly ColumnName[];
  /**
   * Columns of the list's own table that are never null, are indexed, and change whenever the tally changes. Conditions
   * on them are counted by the rows that do not match, if those are few.
   */
  readonly dates: readonly ColumnName[];
  /** How many rows of the list one tally row represents. */
  readonly count: Sql;
}

/**
 * The definition of a resource's list. Filters, search, sorting and paging follow from it. Which tables a statement joins
 * and when a cached count is outdated follow from the tables and columns that its fragments name with `table` and
 * `column`. A list whose `from` names no table is counted for every request.
 */
export interface ListSpec {
  /** The table and its joins, as in FROM: `task left join ...`. Joins must not multiply rows. */
  readonly from: Sql;
  /**
   * The same for lists that can be long: finding and counting rows joins only what it needs. So no join may remove rows:
   * use left joins, or inner joins over references that are never null.
   */
  readonly rows?: Tables;
  /**
   * A table with the number of rows of each combination of values. Conditions on its columns alone are counted with it.
   */
  readonly tally?: Tally;
  /** Allow-list for filters and sorting, by wire name. */
  readonly fields: Readonly<Record<string, ListField>>;
  /** Conditions for the rows that older API versions list, if they do not list all. */
  readonly older?: Partial<Readonly<Record<ApiVersion, Sql>>>;
  /** The operators of `filter`. */
  readonly dialect?: Dialect;
  /** Names of the fields that `search` searches. */
  readonly search: readonly string[];
  /** Names of fields that are also query parameters. */
  readonly simple: readonly string[];
  /** Additional query parameters, with the fields they stand for: `task: 'task_id'`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Names allowed in `sort`. Default: all fields except to-many ones. */
  readonly sortable?: readonly string[];
  /** In the client's syntax: `-id`. */
  readonly defaultSort: string;
  /** A unique column that is never null, for paging and total order. Default: the field `id`. */
  readonly key?: Sql;
  /** Column of the organization id. Without it, the organization context does not filter. */
  readonly organization?: Sql;
}

/** `integer('task.id')`: a 32-bit or 64-bit integer column. */
export const integer = (value: ColumnName | Sql): ListField => field('integer', value);

/** A text column: compared exactly, searched case-insensitively. */
export const text = (value: ColumnName | Sql): ListField => field('text', value);

/**
 * A text column with a trigram index, which must be on this expression. If it were on the column itself, the database
 * would also use it for equality, underestimating the cost of reading every trigram of the text.
 */
export const longText = (value: ColumnName | Sql): ListField => ({
  ...text(value),
  inBatches: (one) => sql`(${one} || '')`,
});

/** A boolean column. */
export const bool = (value: ColumnName | Sql): ListField => field('boolean', value);

/** A timestamptz column. */
export const timestamp = (value: ColumnName | Sql): ListField => field('timestamp', value);

/** A text column with a closed set of values. */
export const choice = (value: ColumnName | Sql, choices: readonly string[]): ListField => ({
  ...field('enum', value),
  choices,
});

/** `missing` for a field that every row has. */
export const NEVER = raw('false');

/**
 * The same field, reached over a to-one relation. Its choices must be all values that a row can have, in ascending
 * order. `missing` is the condition for rows without a value, unless that is `way.column` being null.
 */
export const through = (one: ListField, { missing, ...way }: Through & { readonly missing?: Sql }): ListField => ({
  ...one,
  through: way,
  missing: missing ?? sql`${way.column} is null`,
});

/** The same field, reached over a to-many relation. `exists` wraps a condition on its column. */
export const throughMany = (one: ListField, exists: (condition: Sql) => Sql): ListField => ({ ...one, exists });

function field(kind: FieldKind, value: ColumnName | Sql): ListField {
  return { kind, column: typeof value === 'string' ? column(value) : value };
}

/** A field that the spec itself refers to. Throws an Error if it is missing, which is a bug in the spec. */
export function fieldNamed(spec: ListSpec, name: string): ListField {
  const found = spec.fields[name];
  if (found === undefined) throw new Error(`The list has no field "${name}"`);
  return found;
}

/** The column that identifies rows. */
export const keyOf = (spec: ListSpec): Sql => spec.key ?? fieldNamed(spec, 'id').column;

/** Names that clients can sort by. */
export const sortableNames = (spec: ListSpec): readonly string[] =>
  spec.sortable ?? Object.keys(spec.fields).filter((name) => spec.fields[name]?.exists === undefined);

/** Query parameters with the fields they stand for. */
export function simpleParameters(spec: ListSpec): [parameter: string, field: string][] {
  const aliases = spec.aliases ?? {};
  const own = spec.simple.filter((name) => !Object.hasOwn(aliases, name)).map((name): [string, string] => [name, name]);
  return [...own, ...Object.entries(aliases)];
}
