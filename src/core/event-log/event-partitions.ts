import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { raw, sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import type { Tx } from '../database/tx.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { UpkeepEvery } from '../worker/workers.js';

const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;
/** Advisory lock: one process creates or drops partitions at a time. The number is arbitrary. */
const LOCK = 0x45_56_50_41;
/** Dropping a partition locks the table, so it gives way to a long export and is repeated an hour later. */
const LOCK_TIMEOUT = '2s';

/** A month in UTC. */
interface Month {
  readonly table: string;
  readonly start: Date;
  readonly end: Date;
}

/** The month that contains the time, or a later one. */
function monthOf(time: Date, later = 0): Month {
  const start = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + later));
  const end = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
  return { table: `logged_event_${start.toISOString().slice(0, 7).replace('-', '_')}`, start, end };
}

/** Creates the monthly partitions of the event log ahead of time, and drops those that are too old. */
@Injectable()
export class EventPartitions {
  private readonly known = new Set<string>();

  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Ensures that rows of this time can be written. Takes no statement after the first call of a month. */
  async ensure(time: Date): Promise<void> {
    const month = monthOf(time);
    if (this.known.has(month.table)) return;
    await this.create(month);
    this.known.add(month.table);
  }

  /** Call it after a failed insertion: the partition may have been dropped, or the database replaced. */
  forget(): void {
    this.known.clear();
  }

  @UpkeepEvery({ name: 'event log partitions', everyMs: EVERY_MS })
  async keepUp(): Promise<void> {
    const now = this.clock.now();
    await this.create(monthOf(now));
    await this.create(monthOf(now, 1));
    await this.dropOld();
  }

  /** Drops partitions whose rows are all older than the retention period. @returns their names */
  async dropOld(): Promise<string[]> {
    const { retentionDays } = this.config.events;
    if (retentionDays === 0) return [];
    const limit = new Date(this.clock.now().getTime() - retentionDays * DAY_MS);
    const old = (await this.partitions()).filter(({ end }) => end <= limit);
    for (const { table } of old) {
      await this.work.run(async (tx) => {
        await lock(tx);
        if (!(await exists(tx, table))) return;
        await tx.query(
          raw(`insert into logged_event_tally (org_id, is_audit, events)
            select org_id, is_audit, -count(*) from ${table} group by org_id, is_audit`),
          { dynamic: true },
        );
        await tx.query(raw(`drop table ${table}`), { dynamic: true });
      });
      this.known.delete(table);
    }
    return old.map(({ table }) => table);
  }

  /** The existing partitions, oldest first. */
  async partitions(): Promise<Month[]> {
    const rows = await this.db.query<{ name: string }>(sql`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'logged_event'::regclass order by relname`);
    return rows.flatMap(({ name }) => {
      const [, year, month] = /^logged_event_(\d{4})_(\d\d)$/.exec(name) ?? [];
      return year === undefined ? [] : [monthOf(new Date(Date.UTC(Number(year), Number(month) - 1)))];
    });
  }

  /** Attaches a new table, which unlike `create table … partition of` does not wait for readers and writers. */
  private async create({ table, start, end }: Month): Promise<void> {
    await this.work.run(async (tx) => {
      if (await exists(tx, table)) return;
      await lock(tx);
      if (await exists(tx, table)) return;
      const statements = [
        `create table ${table} (like logged_event including defaults including constraints including indexes)`,
        `alter table logged_event attach partition ${table}
          for values from ('${start.toISOString()}') to ('${end.toISOString()}')`,
        `create trigger logged_event_no_truncate before truncate on ${table}
          for each statement execute function refuse_change_of_logged_event()`,
      ];
      for (const statement of statements) await tx.query(raw(statement), { dynamic: true });
    });
  }
}

/** Reads the catalog: `to_regclass` would answer from a cache that does not know yet what others have created. */
async function exists(tx: Tx, table: string): Promise<boolean> {
  const found = await tx.query(sql`
    select 1 from pg_class where relname = ${table} and relnamespace = current_schema()::regnamespace`);
  return found.length > 0;
}

async function lock(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${LOCK}), set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`);
}
