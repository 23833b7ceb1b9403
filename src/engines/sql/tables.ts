import { join, raw, Sql, sql } from './sql.js';

/** `alias.name`; the alias is the table's name unless the statement has another one for it. */
export type ColumnName = `${string}.${string}`;

/** A column, so that a fragment's columns can be found without reading its text. */
export class Column extends Sql {
  constructor(
    readonly alias: string,
    readonly name: string,
  ) {
    super([`${alias}.${name}`], []);
  }
}

/** A table in FROM, so that a fragment's tables can be found without reading its text. */
export class Table extends Sql {
  constructor(
    readonly name: string,
    readonly alias: string,
  ) {
    super([name === alias ? name : `${name} ${alias}`], []);
  }
}

const COLUMN_NAME = /^([a-z_]\w*)\.([a-z_]\w*)$/;

/** `column('task.name')`. Throws an Error for anything but a column's name, such as an expression. */
export function column(text: ColumnName): Column {
  const [, alias, name] = COLUMN_NAME.exec(text) ?? [];
  if (alias === undefined || name === undefined)
    throw new Error(`"${text}" is not a column: write an expression as Sql`);
  return new Column(alias, name);
}

/** Several columns of a table by name: `const TASK = columns('task', ['owner_id'])`, then `TASK.owner_id`. */
export function columns<Name extends string>(alias: string, names: readonly Name[]): Readonly<Record<Name, Column>> {
  return Object.fromEntries(names.map((name) => [name, new Column(alias, name)])) as Record<Name, Column>;
}

export const table = (name: string, alias = name): Table => new Table(name, alias);

/** A join of at most one row. */
export interface Join {
  readonly table: Table;
  /** Whether rows without a joined row remain. */
  readonly left: boolean;
  /** A unique column of the joined table. */
  readonly key: Column;
  /** What the key equals: a column or an expression of the tables before. */
  readonly reference: Sql;
}

/** Tables in the order of their joins. */
export interface Tables {
  readonly table: Table;
  readonly joins: readonly Join[];
}

const joining =
  (left: boolean) =>
  (joined: Table, reference: ColumnName | Sql, key = 'id'): Join => ({
    table: joined,
    left,
    key: new Column(joined.alias, key),
    reference: typeof reference === 'string' ? column(reference) : reference,
  });

/** `innerJoin(table('task'), 'job.task_id')`: `join task on task.id = job.task_id`. */
export const innerJoin = joining(false);

/** `leftJoin(table('app_user', 'owner'), 'task.owner_id')`. */
export const leftJoin = joining(true);

/** The text after FROM. */
export const from = ({ table: first, joins }: Tables): Sql =>
  join(
    [
      first,
      ...joins.map(
        ({ table: joined, left, key, reference }) =>
          sql`${raw(left ? 'left join' : 'join')} ${joined} on ${key} = ${reference}`,
      ),
    ],
    ' ',
  );

/** The tables and columns that fragments name with `table` and `column`. */
export interface Names {
  readonly tables: readonly Table[];
  readonly columns: readonly Column[];
}

export function namesIn(...parts: readonly Sql[]): Names {
  const names = { tables: new Set<Table>(), columns: new Set<Column>() };
  for (const part of parts) collect(part, names);
  return { tables: [...names.tables], columns: [...names.columns] };
}

function collect(part: Sql, names: { readonly tables: Set<Table>; readonly columns: Set<Column> }): void {
  if (part instanceof Column) names.columns.add(part);
  else if (part instanceof Table) names.tables.add(part);
  else for (const value of part.values) if (value instanceof Sql) collect(value, names);
}
