import { hash } from 'node:crypto';
import { sql, type Sql } from '../../engines/sql/sql.js';
import { namesIn } from '../../engines/sql/tables.js';

/** Columns of a list statement besides its rows. */
export interface Counted {
  readonly list_count: number;
  /** The version of what was counted; null if any part of it has no stamp. */
  readonly list_version: string | null;
}

/**
 * How rows are counted: a SELECT of one row `list_count` that depends only on its parameters and on tables.
 * @param last the previous count, 0 at first. Parameters may depend on it, the SQL text must not
 */
export type Counting = (last: number) => Sql;

/** A count and what is known about it before it is taken. */
export interface Guess {
  readonly key: string;
  /** A SELECT of one `Counted` row. */
  readonly total: Sql;
  /** The previous count, which may be outdated. Only used to choose a plan. */
  readonly last: number | undefined;
}

const MAX_COUNTS = 5_000;

/** Longer keys are replaced by their hashes. */
const MAX_KEY_LENGTH = 500;

/** Matches no version of any table, so a count without a version is always taken again. */
const NONE = '';

/**
 * Caches counts, so that a million rows are not counted again for every page. A cached count is always verified: each
 * statement passes the version at which the count was taken, and the database counts again unless the statement's
 * snapshot has that version. A version identifies contents (triggers draw a random stamp for every change, see the
 * migration), so another process, a rollback or a restored backup cannot invalidate the cache unnoticed.
 */
export class ListCounts {
  private readonly counts = new Map<string, { readonly version: string; readonly count: number }>();

  guess(counting: Counting): Guess {
    const counted = counting(0);
    const { text, values } = counted.compile();
    const key = short(`${text}\0${JSON.stringify(values)}`);
    const known = this.counts.get(key);
    const total = sql`select case when list_now.version = ${known?.version ?? NONE}::text then ${known?.count ?? 0}::bigint
        else (${counting(known?.count ?? 0)}) end as list_count, list_now.version as list_version
      from (${versionOf(stampsOf(counted))}) list_now`;
    return { key, total, last: known?.count };
  }

  /** Caches the result for a guess. */
  learn({ key }: Guess, { list_count: count, list_version: version }: Counted): void {
    this.counts.delete(key); // keeps the most recent entries last
    this.counts.set(key, { version: version ?? NONE, count });
    const [oldest] = this.counts.keys();
    if (this.counts.size > MAX_COUNTS && oldest !== undefined) this.counts.delete(oldest);
  }
}

const short = (key: string): string => (key.length <= MAX_KEY_LENGTH ? key : hash('sha256', key, 'base64'));

/** The names of stamps that together cover every change to what a statement reads. */
export interface Stamps {
  /** Each of these tables must have a stamp, else the version is unknown. */
  readonly tables: readonly string[];
  /** Columns as `table.column`. Those that change often have a stamp of their own; that of the table covers the others. */
  readonly columns: readonly string[];
}

/** No tables if the statement uses a column of a table that it does not name. */
export function stampsOf(statement: Sql): Stamps {
  const { tables, columns } = namesIn(statement);
  const names = new Set<string>();
  for (const { alias, name } of columns) {
    const owners = tables.filter((table) => table.alias === alias);
    if (owners.length === 0) return { tables: [], columns: [] };
    for (const owner of owners) names.add(`${owner.name}.${name}`);
  }
  return { tables: [...new Set(tables.map(({ name }) => name))], columns: [...names] };
}

/** One row `version`: null if a table has no stamp. */
function versionOf({ tables, columns }: Stamps): Sql {
  if (tables.length === 0) return sql`select null::text as version`;
  const all = [...tables, ...columns];
  if (all.length === 1)
    return sql`select bit_xor(stamp)::text as version from table_stamp where table_name = ${all[0]}::text`;
  const stamped = sql`count(distinct table_name) filter (where table_name = any(${tables}::text[]))`;
  return sql`select case when ${stamped} = ${tables.length}::int then bit_xor(stamp)::text end as version
    from table_stamp where table_name = any(${all}::text[])`;
}
