import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { or, type Sql, sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import { Discovery, methodHook } from '../discovery/discovery.js';
import { UpkeepEvery } from '../worker/workers.js';

const EVERY_MS = 60_000;
const BATCH = 1000;
const DAY_MS = 86_400_000;

/** The method returns a selection of events, as a column `event_id`, that must not be deleted yet. */
export const KeepsEvents = methodHook<void, () => Sql>();

/** Deletes old relayed events in bounded batches. */
@Injectable()
export class OutboxCleaner {
  constructor(
    private readonly db: Db,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    private readonly discovery: Discovery,
  ) {}

  /** Deletes one batch. Ids grow with time, so the oldest events come first. @returns whether there may be more */
  @UpkeepEvery({ name: 'outbox clean-up', everyMs: EVERY_MS })
  async cleanOnce(): Promise<boolean> {
    const limit = new Date(this.clock.now().getTime() - this.config.webhooks.retentionDays * DAY_MS);
    const kept = this.discovery.methods(KeepsEvents).map(({ found }) => found());
    const isKept = kept.map((ids) => sql`exists (select 1 from (${ids}) kept where kept.event_id = oldest.id)`);
    const gone = await this.db.query(sql`
      with oldest as materialized (select id, occurred_at from outbox_event order by id limit ${BATCH})
      delete from outbox_event using oldest
      where outbox_event.id = oldest.id and oldest.occurred_at < ${limit}
        and not exists (select 1 from outbox_pending where event_id = oldest.id) and not ${or(isKept)}
      returning 1`);
    return gone.length === BATCH;
  }
}
