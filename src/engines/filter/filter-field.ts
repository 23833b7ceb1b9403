import type { Sql } from '../sql/sql.js';

export type FieldKind = 'integer' | 'text' | 'boolean' | 'timestamp' | 'enum';

/** A field that a client may filter by. */
export interface FilterField {
  /** The expression that is compared. Of a to-many field it is valid inside `exists` only. */
  readonly column: Sql;
  readonly kind: FieldKind;
  /** How a column is written where a part of its text is looked for, as its index over parts has it. Default: as it is. */
  readonly inBatches?: (column: Sql) => Sql;
  /** Condition of the rows without a value, where it asks less than `column is null`. */
  readonly missing?: Sql;
  /** Values of an enum. */
  readonly choices?: readonly string[];
  /** What newer clients call some of the choices. */
  readonly synonyms?: Readonly<Record<string, string>>;
  /** To-many field: how a condition on `column` becomes EXISTS. */
  readonly exists?: (condition: Sql) => Sql;
}

/** A client's word for a value of the field, as rows have it. */
export const canonical = ({ synonyms }: FilterField, word: string): string =>
  synonyms !== undefined && Object.hasOwn(synonyms, word) ? (synonyms[word] ?? word) : word;
