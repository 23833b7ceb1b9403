import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

/** The value of a line in Prometheus's text format. */
const valueOf = (text: string, name: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
};

describe('metrics and health', () => {
  let app: TestApp;
  let receiver: Receiver;
  let owner: Person;
  let admin: Person;
  let projectId: number;

  beforeAll(async () => {
    app = await createTestApp({ env: { METRICS_ACCESS: 'admin' } });
    receiver = await createReceiver();
    owner = await new Given(app).person();
    admin = await new Given(app).admin();
    projectId = (await owner.http.post('/api/projects').send({ name: 'seen' })).body.id;
    await app.drain();
    const body = { target_url: receiver.url, type: 'project', project_id: projectId, events: ['update:project'] };
    await owner.http.post('/api/webhooks').send(body).expect(201);
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const rename = (headers: Readonly<Record<string, string>> = {}) =>
    owner.http.patch(`/api/projects/${projectId}`).set(headers).send({ name: 'n' }).expect(200);
  const metrics = async (): Promise<string> => (await admin.http.get('/metrics').expect(200)).text;

  it('count requests, events and deliveries, and report backlogs', async () => {
    await rename();
    await app.db.query(
      sql`update outbox_event set occurred_at = now() - interval '1 hour' where id in (select event_id from outbox_pending)`,
    );
    const health = await app.http.get('/api/server/health/?format=json&details=true').expect(200);
    expect(health.body).toMatchObject({ Database: 'working', Storage: 'working' });
    expect(health.body.details).toMatchObject({
      deliveries: { waiting: 0, oldest_seconds: null },
      events: { waiting: 1 },
    });
    expect(health.body.details.events.oldest_seconds).toBeGreaterThanOrEqual(3600);
    const before = await metrics();
    expect(valueOf(before, 'cairn_queue_waiting{queue="events"}')).toBe(1);
    expect(valueOf(before, 'cairn_queue_oldest_seconds{queue="events"}')).toBeGreaterThanOrEqual(3600);
    await app.db.query(
      sql`update outbox_event set occurred_at = now() where id in (select event_id from outbox_pending)`,
    );
    await app.drain();
    await app.db.query(sql`update webhook_delivery set created_date = now() - interval '1 hour'`); // paced: due only now
    await app.app.get(DeliveryWorker).runOnce();
    receiver.answerWith(500);
    await rename();
    await app.drain();
    await app.app.get(DeliveryWorker).runOnce();
    const text = await metrics();
    expect(valueOf(text, 'cairn_events_total{event="update:project"}')).toBe(2);
    expect(valueOf(text, 'cairn_webhook_attempts_total{outcome="delivered"}')).toBe(1);
    expect(valueOf(text, 'cairn_webhook_attempts_total{outcome="retry"}')).toBe(1);
    expect(valueOf(text, 'cairn_webhook_delivery_lag_seconds_count')).toBe(1);
    expect(valueOf(text, 'cairn_webhook_delivery_lag_seconds_sum')).toBeLessThan(3600);
    expect(valueOf(text, 'cairn_webhook_attempt_duration_seconds_count{outcome="delivered"}')).toBe(1);
    expect(valueOf(text, 'cairn_database_connections{state="waiting"}')).toBe(0);
    const renamed = 'method="PATCH",route="/api/projects/:id",status="200"';
    expect(valueOf(text, `cairn_http_request_duration_seconds_count{${renamed}}`)).toBe(2);
    for (const name of [
      'cairn_database_connections{state="busy"}',
      'cairn_chunk_cache_bytes',
      'cairn_event_streams',
      'process_resident_memory_bytes',
    ])
      expect(valueOf(text, name)).toBeGreaterThanOrEqual(0);
  });

  it('have no labels that clients can make up', async () => {
    await app.http.get('/api/made/up').expect(404);
    await app.http.get('/elsewhere').expect(404);
    const text = await metrics();
    expect(text).toContain('method="GET",route="none",status="404"');
    expect(text).not.toContain('made/up');
  });

  it('keep the format of health without details', async () => {
    const answer = await app.http.get('/api/server/health/?format=json');
    expect(Object.keys(answer.body as object)).toEqual(['Database', 'Storage', 'Events', 'Deliveries']);
  });

  it('are visible to those whom the setting allows', async () => {
    await owner.http.get('/metrics').expect(403);
    await app.http.get('/metrics').expect(403);
    for (const [access, plain, proxied] of [
      ['local', 200, 403],
      ['all', 200, 200],
    ] as const) {
      const other = await createTestApp({ env: { METRICS_ACCESS: access } });
      expect((await other.http.get('/metrics')).status).toBe(plain);
      expect((await other.http.get('/metrics').set('X-Forwarded-For', '127.0.0.1')).status).toBe(proxied);
      await other.close();
    }
  });

  describe('traces', () => {
    const told = async (headers: Readonly<Record<string, string>> = {}) => {
      await app.db.query(sql`delete from webhook_delivery`);
      receiver.arrivals.length = 0;
      receiver.answer = (response) => response.end();
      const answer = await rename(headers);
      await app.drain();
      await app.app.get(DeliveryWorker).runOnce();
      return {
        given: String(receiver.arrivals.at(-1)?.headers['traceparent']),
        id: answer.headers['x-request-id'] ?? '',
      };
    };
    const OWN = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00';

    it('continue that of the request, with another parent', async () => {
      const { given } = await told({ traceparent: OWN });
      expect(given).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/);
      expect(given).not.toBe(OWN);
    });

    it.each([undefined, 'nonsense', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, `${OWN}-x`])(
      'are made of the id of a request that came with %p',
      async (traceparent) => {
        const { given, id } = await told(traceparent === undefined ? {} : { traceparent });
        expect(given).toMatch(new RegExp(`^00-${id.replaceAll('-', '')}-[0-9a-f]{16}-01$`));
      },
    );
  });
});
