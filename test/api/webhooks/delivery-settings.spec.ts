import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { verifyStandard } from '../../../src/engines/signature/standard-webhooks.js';
import { signBody } from '../../../src/engines/signature/body-signature.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, NEWEST, type Person } from '../../support/given.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

describe('delivery settings', () => {
  let app: TestApp;
  let receiver: Receiver;
  let owner: Person;
  let projectId: number;

  beforeAll(async () => {
    app = await createTestApp();
    receiver = await createReceiver();
    owner = await new Given(app).person();
    owner.http.set('Accept', NEWEST);
    projectId = (await owner.http.post('/api/projects').send({ name: 'seen' })).body.id;
  });
  beforeEach(() => {
    receiver.arrivals.length = 0;
    receiver.answer = (response) => response.end('thank you');
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const post = (more: object) =>
    owner.http
      .post('/api/webhooks')
      .send({ target_url: receiver.url, type: 'project', project_id: projectId, events: ['update:project'], ...more });
  const create = async (more: object = {}): Promise<number> => (await post(more).expect(201)).body.id;
  const ping = (id: number) => owner.http.post(`/api/webhooks/${id}/ping`).expect(200);

  it('are shown in version 2.2 only', async () => {
    const settings = {
      ordered: true, retry_schedule: [0, 60], timeout: 5, rate_limit: 10, max_concurrency: 2,
      custom_headers: { Authorization: 'Bearer abc' },
    }; // prettier-ignore
    const id = await create(settings);
    const shown = await owner.http.get(`/api/webhooks/${id}`);
    const custom_headers = { Authorization: '***' };
    expect(shown.body).toMatchObject({ ...settings, custom_headers, paused_until: null, disabled_reason: null });
    const changed = await owner.http.patch(`/api/webhooks/${id}`).send({ retry_schedule: null, timeout: null });
    expect(changed.body).toMatchObject({ ordered: true, retry_schedule: null, timeout: null, rate_limit: 10 });
    for (const version of ['2.0', '2.1']) {
      const accept = `application/vnd.cvat+json; version=${version}`;
      const older = await owner.http.get(`/api/webhooks/${id}`).set('Accept', accept).expect(200);
      expect(older.body).not.toHaveProperty('ordered');
    }
  });

  it.each([
    [{ ordered: 'perhaps' }, { ordered: ['Must be a valid boolean.'] }],
    [{ retry_schedule: [] }, { retry_schedule: ['This list may not be empty.'] }],
    [{ retry_schedule: [0, -1] }, { retry_schedule: { 1: ['Ensure this value is greater than or equal to 0.'] } }],
    [{ timeout: 0 }, { timeout: ['Ensure this value is greater than or equal to 1.'] }],
    [{ timeout: 'soon' }, { timeout: ['A valid integer is required.'] }],
    [{ rate_limit: 0 }, { rate_limit: ['Ensure this value is greater than or equal to 1.'] }],
    [{ max_concurrency: 1001 }, { max_concurrency: ['Ensure this value is less than or equal to 1000.'] }],
    [{ custom_headers: [] }, { custom_headers: ['Expected an object with header names and values.'] }],
    [{ custom_headers: null }, { custom_headers: ['This field may not be null.'] }],
    [{ custom_headers: { Host: 'a' } }, { custom_headers: ['The header "Host" is reserved. Choose another name.'] }],
    [
      { custom_headers: { 'Webhook-Id': 'a' } },
      { custom_headers: ['The header "Webhook-Id" is reserved. Choose another name.'] },
    ],
    [{ custom_headers: { 'a b': 'c' } }, { custom_headers: ['"a b" is not a valid header name.'] }],
    [{ custom_headers: { a: '1', A: '2' } }, { custom_headers: ['The header "a" is listed twice. Remove one.'] }],
    [
      { custom_headers: { a: 'b\r\nHost: c' } },
      { custom_headers: ['The value of "a" must have at most 1000 printable ASCII characters.'] },
    ],
    [
      { generate_secret: true, secret: 'mine' },
      { generate_secret: ['Set either secret or generate_secret, not both.'] },
    ],
  ])('refuses %j', async (more, problem) => {
    const answer = await post(more);
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 400, body: problem });
  });

  it('sign with a generated secret that is shown once', async () => {
    const made = await post({ generate_secret: true }).expect(201);
    expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await owner.http.get(`/api/webhooks/${made.body.id}`)).body).not.toHaveProperty('secret');
    await ping(made.body.id);
    const [{ headers, bytes: body } = { headers: {}, bytes: Buffer.alloc(0) }] = receiver.arrivals;
    expect(verifyStandard({ headers, body, secrets: [made.body.secret], now: new Date() })).toBeNull();
  });

  it('sign with both secrets for a day after a rotation, then with the new one', async () => {
    const id = await create({ secret: 'old' });
    const rotated = await owner.http.post(`/api/webhooks/${id}/secret`).expect(200);
    const { secret, previous_secret_until: until } = rotated.body as Record<string, string>;
    expect(Date.parse(until ?? '') - Date.now()).toBeGreaterThan(86_000_000);
    await ping(id);
    await app.db.query(sql`update webhook set previous_secret_until = now() - interval '1 second' where id = ${id}`);
    await ping(id);
    const checks = receiver.arrivals.map(({ headers, bytes: body }) => ({
      old: verifyStandard({ headers, body, secrets: ['old'], now: new Date() }) === null,
      fresh: verifyStandard({ headers, body, secrets: [secret ?? ''], now: new Date() }) === null,
      hex: headers['x-signature-256'] === signBody(secret ?? '', body),
    }));
    expect(checks).toEqual([
      { old: true, fresh: true, hex: true },
      { old: false, fresh: true, hex: true },
    ]);
  });

  it('forbid others to rotate or resume', async () => {
    const id = await create();
    const other = await new Given(app).person();
    await other.http.post(`/api/webhooks/${id}/secret`).expect(403);
    await other.http.post(`/api/webhooks/${id}/resume`).expect(403);
    await owner.http.post('/api/webhooks/999999/secret').expect(404);
  });

  it('never show header values, and keep those that a body masks', async () => {
    const custom_headers = { Authorization: 'hidden-1', 'X-Key': 'hidden-2' };
    const made = await post({ custom_headers }).expect(201);
    const id = made.body.id as number;
    const change = (body: object) => owner.http.patch(`/api/webhooks/${id}`).send(body);
    const answers = [
      made,
      await owner.http.get('/api/webhooks'),
      await change({ description: 'x', custom_headers: { authorization: '***', 'X-Key': 'hidden-3', 'X-New': '' } }),
      await owner.http.get(`/api/webhooks/${id}`),
      await ping(id),
      await owner.http.get(`/api/webhooks/${id}/deliveries`),
    ];
    for (const { status, text } of answers) expect([status < 300, text.includes('hidden')]).toEqual([true, false]);
    const [arrival] = receiver.arrivals;
    expect(arrival?.headers).toMatchObject({ authorization: 'hidden-1', 'x-key': 'hidden-3', 'x-new': '' });
    expect(arrival?.bytes.toString()).not.toContain('hidden');
    const unknown = await change({ custom_headers: { 'X-Other': '***' } });
    expect([unknown.status, unknown.body]).toEqual([
      400,
      { custom_headers: ['The header "X-Other" has no stored value. Enter its value instead of ***.'] },
    ]);
    expect((await post({ custom_headers: { 'X-Key': '***' } })).body).toEqual({
      custom_headers: ['The header "X-Key" has no stored value. Enter its value instead of ***.'],
    });
  });

  it('do not send stored header values to another server', async () => {
    const id = await create({ custom_headers: { 'X-Key': 'hidden' } });
    const change = (body: object) => owner.http.patch(`/api/webhooks/${id}`).send(body);
    const elsewhere = { target_url: 'http://other.example/hook' };
    const refused = {
      custom_headers: ['Enter the values of "x-key" again, because target_url has changed to another server.'],
    };
    expect((await change(elsewhere)).body).toEqual(refused);
    const masked = await change({ ...elsewhere, custom_headers: { 'x-key': '***' } });
    expect([masked.status, masked.body]).toEqual([400, refused]);
    await change({ target_url: `${receiver.url}/other` }).expect(200);
    await change({ ...elsewhere, custom_headers: { 'X-Key': 'given' } }).expect(200);
    await change({ target_url: receiver.url, custom_headers: {} }).expect(200);
  });

  it('record each attempt without secrets', async () => {
    receiver.answer = (response) => response.writeHead(500, { 'set-cookie': 'a=b', 'x-note': 'hi' }).end('it broke');
    const id = await create({ custom_headers: { 'X-Key': 'hidden' } });
    const delivery = await ping(id);
    expect(receiver.arrivals[0]?.headers['x-key']).toBe('hidden');
    const path = `/api/webhooks/${id}/deliveries/${delivery.body.id}/attempts`;
    const answer = await owner.http.get(path).expect(200);
    expect(answer.body).toMatchObject([
      {
        number: 1,
        status_code: 500,
        error: 'the receiver responded with 500; see its log for the cause',
        request: { headers: { 'X-Key': '***', 'content-type': 'application/json' } },
        response: { headers: { 'set-cookie': '***', 'x-note': 'hi' }, body: 'it broke' },
        addresses: ['127.0.0.1'],
        timings: { dns: null, tls: null },
      },
    ]);
    expect(JSON.stringify(answer.body)).not.toContain('hidden');
    await owner.http.get(`/api/webhooks/${id}/deliveries/999999/attempts`).expect(404);
    await (await new Given(app).person()).http.get(path).expect(403);
  });

  it('switch a webhook off with the reason on 410, and on again by resume', async () => {
    receiver.answerWith(410);
    const id = await create();
    await owner.http.patch(`/api/projects/${projectId}`).send({ name: 'gone' });
    await app.drain();
    await app.app.get(DeliveryWorker).runOnce();
    const off = (await owner.http.get(`/api/webhooks/${id}`)).body;
    expect(off).toMatchObject({ is_active: false, disabled_reason: expect.stringContaining('responded with 410') });
    const on = (await owner.http.post(`/api/webhooks/${id}/resume`).expect(200)).body;
    expect(on).toMatchObject({ is_active: true, disabled_reason: null, paused_until: null });
  });
});
