import { hash } from 'node:crypto';
import { sql, type Sql } from '../../engines/sql/sql.js';
import { stampsOf } from './table-stamps.js';

/** What the statement tells beside its rows. */
export interface Counted {
  readonly list_count: number;
  /** Of what was counted; null when a part of it has no stamps. */
  readonly list_version: string | null;
}

/**
 * How rows are counted: a SELECT of one row `list_count` that depends on its parameters and on tables alone.
 * @param last the count as it was when it was last taken, 0 at first. Parameters may depend on it, the text does not
 */
export type Counting = (last: number) => Sql;

/** A count with what is known of it before it is taken. */
export interface Guess {
  readonly key: string;
  /** A SELECT of one row, `Counted`. */
  readonly total: Sql;
  /** The count as it was when it was last taken, perhaps no longer true; good enough to choose a plan by. */
  readonly last: number | undefined;
}

const MAX_COUNTS = 5_000;

/** Longer keys are kept as their hashes. */
const MAX_KEY_LENGTH = 500;

/** No version of any table: what was counted without one is always counted again. */
const NONE = '';

/**
 * Remembers counts, so that a million rows are not counted again for every page. Nothing is believed: each statement
 * names the version at which the count was taken, and the database counts anew unless that is the version of what is
 * counted in the statement's own snapshot. A version stands for contents (triggers draw a random stamp for every change, see the
 * migration), so another process, a rollback or a restored backup cannot make a remembered count wrong.
 */
export class ListCounts {
  private readonly counts = new Map<string, { readonly version: string; readonly count: number }>();

  guess(counting: Counting): Guess {
    const { text, values } = counting(0).compile();
    const key = short(`${text}\0${JSON.stringify(values)}`);
    const known = this.counts.get(key);
    const total = sql`select case when list_now.version = ${known?.version ?? NONE}::text then ${known?.count ?? 0}::bigint
        else (${counting(known?.count ?? 0)}) end as list_count, list_now.version as list_version
      from (${versionOf(stampsOf(text))}) list_now`;
    return { key, total, last: known?.count };
  }

  /** Remembers the answer to a guess. */
  learn({ key }: Guess, { list_count: count, list_version: version }: Counted): void {
    this.counts.delete(key); // the newest are last
    this.counts.set(key, { version: version ?? NONE, count });
    const [oldest] = this.counts.keys();
    if (this.counts.size > MAX_COUNTS && oldest !== undefined) this.counts.delete(oldest);
  }
}

const short = (key: string): string => (key.length <= MAX_KEY_LENGTH ? key : hash('sha256', key, 'base64'));

/** One row `version`: null when one of the stamps is not there. A single one needs no counting. */
const versionOf = (stamps: readonly string[]): Sql =>
  stamps.length === 1
    ? sql`select bit_xor(stamp)::text as version from table_stamp where table_name = ${stamps[0]}::text`
    : sql`select case when count(distinct table_name) = ${stamps.length}::int then bit_xor(stamp)::text end as version
        from table_stamp where table_name = any(${stamps}::text[])`;
