import { Inject, Injectable } from '@nestjs/common';
import { raw, sql } from '../../engines/sql/sql.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { Poller } from '../worker/poller.js';
import { Workers } from '../worker/workers.js';
import { Db } from './db.js';

const EVERY_MS = 1000;
/** A table is looked at again when it has so many times the pages that are known of it, … */
const GROWTH = 4;
/** … but for small ones: reading such a table from first to last is as good as anything else. */
const SMALL_PAGES = 16;

/**
 * Keeps what the database knows of its tables up with their growth. By itself it looks once a minute; until then a burst
 * makes a large table of one that was empty when its statements were planned, and these would read all of it each time: a
 * claim of deliveries took half a second. New statistics make every connection, of all processes, plan anew. As they
 * are asked for at every fourfold growth only, all of them together cost little more than the last.
 */
@Injectable()
export class TableStatistics {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(LOGGER) log: Logger,
    @Inject(Workers) workers: Workers,
  ) {
    const refresh = async (): Promise<boolean> => {
      await this.refresh();
      return false;
    };
    workers.add(new Poller('table statistics', EVERY_MS, refresh, log));
  }

  /** @returns the tables that have outgrown what was known of them */
  async refresh(): Promise<string[]> {
    const tables = await this.db.query<{ name: string }>(sql`
      select format('%s.%I', relnamespace::regnamespace::text, relname) as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and pg_has_role(relowner, 'usage')
        and pg_relation_size(oid) >
          ${GROWTH}::bigint * greatest(relpages, ${SMALL_PAGES}::int) * current_setting('block_size')::int
      order by name`);
    // One that is locked is being vacuumed or changed, and is looked at next time.
    for (const { name } of tables) await this.db.query(raw(`analyze (skip_locked) ${name}`), { dynamic: true });
    return tables.map(({ name }) => name);
  }
}
