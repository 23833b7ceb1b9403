import { Injectable } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { raw, sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import { UpkeepEvery } from '../worker/workers.js';
import type { MediaPlace } from './media-place.js';
import { MediaPlaces } from './media-places.js';

/** Arbitrary, but the same in every process. */
const HOLD = 7_244_203;
const EVERY_MS = 600_000;
const AT_A_TIME = 1000;

/**
 * Holds back the removal of files until the transaction ends, so that a backup finds the files of its snapshot. Take it
 * before the snapshot: whoever deletes rows later sees it after the commit, before the files are removed.
 */
export async function takeRemovalHold(client: ClientBase): Promise<void> {
  await client.query('select pg_advisory_xact_lock_shared($1)', [HOLD]);
}

const IS_HELD = raw(`exists (
  select from pg_locks where locktype = 'advisory' and granted and classid = 0 and objid = ${HOLD}
  and database = (select oid from pg_database where datname = current_database()))`);

/** Files whose removal waits until no backup is being made. */
@Injectable()
export class HeldRemovals {
  constructor(
    private readonly db: Db,
    private readonly places: MediaPlaces,
    private readonly clock: Clock,
  ) {}

  /**
   * Records what is to be removed later. Call it after the commit that deleted the rows.
   * @param keys of files, or of folders with a slash at their end
   * @returns false if no backup is being made, so that the files can be removed now
   */
  async hold(keys: readonly string[]): Promise<boolean> {
    if (keys.length === 0) return false;
    const rows = await this.db.query(sql`
      insert into held_removal (key, created_date)
      select distinct key, ${this.clock.now()}::timestamptz from unnest(${[...keys]}::text[]) as key where ${IS_HELD}
      on conflict (key) do update set created_date = excluded.created_date returning 1`);
    return rows.length > 0;
  }

  /** Removes files whose removal was held back. Files that were written since then belong to something else. */
  @UpkeepEvery({ name: 'clean-up after backups', everyMs: EVERY_MS, kind: 'requests' })
  async tidy(): Promise<void> {
    const rows = await this.db.query<{ key: string; created_date: string }>(sql`
      select key, created_date from held_removal where not ${IS_HELD} order by created_date limit ${AT_A_TIME}`);
    for (const { key, created_date: date } of rows) {
      for (const place of (await this.places.fresh()).read) await removeUntil(place, key, new Date(date));
      await this.db.query(sql`delete from held_removal where key = ${key} and created_date = ${date}::timestamptz`);
    }
  }
}

async function removeUntil(place: MediaPlace, key: string, date: Date): Promise<void> {
  if (!key.endsWith('/')) {
    const info = await place.info(key);
    if (info !== undefined && info.modified <= date) await place.remove(key);
    return;
  }
  let isEmpty = true;
  for await (const info of place.list(key)) {
    if (info.modified <= date) await place.remove(info.key);
    else isEmpty = false;
  }
  if (isEmpty) await place.removeFolder(key);
}
