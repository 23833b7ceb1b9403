import type { FieldKind, FilterField } from '../../engines/filter/filter-field.js';
import { raw, type Sql } from '../../engines/sql/sql.js';

export type { FieldKind };
export type ListField = FilterField;

/** What a resource states about its list; filter, search, sort and paging follow from it. */
export interface ListSpec {
  /** The table and its joins, as after FROM: `task left join ...`. The joins must not multiply rows. */
  readonly from: Sql;
  /** Allow-list for filter and sort, by wire name. Must have `id` (or the first field is what makes a sort total). */
  readonly fields: Readonly<Record<string, ListField>>;
  /** Names of fields that `search` looks into. */
  readonly search: readonly string[];
  /** Names of fields usable as query parameters. */
  readonly simple: readonly string[];
  /** Query parameter to field where the two differ, e.g. `task: 'task_id'`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Names usable in `sort`; all fields without it. */
  readonly sortable?: readonly string[];
  /** As a client would write it: `-id`. */
  readonly defaultSort: string;
  /** Column of the organization id; without it the organization context does not filter. */
  readonly organization?: Sql;
}

/** `integer('task.id')`: a 32-bit or 64-bit integer column. */
export const integer = (column: string | Sql): ListField => field('integer', column);

/** A text column: compared as it is, searched without case. */
export const text = (column: string | Sql): ListField => field('text', column);

/** A boolean column. */
export const bool = (column: string | Sql): ListField => field('boolean', column);

/** A timestamptz column. */
export const timestamp = (column: string | Sql): ListField => field('timestamp', column);

/** A text column with a closed set of values. */
export const choice = (column: string | Sql, choices: readonly string[]): ListField => ({
  ...field('enum', column),
  choices,
});

/** The same field, reached over a to-many relation: `exists` wraps a condition on its column. */
export const throughMany = (one: ListField, exists: (condition: Sql) => Sql): ListField => ({ ...one, exists });

function field(kind: FieldKind, column: string | Sql): ListField {
  return { kind, column: typeof column === 'string' ? raw(column) : column };
}
