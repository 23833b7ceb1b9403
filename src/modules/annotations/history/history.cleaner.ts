import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { UpkeepEvery } from '../../../core/worker/workers.js';
import { raw, sql } from '../../../engines/sql/sql.js';
import { KINDS, REMOVED } from '../annotation-tables.js';

const EVERY_MS = 60_000;
const BATCH = 100;
const DAY_MS = 86_400_000;

/**
 * Deletes old saves, oldest first. A state is reconstructed from the rows that later saves removed, so every listed
 * save can be restored.
 */
@Injectable()
export class HistoryCleaner {
  constructor(
    private readonly work: UnitOfWork,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Deletes one batch in one transaction. @returns whether there may be more */
  @UpkeepEvery({ name: 'clean-up of the history of annotations', everyMs: EVERY_MS })
  cleanOnce(): Promise<boolean> {
    const limit = new Date(this.clock.now().getTime() - this.config.annotations.historyDays * DAY_MS);
    return this.work.run(async (tx) => {
      const old = await tx.query<{ id: number }>(sql`
        with oldest as (select id, created_date from annotation_revision order by id limit ${BATCH})
        select id from oldest
        where id < coalesce((select min(id) from oldest where created_date >= ${limit}), 9223372036854775807)`);
      if (old.length === 0) return false;
      const ids = old.map((row) => row.id);
      for (const kind of KINDS) {
        await tx.query(sql`
          delete from ${raw(REMOVED[kind])} gone using annotation_revision_part part
          where part.revision_id = any(${ids}::bigint[]) and gone.job_id = part.job_id and gone.removed_id = part.revision_id`);
      }
      await tx.query(sql`delete from annotation_revision where id = any(${ids}::bigint[])`);
      return old.length === BATCH;
    });
  }
}
