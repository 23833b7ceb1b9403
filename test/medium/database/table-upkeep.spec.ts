import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientBase } from 'pg';
import { TableUpkeep } from '../../../src/core/worker/table-upkeep.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { planText } from '../../support/statements.js';

const DUE = `prepare due (int, int) as select id from webhook_delivery where webhook_id = $1 and next_attempt_at <= now()
  order by next_attempt_at, id limit $2`;
const FILL = `insert into webhook_delivery (webhook_id, event, message_id, payload, status, next_attempt_at, created_date, updated_date)
  select webhook.id, 'update:job', gen_random_uuid(), '{}', 'pending', now(), now(), now() from webhook, generate_series(1, 20000)`;

let app: TestApp;
let upkeep: TableUpkeep;

beforeAll(async () => {
  app = await createTestApp();
  upkeep = app.app.get(TableUpkeep);
});
afterAll(() => app.close());

/** The plan of a statement that was prepared while its table was empty. */
async function planOf(client: ClientBase): Promise<string> {
  return planText((await client.query<{ 'QUERY PLAN': string }>('explain execute due (1, 100)')).rows);
}

describe('TableUpkeep', () => {
  it('makes statements be planned again after an empty table has become large', async () => {
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
});
