import type { Sql } from '../sql/sql.js';

export type FieldKind = 'integer' | 'text' | 'boolean' | 'timestamp' | 'enum';

/** A field that a client may filter by. */
export interface FilterField {
  /** The expression that is compared. Of a to-many field it is valid inside `exists` only. */
  readonly column: Sql;
  readonly kind: FieldKind;
  /** Condition of the rows without a value, where it asks less than `column is null`. */
  readonly missing?: Sql;
  /** Values of an enum. */
  readonly choices?: readonly string[];
  /** To-many field: how a condition on `column` becomes EXISTS. */
  readonly exists?: (condition: Sql) => Sql;
}
