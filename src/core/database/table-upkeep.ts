import { Inject, Injectable } from '@nestjs/common';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { UpkeepEvery } from '../worker/workers.js';
import { Db } from './db.js';

const EVERY_MS = 1000;
/** A table is looked at again when it has so many times the pages that are known of it, … */
const GROWTH = 4;
/** … but for small ones: reading such a table from first to last is as good as anything else. */
const SMALL_PAGES = 16;
/** Deleted rows are cleared away when there are so many of them, … */
const DEAD_ROWS = 10_000;
/** … and so many for each that is there, … */
const DEAD_SHARE = 4;
/** … in tables of at most so many bytes: larger ones are left to the database, which takes its time for them. */
const MOST_BYTES = 32 * 2 ** 20;

/**
 * Does at once for a burst what the database does by itself once a minute.
 *
 * It keeps what is known of tables up with their growth: until then a burst makes a large table of one that was empty when its
 * statements were planned, and these would read all of it each time: a claim of deliveries took half a second. New
 * statistics make every connection, of all processes, plan anew. As they are asked for at every fourfold growth only, all of
 * them together cost little more than the last.
 *
 * And it clears away what was deleted where next to nothing else is: leases come and go, and to read the thousand that there
 * are means to read the pages of all that there were.
 */
@Injectable()
export class TableUpkeep {
  constructor(@Inject(Db) private readonly db: Db) {}

  @UpkeepEvery({ name: 'table upkeep', everyMs: EVERY_MS })
  async keepUp(): Promise<boolean> {
    await this.analyzeGrown();
    await this.vacuumDead();
    return false;
  }

  /** @returns the tables that have outgrown what was known of them */
  analyzeGrown(): Promise<string[]> {
    const known = sql`greatest(relpages, ${SMALL_PAGES}::int) * current_setting('block_size')::int`;
    return this.forTables(sql`pg_relation_size(oid) > ${GROWTH}::bigint * ${known}`, 'analyze (skip_locked)');
  }

  /** @returns the tables that were mostly deleted rows */
  vacuumDead(): Promise<string[]> {
    const dead = sql`pg_stat_get_dead_tuples(oid)`;
    return this.forTables(
      sql`${dead} > greatest(${DEAD_ROWS}::bigint, ${DEAD_SHARE}::bigint * pg_stat_get_live_tuples(oid))
        and pg_relation_size(oid) < ${MOST_BYTES}::bigint`,
      // To give back pages at the end it would have to lock the table.
      'vacuum (skip_locked, truncate off)',
    );
  }

  private async forTables(condition: Sql, command: string): Promise<string[]> {
    const tables = await this.db.query<{ name: string }>(sql`
      select format('%s.%I', relnamespace::regnamespace::text, relname) as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and pg_has_role(relowner, 'usage') and ${condition}
      order by name`);
    // One that is locked is being vacuumed or changed, and is looked at next time.
    for (const { name } of tables) await this.db.query(raw(`${command} ${name}`), { dynamic: true });
    return tables.map(({ name }) => name);
  }
}
