import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openTwoClients, type TwoClients } from '../../support/two-clients.js';

const EACH = 100;

/** Two webhooks; each delivery has one attempt. */
const SEED = `
  insert into project (id, name, created_date, updated_date) values (1, 'p', now(), now());
  insert into webhook (target_url, type, active_since, api_version, project_id, events, created_date, updated_date)
    select 'http://example.org', 'project', now(), '2.1', 1, '{update:task}', now(), now() from generate_series(1, 2);
  insert into webhook_delivery (webhook_id, event, message_id, payload, status, created_date, updated_date)
    select webhook.id, 'update:task', gen_random_uuid(), '{}', 'delivered', now(), now()
    from webhook, generate_series(1, ${EACH});
  insert into webhook_attempt (delivery_id, number, started_at, duration) select id, 1, now(), 1 from webhook_delivery;`;

const DELIVERY = `insert into webhook_delivery (webhook_id, event, message_id, payload, status, created_date, updated_date)
  values ($1, 'update:task', gen_random_uuid(), '{}', 'failed', now(), now())`;

describe('deliveries and attempts of webhooks', () => {
  let clients: TwoClients['clients'];
  let close: TwoClients['close'];

  beforeEach(async () => {
    ({ clients, close } = await openTwoClients(SEED));
  });
  afterEach(() => close());

  const run = (text: string, values: readonly unknown[] = []): Promise<unknown> => clients[0].query(text, [...values]);

  async function counts(): Promise<Readonly<Record<string, number>>> {
    const { rows } = await clients[0].query<Record<string, number>>(`
      select (select count(*)::int from webhook) as webhook, (select count(*)::int from webhook_delivery) as delivery,
        (select count(*)::int from webhook_attempt) as attempt`);
    return rows[0] ?? {};
  }

  it.each([
    ['a webhook', 'delete from webhook where id = (select min(id) from webhook)', 1, EACH],
    ['all webhooks', 'delete from webhook', 0, 0],
    ['a delivery', 'delete from webhook_delivery where id = (select min(id) from webhook_delivery)', 2, 2 * EACH - 1],
    ['nothing', 'delete from webhook where id < 0', 2, 2 * EACH],
  ])('are deleted with %s, and no others are', async (_, deletion, webhooks, deliveries) => {
    await run(deletion);
    expect(await counts()).toEqual({ webhook: webhooks, delivery: deliveries, attempt: deliveries });
  });

  it('are refused for an unknown webhook, and cannot move to another one', async () => {
    await expect(run(DELIVERY, [0])).rejects.toMatchObject({ code: '23503' });
    await expect(run('update webhook_delivery set webhook_id = 0')).rejects.toMatchObject({ code: '23503' });
    expect(await counts()).toEqual({ webhook: 2, delivery: 2 * EACH, attempt: 2 * EACH });
  });

  it('wait for a deletion in progress, and are refused after it', async () => {
    const [, other] = clients;
    await other.query('begin');
    await other.query('delete from webhook where id = 1');
    const refused = expect(run(DELIVERY, [1])).rejects.toMatchObject({ code: '23503' });
    await other.query('commit');
    await refused;
  });

  it('are deleted with a webhook whose deletion had to wait for them', async () => {
    const [, other] = clients;
    await other.query('begin');
    await other.query(DELIVERY, [1]);
    const deleted = run('delete from webhook where id = 1');
    await other.query('commit');
    await deleted;
    expect(await counts()).toEqual({ webhook: 1, delivery: EACH, attempt: EACH });
  });
});
