import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import { HoldsLeases, type LeaseTable, LiveProcesses } from './live-processes.js';

/** After this time without a renewal, another process takes over. */
const EXPIRY_MS = 10_000;
const RENEW_MS = 2_000;

export type Duty = 'webhooks with limits';

interface Known {
  readonly isOwn: boolean;
  /** Monotonic milliseconds. */
  readonly at: number;
}

/**
 * Work that only one process at a time may do, because it keeps in memory what it has to know about all of it. The first
 * process that asks gets the duty, and keeps it as long as it goes on asking. If it dies, another one gets it within seconds.
 */
@Injectable()
@HoldsLeases()
export class ProcessDuties implements LeaseTable, BeforeApplicationShutdown {
  readonly holders = sql`select holder from process_duty where holder is not null`;
  private readonly owner = randomUUID();
  private readonly known = new Map<Duty, Known>();

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly processes: LiveProcesses,
  ) {}

  /** Whether this process has the duty for the next seconds. */
  async has(duty: Duty): Promise<boolean> {
    const at = performance.now();
    const known = this.known.get(duty);
    if (known !== undefined && at - known.at < RENEW_MS) return known.isOwn;
    const isOwn = await this.take(duty);
    this.known.set(duty, { isOwn, at });
    return isOwn;
  }

  async releaseLeases(db: Db, dead: readonly number[]): Promise<void> {
    await db.query(sql`delete from process_duty where holder = any(${[...dead]}::int[])`);
  }

  /** Lets another process take over at once. */
  async beforeApplicationShutdown(): Promise<void> {
    const duties = [...this.known.keys()];
    this.known.clear();
    if (duties.length === 0) return;
    await this.db.query(sql`delete from process_duty where owner = ${this.owner}::uuid`).catch(() => undefined); // it expires
  }

  private async take(duty: Duty): Promise<boolean> {
    const now = this.clock.now();
    const rows = await this.db.query(sql`
      insert into process_duty (name, owner, holder, expiry_date)
      values (${duty}, ${this.owner}::uuid, ${this.processes.holder}::int, ${new Date(now.getTime() + EXPIRY_MS)})
      on conflict (name) do update
        set owner = excluded.owner, holder = excluded.holder, expiry_date = excluded.expiry_date
        where process_duty.owner = excluded.owner or process_duty.expiry_date <= ${now}
      returning 1`);
    return rows.length > 0;
  }
}
