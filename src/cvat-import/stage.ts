/**
 * A temporary table that holds the records of one model until the dump has been read. A dump may refer to an object
 * before it appears, and may spread one of our rows over several records.
 */
export interface Stage {
  readonly name: string;
  /** The CVAT model, to name records in errors. */
  readonly model: string;
  /** The destination table; the stage has its columns. Absent if the rows only complete those of other stages. */
  readonly table?: string;
  /** Name and type of columns that the table does not have. */
  readonly own?: readonly string[];
  /** The rows are parts of records: the key of the record is what their own begins with, before ` of `. */
  readonly areParts?: true;
  /** Default: `id`. */
  readonly key?: string;
  /** Columns of the table that are not in the record: SQL over the row, called `row`, and over other stages. */
  readonly computed?: Readonly<Record<string, string>>;
  /**
   * The columns that name the owner of a row. A trigger has given each owner a row with defaults, which the imported one
   * replaces.
   */
  readonly owners?: readonly string[];
  /** Columns that hold the key of another stage. */
  readonly references?: Readonly<Record<string, string>>;
  /** The field of the record that gives a reference, if it is not the column without `_id`. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The prefix keeps the temporary tables from hiding real tables. */
export const stageTable = (stage: string): string => `cvat_${stage}`;
