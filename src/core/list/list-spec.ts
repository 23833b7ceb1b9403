import type { FieldKind, FilterField } from '../../engines/filter/filter-value.js';
import type { Dialect } from '../../engines/filter/json-logic.js';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import type { ApiVersion } from '../versioning/accept.js';

export interface ListField extends FilterField {
  /** All texts that a row can have, where clients may ask for others all the same. */
  readonly values?: readonly string[];
  /** How rows reach the field in another table; only with `ListSpec.rows`. */
  readonly through?: Through;
}

/** A to-one relation, stated so that indexes can be used over it. */
export interface Through {
  /** The column of the list's own table that refers to the other one. */
  readonly column: Sql;
  /** SELECT of its values where a test of the field's column holds; with an alias that the list's joins do not use. */
  readonly ids: (test: (column: Sql) => Sql) => Sql;
}

export interface Tally {
  /** With the alias that the list's own table has. */
  readonly table: Sql;
  /** As conditions name them: `job.state`. */
  readonly columns: readonly string[];
  /**
   * Columns of the list's own table that are never null, have an index, and change whenever the tally does. Conditions
   * over them are counted by the rows that do not meet them, where those are few.
   */
  readonly dates: readonly string[];
  /** How many rows of the list one row stands for. */
  readonly count: Sql;
}

/** What a resource states about its list; filter, search, sort and paging follow from it. */
export interface ListSpec {
  /** The table and its joins, as after FROM: `task left join ...`. The joins must not multiply rows, nor be commas. */
  readonly from: Sql;
  /**
   * The same for lists that can be long, in pieces by alias in the order of joining: finding and counting rows joins only
   * what it needs. So a join may leave out no row: left joins, and inner ones over references that are never null.
   */
  readonly rows?: {
    readonly table: Sql;
    readonly joins: Readonly<Record<string, Sql>>;
    /** Keys of joined tables, by the columns of the list's own table that refer to them: `'job.task_id': 'task.id'`. */
    readonly keys?: Readonly<Record<string, string>>;
  };
  /** A table that knows how many rows there are of each kind; conditions over its columns alone are counted by it. */
  readonly tally?: Tally;
  /** Allow-list for filter and sort, by wire name. */
  readonly fields: Readonly<Record<string, ListField>>;
  /** Which rows older API versions list, where these do not list all. */
  readonly older?: Partial<Readonly<Record<ApiVersion, Sql>>>;
  /** Which operators `filter` has. */
  readonly dialect?: Dialect;
  /** Names of fields that `search` looks into. */
  readonly search: readonly string[];
  /** Names of fields usable as query parameters. */
  readonly simple: readonly string[];
  /** More query parameters, with the fields they stand for: `task: 'task_id'`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Names usable in `sort`; all fields but to-many ones without it. */
  readonly sortable?: readonly string[];
  /** As a client would write it: `-id`. */
  readonly defaultSort: string;
  /** Unique column that is never null, for paging and total sorts; the field `id` without it. */
  readonly key?: Sql;
  /** Column of the organization id; without it the organization context does not filter. */
  readonly organization?: Sql;
}

/** `integer('task.id')`: a 32-bit or 64-bit integer column. */
export const integer = (column: string | Sql): ListField => field('integer', column);

/** A text column: compared as it is, searched without case. */
export const text = (column: string | Sql): ListField => field('text', column);

/**
 * A text column with an index over parts of its text, which must be one over this expression: for the column as it is the
 * database would also ask it for equal texts, thinks that fast, and reads every part of the text in it.
 */
export const longText = (column: string | Sql): ListField => ({
  ...text(column),
  inBatches: (one) => sql`(${one} || '')`,
});

/** A boolean column. */
export const bool = (column: string | Sql): ListField => field('boolean', column);

/** A timestamptz column. */
export const timestamp = (column: string | Sql): ListField => field('timestamp', column);

/** A text column with a closed set of values. */
export const choice = (column: string | Sql, choices: readonly string[]): ListField => ({
  ...field('enum', column),
  choices,
});

/** `missing` of a field that every row has. */
export const NEVER = raw('false');

/**
 * The same field with its way over a to-one relation. Its choices are then all the values that a row can have, in
 * ascending order.
 * `missing` is the condition of the rows without a value, when it is not that `way.column` is null.
 */
export const through = (one: ListField, { missing, ...way }: Through & { readonly missing?: Sql }): ListField => ({
  ...one,
  through: way,
  missing: missing ?? sql`${way.column} is null`,
});

/** The same field, reached over a to-many relation: `exists` wraps a condition on its column. */
export const throughMany = (one: ListField, exists: (condition: Sql) => Sql): ListField => ({ ...one, exists });

function field(kind: FieldKind, column: string | Sql): ListField {
  return { kind, column: typeof column === 'string' ? raw(column) : column };
}

/** A field that the spec itself refers to; an Error when it is missing, which is a mistake in the spec. */
export function fieldNamed(spec: ListSpec, name: string): ListField {
  const found = spec.fields[name];
  if (found === undefined) throw new Error(`The list has no field "${name}"`);
  return found;
}

/** The column that tells rows apart. */
export const keyOf = (spec: ListSpec): Sql => spec.key ?? fieldNamed(spec, 'id').column;

/** Names that a client may sort by. */
export const sortableNames = (spec: ListSpec): readonly string[] =>
  spec.sortable ?? Object.keys(spec.fields).filter((name) => spec.fields[name]?.exists === undefined);

/** Query parameters with the fields they stand for. */
export function simpleParameters(spec: ListSpec): [parameter: string, field: string][] {
  const aliases = spec.aliases ?? {};
  const own = spec.simple.filter((name) => !Object.hasOwn(aliases, name)).map((name): [string, string] => [name, name]);
  return [...own, ...Object.entries(aliases)];
}
