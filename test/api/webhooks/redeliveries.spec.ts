import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';

const EARLIER = '2000-01-01T00:00:00Z';

interface Row {
  readonly event: string;
  readonly redelivery: boolean;
  readonly seconds: number;
}

describe('redeliveries', () => {
  let app: TestApp;
  let owner: Person;
  let projectId: number;
  let id: number;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });
  beforeEach(async () => {
    projectId = (await owner.http.post('/api/projects').send({ name: 'seen' })).body.id;
    const webhook = {
      target_url: 'http://127.0.0.1:9/',
      type: 'project',
      project_id: projectId,
      events: ['update:project'],
    };
    id = (await owner.http.post('/api/webhooks').send(webhook).expect(201)).body.id;
    for (const name of ['one', 'two', 'three']) await owner.http.patch(`/api/projects/${projectId}`).send({ name });
    await app.drain();
  });
  afterAll(() => app.close());

  const ask = (body: object) => owner.http.post(`/api/webhooks/${id}/redeliveries`).send(body);
  const deliveries = (): Promise<Row[]> =>
    app.db.query<Row>(sql`
      select event, redelivery, extract(epoch from next_attempt_at - created_date)::float8 as seconds
      from webhook_delivery where webhook_id = ${id} order by id`);
  const ids = async () =>
    (await app.db.query<{ id: number }>(sql`select id from webhook_delivery where webhook_id = ${id} order by id`)).map(
      (row) => row.id,
    );
  const finish = (status: string, which: readonly number[]) =>
    app.db.query(sql`
      update webhook_delivery set status = ${status}, next_attempt_at = null where id = any(${[...which]}::bigint[])`);

  it('send selected deliveries at a rate', async () => {
    const [first, , third] = await ids();
    await finish('delivered', await ids());
    const answer = await ask({ ids: [third, first], rate: 2 });
    expect([answer.status, answer.body]).toEqual([202, { count: 2, next: null }]);
    expect((await deliveries()).slice(3)).toMatchObject([
      { redelivery: true, seconds: 0 },
      { redelivery: true, seconds: 0.5 },
    ]);
  });

  it('send failed deliveries once', async () => {
    const [first, ...others] = await ids();
    await finish('failed', [first ?? 0]);
    await finish('delivered', others);
    expect((await ask({ since: EARLIER, which: 'failed' })).body).toEqual({ count: 1, next: null });
    expect((await ask({ since: EARLIER })).body).toEqual({ count: 0, next: null });
  });

  it('send everything since a time, without earlier redeliveries', async () => {
    expect((await ask({ since: EARLIER, which: 'all' })).body).toEqual({ count: 3, next: null });
    expect((await ask({ since: EARLIER, which: 'all' })).body).toEqual({ count: 3, next: null });
    expect((await ask({ since: '2999-01-01T00:00:00Z', which: 'all' })).body.count).toBe(0);
  });

  it('send events missed while the webhook was disabled', async () => {
    await owner.http.patch(`/api/webhooks/${id}`).send({ is_active: false });
    await owner.http.patch(`/api/projects/${projectId}`).send({ name: 'unheard' });
    await app.drain();
    expect(await deliveries()).toHaveLength(3);
    expect((await ask({ since: EARLIER, which: 'missing', rate: 10 })).body).toEqual({ count: 1, next: null });
    expect((await ask({ since: EARLIER, which: 'missing' })).body).toEqual({ count: 0, next: null });
    expect((await deliveries()).slice(3)).toMatchObject([{ event: 'update:project', redelivery: false }]);
  });

  it.each([
    [{}, { non_field_errors: ['Set either "ids" or "since".'] }],
    [{ ids: [1], since: EARLIER }, { non_field_errors: ['Set either "ids" or "since".'] }],
    [{ ids: [] }, { ids: ['This list may not be empty.'] }],
    [{ ids: [999999] }, { ids: ['The webhook has no delivery 999999.'] }],
    [{ ids: ['x'] }, { ids: { 0: ['A valid integer is required.'] } }],
    [{ since: EARLIER, which: 'some' }, { which: ['"some" is not a valid choice.'] }],
    [{ since: EARLIER, rate: 0 }, { rate: ['Ensure this value is greater than or equal to 1.'] }],
    [{ since: EARLIER, after: -1 }, { after: ['Ensure this value is greater than or equal to 0.'] }],
  ])('refuses %j', async (body, problem) => {
    const answer = await ask(body);
    expect([answer.status, answer.body]).toEqual([400, problem]);
    expect(await deliveries()).toHaveLength(3);
  });

  it('report an invalid time, and are refused to others', async () => {
    expect((await ask({ since: 'yesterday' })).body).toHaveProperty('since');
    const other = await new Given(app).person();
    await other.http.post(`/api/webhooks/${id}/redeliveries`).send({ since: EARLIER }).expect(403);
  });
});
