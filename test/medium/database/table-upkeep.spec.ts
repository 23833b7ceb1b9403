import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientBase } from 'pg';
import { TableUpkeep } from '../../../src/core/database/table-upkeep.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { planText } from '../../support/statements.js';

const DUE = `prepare due (int, int) as select id from webhook_delivery where webhook_id = $1 and next_attempt_at <= now()
  order by next_attempt_at, id limit $2`;
const FILL = `insert into webhook_delivery (webhook_id, event, message_id, payload, status, next_attempt_at, created_date, updated_date)
  select webhook.id, 'update:job', gen_random_uuid(), '{}', 'pending', now(), now(), now() from webhook, generate_series(1, 20000)`;

const LEASES = `insert into webhook_lease (delivery_id, lease, ends_at)
  select number, gen_random_uuid(), now() from generate_series(1, 20000) number`;

let app: TestApp;
let upkeep: TableUpkeep;

beforeAll(async () => {
  app = await createTestApp();
  upkeep = app.app.get(TableUpkeep);
});
afterAll(() => app.close());

/** How a statement is carried out that was prepared when there was nothing in its table. */
async function planOf(client: ClientBase): Promise<string> {
  return planText((await client.query<{ 'QUERY PLAN': string }>('explain execute due (1, 100)')).rows);
}

describe('TableUpkeep', () => {
  it('has statements planned anew when an empty table has become a large one', async () => {
    await app.db.withClient(async (client) => {
      await client.query(`
        insert into webhook (target_url, content_type, type, events, is_active, enable_ssl, api_version, active_since, created_date, updated_date)
        values ('http://localhost', 'application/json', 'server', '{}', true, true, '2.1', now(), now(), now())`);
      await client.query('analyze webhook_delivery');
      await client.query('set plan_cache_mode = force_generic_plan');
      await client.query(DUE);
      expect(await planOf(client)).toContain('Seq Scan');
      expect(await upkeep.analyzeGrown()).toEqual([]);
      await client.query(FILL);
      expect(await planOf(client)).toContain('Seq Scan');

      expect(await upkeep.analyzeGrown()).toEqual(['public.webhook_delivery']);
      expect(await planOf(client)).toContain('using ix_webhook_delivery_due');
      expect(await planOf(client)).not.toContain('Sort');
      expect(await upkeep.analyzeGrown()).toEqual([]);
      await client.query('reset plan_cache_mode');
      await client.query('deallocate due');
    });
  });

  it('clears away the rows that were deleted, so that their pages are used again', async () => {
    await app.db.withClient(async (client) => {
      const size = async (): Promise<string> =>
        (await client.query<{ size: string }>(`select pg_relation_size('webhook_lease') as size`)).rows[0]?.size ?? '';
      const told = (): Promise<unknown> => client.query('select pg_stat_force_next_flush()');
      await client.query(LEASES);
      await told();
      const filled = await size();
      expect(await upkeep.vacuumDead()).toEqual([]);

      await client.query('delete from webhook_lease');
      await told();
      expect(await upkeep.vacuumDead()).toEqual(['public.webhook_lease']);
      await client.query(LEASES);
      expect(await size()).toBe(filled);
      await client.query('delete from webhook_lease');
    });
  });
});
