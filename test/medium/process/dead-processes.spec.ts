import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../src/config/env.js';
import { Db } from '../../../src/core/database/db.js';
import { ProcessConnection } from '../../../src/core/database/process-connection.js';
import { createLogger } from '../../../src/core/logging/logger.js';
import { LiveProcesses } from '../../../src/core/worker/live-processes.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { type RunningServer, start } from '../../../src/main.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

const DEAD = 2 ** 31 - 1;

describe('leases of dead processes', () => {
  let database: TestDatabase;
  let dataDir: string;
  let [one, other]: RunningServer[] = [];
  let db: Db;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await mkdtemp(join(tmpdir(), 'cairn-dead-'));
    const env = { DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: '0', IMAGE_PROCESS: 'false' };
    // Both processes hold leases; neither works on them.
    one = await start(readConfig(env), createLogger('silent'), 'api');
    other = await start(readConfig(env), createLogger('silent'), 'api');
    db = one.app.get(Db);
  });
  afterAll(async () => {
    await one?.stop();
    await other?.stop();
    await database.drop();
    await rm(dataDir, { recursive: true });
  });

  const numberOf = (server: RunningServer | undefined): number | null => server?.app.get(LiveProcesses).holder ?? null;

  async function lease(holder: number | null): Promise<void> {
    await db.query(sql`
      with webhook as (
        insert into webhook (target_url, type, active_since, api_version, events, created_date, updated_date)
        values ('http://example.com', 'server', now(), '2.1', '{update:task}', now(), now()) returning id
      ), holder as (
        insert into webhook_lease_holder select ${holder}::int where ${holder}::int is not null
      )
      insert into webhook_delivery (webhook_id, event, message_id, payload, status, next_attempt_at, lease, lease_end, holder,
        created_date, updated_date)
      select id, 'update:task', gen_random_uuid(), '{}', 'pending', now(), gen_random_uuid(), now() + interval '1 hour',
        ${holder}::int, now(), now() from webhook`);
    await db.query(sql`
      insert into background_request (id, type, target, status, parameters, leased_by, lease_end, holder, created_date)
      values (${`x=${holder}`}, 'gone:task', 'task', 'started', '{}', 'x', now() + interval '1 hour', ${holder}::int, now())`);
    await db.query(sql`
      insert into idempotency_key (user_id, key, fingerprint, created_date, holder)
      values (0, ${`${holder}`}, '', now(), ${holder}::int)`);
  }

  const held = async (): Promise<(number | null)[]> => {
    const rows = await db.query<{ holder: number | null }>(sql`
      select holder from webhook_delivery where lease is not null
      union all select holder from background_request where lease_end is not null
      union all select holder from idempotency_key where created_date > now() - interval '9 minutes'`);
    return rows.map(({ holder }) => holder);
  };

  it('are released long before they expire; those of live and unknown processes are kept', async () => {
    const live = [numberOf(one), numberOf(other), null];
    expect(live.filter((holder) => holder !== null)).toHaveLength(2);
    for (const holder of [...live, DEAD]) await lease(holder);
    while ((await held()).includes(DEAD)) await pause(50);
    expect(new Set(await held())).toEqual(new Set(live));
    expect(await db.query(sql`select status, leased_by from background_request where id = ${`x=${DEAD}`}`)).toEqual([
      { status: 'started', leased_by: null },
    ]);
  });

  it('are kept if only the connection with the lock breaks: the process reconnects', async () => {
    const before = new Set(await held());
    const number = numberOf(other);
    const session = other?.app.get(ProcessConnection).current;
    await db.query(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'cairn locks%' and datname = current_database()`);
    const isLost = () => session?.isLost === true;
    while (!isLost()) await pause(10);
    while (numberOf(other) === null || numberOf(one) === null) await pause(10);
    await pause(3_500); // longer than the grace period of a dead process
    expect(numberOf(other)).toBe(number);
    expect(new Set(await held())).toEqual(before);
  });

  it('are released when the process exits', async () => {
    const number = numberOf(other);
    await other?.stop();
    other = undefined;
    while ((await held()).includes(number)) await pause(50);
    expect(await held()).toContain(numberOf(one));
  });
});
