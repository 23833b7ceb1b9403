import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

describe('supervision of events', () => {
  let app: TestApp;
  let admin: Person;

  beforeAll(async () => {
    app = await createTestApp();
    admin = await new Given(app).admin();
    await app.drain();
  });
  beforeEach(async () => {
    await app.db.query(sql`truncate outbox_quarantine`);
    await app.db.query(sql`
      insert into outbox_quarantine (listener, event_id, event, object_id, error, attempts, first_failed_date, last_failed_date)
      values ('webhooks', 1, 'update:job', '7', 'Error: first', 5, '2026-01-01', '2026-01-02'),
        ('event log', 1, 'update:job', '7', 'Error: second', 2, '2026-01-01', '2026-01-02'),
        ('webhooks', 2, 'create:task', '8', 'Error: third', 5, '2026-01-01', '2026-01-02')`);
  });
  afterAll(() => app.close());

  const retrying = async (): Promise<[string, number][]> => {
    const rows = await app.db.query<{ listener: string; event_id: number }>(sql`
      select listener, event_id from outbox_quarantine where returned_date is not null order by id`);
    return rows.map(({ listener, event_id: id }) => [listener, id]);
  };

  it.each(['get listeners', 'get quarantine', 'post quarantine/retry'])(
    'is only for administrators: %s',
    async (call) => {
      const person = await new Given(app).person();
      const [method, path] = call.split(' ') as ['get' | 'post', string];
      await person.http[method](`/api/events/${path}`).expect(403);
    },
  );

  it('lists listeners with their backlogs', async () => {
    const { body } = await admin.http.get('/api/events/listeners').expect(200);
    expect(body).toMatchObject([
      { name: 'event log', installed: true, waiting: 0, oldest_seconds: null, quarantined: 1, error: null },
      { name: 'quality feedback', quarantined: 0 },
      { name: 'webhooks', quarantined: 2 },
    ]);
  });

  it('lists events in quarantine with their errors, newest first', async () => {
    const { body } = await admin.http.get('/api/events/quarantine').expect(200);
    expect([body.count, body.results[0]]).toEqual([
      3,
      {
        id: expect.any(Number),
        listener: 'webhooks',
        event_id: 2,
        event: 'create:task',
        object_id: '8',
        error: 'Error: third',
        attempts: 5,
        first_failed_date: '2026-01-01T00:00:00Z',
        last_failed_date: '2026-01-02T00:00:00Z',
        returned_date: null,
      },
    ]);
  });

  it.each([
    ['listener=webhooks', [2, 1]],
    ['search=second', [1]],
    ['event=update:job', [1, 1]],
    ['retrying=true', []],
  ])('filters events in quarantine by %s', async (query, ids) => {
    const { body } = await admin.http.get(`/api/events/quarantine?${query}`).expect(200);
    expect(body.results.map(({ event_id: id }: { event_id: number }) => id)).toEqual(ids);
  });

  it.each([
    ['all events', {}, [['webhooks', 1], ['event log', 1], ['webhooks', 2]]],
    ['the events of a listener', { listener: 'webhooks' }, [['webhooks', 1], ['webhooks', 2]]],
    ['selected events', { events: [1] }, [['webhooks', 1], ['event log', 1]]],
    ['selected events of a listener', { listener: 'webhooks', events: [1] }, [['webhooks', 1]]],
  ])('retries %s', async (_, body, expected) => {
    const response = await admin.http.post('/api/events/quarantine/retry').send(body).expect(202);
    expect([response.body, await retrying()]).toEqual([{ count: expected.length }, expected]);
  }); // prettier-ignore

  it('names the field of a body that is not valid', async () => {
    const response = await admin.http
      .post('/api/events/quarantine/retry')
      .send({ events: ['x'] })
      .expect(400);
    expect(Object.keys(response.body as object)).toEqual(['events']);
  });
});
