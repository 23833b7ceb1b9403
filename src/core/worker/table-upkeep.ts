import { Injectable } from '@nestjs/common';
import { raw, sql } from '../../engines/sql/sql.js';
import { UpkeepEvery } from './workers.js';
import { Db } from '../database/db.js';

const EVERY_MS = 1000;
/** A table is analyzed again when it has this many times as many pages as its statistics say. */
const GROWTH = 4;
/** Below this number of pages, a sequential scan is as good as any other plan. */
const SMALL_PAGES = 16;

/**
 * Analyzes tables that have grown fourfold since they were last analyzed. Autovacuum runs at most once a minute. Until
 * then, statements planned on an empty table keep scanning it even after a burst of events made it large. New
 * statistics make every connection plan again.
 */
@Injectable()
export class TableUpkeep {
  constructor(private readonly db: Db) {}

  @UpkeepEvery({ name: 'table upkeep', everyMs: EVERY_MS })
  async keepUp(): Promise<boolean> {
    await this.analyzeGrown();
    return false;
  }

  /** @returns the tables that were analyzed */
  async analyzeGrown(): Promise<string[]> {
    const known = sql`greatest(relpages, ${SMALL_PAGES}::int) * current_setting('block_size')::int`;
    const tables = await this.db.query<{ name: string }>(sql`
      select format('%s.%I', relnamespace::regnamespace::text, relname) as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and pg_has_role(relowner, 'usage')
        and pg_relation_size(oid) > ${GROWTH}::bigint * ${known}
      order by name`);
    // A locked table is being analyzed or altered. The next run checks it again.
    for (const { name } of tables) await this.db.query(raw(`analyze (skip_locked) ${name}`), { dynamic: true });
    return tables.map(({ name }) => name);
  }
}
