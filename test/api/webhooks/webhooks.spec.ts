import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, NEWEST, type Person } from '../../support/given.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

describe('webhooks', () => {
  let app: TestApp;
  let given: Given;
  let receiver: Receiver;
  let owner: Person;
  let projectId: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    receiver = await createReceiver();
  });
  beforeEach(async () => {
    owner = await given.person();
    owner.http.set('Accept', NEWEST);
    projectId = (await owner.http.post('/api/projects').send({ name: 'seen' })).body.id;
    await app.drain();
    receiver.arrivals.length = 0;
    receiver.answer = (response) => response.end('thank you');
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const body = (more: object = {}) => ({
    target_url: receiver.url,
    type: 'project',
    project_id: projectId,
    events: ['update:task', 'create:task'],
    ...more,
  });
  const create = async (more: object = {}) => {
    const response = await owner.http.post('/api/webhooks').send(body(more));
    expect(response.status).toBe(201);
    return response.body as Record<string, unknown> & { id: number };
  };
  const deliver = async () => {
    await app.drain();
    const worker = app.app.get(DeliveryWorker);
    while ((await worker.runOnce()) > 0);
  };

  it('creates, reads and lists a webhook in every API version', async () => {
    const response = await owner.http.post('/api/webhooks').send(body({ secret: 'x', api_version: '2.1' }));
    expect(response.status).toBe(201);
    expect(response.headers['location']).toBe(response.body.url);
    expect(Object.keys(response.body)).toEqual([
      'id', 'url', 'target_url', 'description', 'type', 'content_type', 'is_active', 'enable_ssl', 'created_date',
      'updated_date', 'owner', 'project_id', 'organization', 'events', 'api_version', 'ordered', 'retry_schedule', 'timeout', 'rate_limit',
      'max_concurrency', 'custom_headers', 'filter', 'payload', 'batch_window', 'paused_until', 'disabled_reason',
    ]); // prettier-ignore
    expect(response.body).toMatchObject({
      description: '', is_active: true, enable_ssl: true, organization: null, events: ['create:task', 'update:task'],
    }); // prettier-ignore
    expect((await owner.http.get(`/api/webhooks/${response.body.id}`)).body).toEqual(response.body);
    const list = await owner.http.get(`/api/webhooks?project_id=${projectId}`);
    expect(list.body).toEqual({ count: 1, next: null, previous: null, results: [response.body] });
    const inVersion = (version: string) =>
      owner.http
        .get(`/api/webhooks/${response.body.id}`)
        .set('Accept', `application/vnd.cvat+json; version=${version}`)
        .expect(200);
    expect(Object.keys((await inVersion('2.1')).body)).toEqual([
      'id', 'url', 'target_url', 'description', 'type', 'content_type', 'is_active', 'enable_ssl', 'created_date',
      'updated_date', 'owner', 'project_id', 'organization', 'events',
    ]); // prettier-ignore
    const old = await inVersion('2.0');
    expect(Object.keys(old.body)).toEqual([
      'id', 'url', 'target_url', 'description', 'type', 'content_type', 'is_active', 'enable_ssl', 'created_date',
      'updated_date', 'owner', 'project', 'organization', 'events', 'last_status', 'last_delivery_date',
    ]); // prettier-ignore
    expect(old.body).toMatchObject({ project: projectId, last_status: null, last_delivery_date: null });
  });

  it('encrypts secrets', async () => {
    const { id } = await create({ secret: 'open sesame' });
    const rows = await app.db.query<{ secret: string }>(sql`select secret from webhook where id = ${id}`);
    expect(rows[0]?.secret).toMatch(/^sealed-v1:/);
    expect(rows[0]?.secret).not.toContain('sesame');
  });

  it.each([
    [{ events: ['create:bogus', 'x'] }, { events: ['"create:bogus" is not a valid choice.'] }],
    [{ events: 'create:task' }, { events: ['Expected a list of items but got type "str".'] }],
    [{ events: [] }, { non_field_errors: ['Invalid events list for project webhook'] }],
    [{ events: {} }, { non_field_errors: ['Invalid events list for project webhook'] }],
    [{ events: ['create:project'] }, { non_field_errors: ['Invalid events list for project webhook'] }],
    [{ events: null }, { events: ['This field may not be null.'] }],
    [{ target_url: 'nope' }, { target_url: ['Enter a valid URL.'] }],
    [{ target_url: 'ftp://a.example' }, { target_url: ['Enter a valid URL that starts with http:// or https://.'] }],
    [
      { target_url: 'http://u:p@a.example' },
      {
        target_url: [
          'Enter a valid URL without user name and password. To authenticate, set an "Authorization" header in custom_headers.',
        ],
      },
    ],
    [
      { target_url: `http://a.example/${'x'.repeat(8192)}` },
      { target_url: ['Ensure this field has no more than 8192 characters.'] },
    ],
    [{ target_url: '' }, { target_url: ['This field may not be blank.'] }],
    [{ target_url: undefined }, { target_url: ['This field is required.'] }],
    [{ secret: 'x'.repeat(65) }, { secret: ['Ensure this field has no more than 64 characters.'] }],
    [{ description: 'x'.repeat(129) }, { description: ['Ensure this field has no more than 128 characters.'] }],
    [{ is_active: 'perhaps' }, { is_active: ['Must be a valid boolean.'] }],
    [{ content_type: 'text/plain' }, { content_type: ['"text/plain" is not a valid choice.'] }],
    [{ api_version: '3' }, { api_version: ['"3" is not a valid choice.'] }],
    [{ project_id: 99_999_999 }, ['Project matching query does not exist.']],
  ])('refuses %j', async (more, problem) => {
    const response = await owner.http.post('/api/webhooks').send(body(more));
    expect([response.status, response.body]).toEqual([400, problem]);
  });

  it('refuses the URL of the server itself', async () => {
    const own = (await owner.http.get(`/api/projects/${projectId}`)).body.url as string;
    const response = await owner.http.post('/api/webhooks').send(body({ target_url: own }));
    expect(response.body).toEqual({
      target_url: ['This URL belongs to this server. Enter the URL of another server.'],
    });
  });

  it('checks permission before it validates the body', async () => {
    const stranger = await given.person();
    const admin = await given.admin();
    expect((await owner.http.post('/api/webhooks').send({})).status).toBe(403);
    expect((await stranger.http.post('/api/webhooks').send(body())).status).toBe(403);
    expect((await owner.http.post('/api/webhooks').send(body({ type: 'organization', project_id: null }))).status).toBe(403); // prettier-ignore
    const judged = await admin.http.post('/api/webhooks').send({});
    expect([judged.status, judged.body.type]).toEqual([400, ['This field is required.']]);
    const nowhere = await admin.http.post('/api/webhooks').send(body({ type: 'organization', project_id: undefined, events: ['create:project'] })); // prettier-ignore
    expect(nowhere.status).toBe(400);
    const { id } = await create();
    for (const request of [
      stranger.http.get(`/api/webhooks/${id}`),
      stranger.http.patch(`/api/webhooks/${id}`).send({}),
      stranger.http.delete(`/api/webhooks/${id}`),
      stranger.http.post(`/api/webhooks/${id}/ping`),
      stranger.http.get(`/api/webhooks/${id}/deliveries`),
    ])
      expect((await request).status).toBe(403);
    expect((await stranger.http.get('/api/webhooks')).body.count).toBe(0);
  });

  it('keeps fields that PATCH and PUT omit', async () => {
    const { id } = await create({ description: 'first', is_active: false });
    const patched = await owner.http.patch(`/api/webhooks/${id}`).send({ type: 'organization', unknown: 1, enable_ssl: false }); // prettier-ignore
    expect(patched.body).toMatchObject({ type: 'project', description: 'first', enable_ssl: false, is_active: false });
    expect((await owner.http.put(`/api/webhooks/${id}`).send({ description: 'x' })).body).toEqual({
      target_url: ['This field is required.'],
      events: ['This field is required.'],
    });
    const put = await owner.http.put(`/api/webhooks/${id}`).send({ target_url: 'https://a.example', events: ['delete:task'] }); // prettier-ignore
    expect(put.body).toMatchObject({ target_url: 'https://a.example', events: ['delete:task'], description: 'first' });
    expect((await owner.http.patch(`/api/webhooks/${id}`).send({ events: ['create:membership'] })).status).toBe(400);
    expect((await owner.http.delete(`/api/webhooks/${id}`)).status).toBe(204);
    const gone = await owner.http.get(`/api/webhooks/${id}`);
    expect([gone.status, gone.body]).toEqual([404, { detail: 'No Webhook matches the given query.' }]);
  });

  it('lists the events without authentication', async () => {
    const known = await app.http.get('/api/webhooks/events').expect(200);
    expect(Object.keys(known.body)).toEqual(['webhook_type', 'events']);
    const events = async (query: string) => {
      const { body } = await app.http.get(`/api/webhooks/events${query}`).set('Accept', NEWEST).expect(200);
      const keys = (list: readonly { readonly key: string }[] = []) => list.map(({ key }) => key);
      return { type: body.webhook_type as string, events: keys(body.events), newer: keys(body.newer_events) };
    };
    const all = await events('');
    expect([all.type, all.events.length]).toEqual(['all', 28]);
    expect((await events('?type=organization')).events).toHaveLength(28);
    const ofProjects = await events('?type=project');
    expect(ofProjects.events).toHaveLength(21);
    expect(ofProjects.events).not.toContain('create:project');
    expect(ofProjects.newer).toContain('completed:request[import:dataset]');
    expect(ofProjects.newer).not.toContain('create:user');
    const ofServer = await events('?type=server');
    expect(ofServer.newer).toEqual([]);
    expect(new Set(ofServer.events)).toEqual(new Set([...all.events, ...all.newer]));
    const old = (await app.http.get('/api/webhooks/events').set('Accept', 'application/vnd.cvat+json; version=2.0'))
      .body;
    expect([Object.keys(old), old.events.length]).toEqual([['webhook_type', 'events'], 22]);
    expect(old.events).toEqual(expect.arrayContaining(['update:task', 'delete:organization']));
    const wrong = await app.http.get('/api/webhooks/events?type=x');
    expect([wrong.status, wrong.body]).toEqual([400, 'Incorrect value of type parameter']);
  });

  it('delivers events, signed over the bytes that are sent', async () => {
    const { id } = await create({ secret: 'x', api_version: '2.1', ordered: true });
    const task = await owner.http.post('/api/tasks').send({ name: 'é', project_id: projectId });
    await owner.http.patch(`/api/tasks/${task.body.id}`).send({ name: 'new' });
    await deliver();
    expect(receiver.events).toEqual(['create:task', 'update:task']);
    const [created, updated] = receiver.arrivals;
    expect(Object.keys(created?.payload ?? {})).toEqual(['event', 'task', 'sender', 'webhook_id']);
    expect(created?.payload).toMatchObject({ task: task.body, sender: { username: owner.username }, webhook_id: id });
    expect(Object.keys(updated?.payload ?? {})).toEqual([
      'event',
      'task',
      'sender',
      'before_update',
      'changes',
      'webhook_id',
    ]);
    expect(updated?.payload['before_update']).toMatchObject({ name: 'é', updated_date: task.body.updated_date });
    expect(updated?.payload['changes']).toMatchObject({ name: { from: 'é', to: 'new' } });
    for (const { headers, bytes } of receiver.arrivals) {
      expect(headers['x-signature-256']).toBe(`sha256=${createHmac('sha256', 'x').update(bytes).digest('hex')}`);
      expect(headers).toMatchObject({
        'content-type': 'application/json', accept: '*/*', 'user-agent': expect.stringMatching(/^Cairn\/\d/),
        'webhook-id': expect.stringMatching(/^[0-9a-f-]{36}$/), 'webhook-signature': expect.stringMatching(/^v1,/),
      }); // prettier-ignore
    }
    const seen = await owner.http.get(`/api/webhooks/${id}`);
    const deliveries = await owner.http.get(`/api/webhooks/${id}/deliveries`);
    expect(seen.body).toMatchObject({ last_status: 200, last_delivery_date: deliveries.body.results[0].updated_date });
    expect(deliveries.body.results.map((one: { event: string }) => one.event)).toEqual(['update:task', 'create:task']);
    expect(deliveries.body.results[0]).toMatchObject({
      webhook_id: id, status_code: 200, redelivery: false, changed_fields: 'name,updated_date',
      request: updated?.payload, response: 'thank you',
    }); // prettier-ignore
  });

  it('sends payloads in version 2.0 on request', async () => {
    await create({ api_version: '2.0' });
    await owner.http.post('/api/tasks').send({ name: 'old', project_id: projectId });
    await deliver();
    expect(receiver.arrivals[0]?.payload['task']).toMatchObject({ labels: [], segments: [] });
    expect(receiver.arrivals[0]?.payload['task']).not.toHaveProperty('jobs');
  });

  it('pings immediately, even while the webhook is disabled', async () => {
    const { id } = await create({ is_active: false, api_version: '2.0' });
    const ping = await owner.http.post(`/api/webhooks/${id}/ping`);
    expect([ping.status, ping.body.event, ping.body.status_code]).toEqual([200, 'ping', 200]);
    expect(ping.body.request).toEqual(receiver.arrivals[0]?.payload);
    expect(Object.keys(ping.body.request)).toEqual(['event', 'webhook', 'sender']);
    expect(ping.body.request.webhook).toMatchObject({ project: projectId, last_status: null });
    const seen = await owner.http.get(`/api/webhooks/${id}`);
    expect(seen.body).toMatchObject({ last_status: 200, last_delivery_date: ping.body.updated_date });
    expect((await owner.http.get(`/api/webhooks/${id}/deliveries/${ping.body.id}`)).body).toEqual(ping.body);
  });

  it('reports 502 for a ping that cannot be delivered', async () => {
    const silent = await createReceiver();
    const { id } = await create({ target_url: silent.url });
    await silent.close();
    const ping = await owner.http.post(`/api/webhooks/${id}/ping`);
    expect([ping.status, ping.body.status_code, ping.body.response]).toEqual([200, 502, '']);
    expect(ping.body.error).toMatch(/^127\.0\.0\.1:\d+ refused the connection; check that it runs on this port$/);
    const { body } = await owner.http.get(`/api/webhooks/${id}/deliveries`);
    expect(body.results[0].error).toBe(ping.body.error);
  });

  it('lists a pending delivery in version 2.2, and in others after its first attempt', async () => {
    const { id } = await create();
    await owner.http.post('/api/tasks').send({ name: 'waits', project_id: projectId });
    await app.drain();
    const listed = async (version: string) => {
      const answer = await owner.http
        .get(`/api/webhooks/${id}/deliveries`)
        .set('Accept', `application/vnd.cvat+json; version=${version}`)
        .expect(200);
      const { count, results } = answer.body as { count: number; results: Record<string, unknown>[] };
      expect(results).toHaveLength(count);
      return results.map((one) => [one['status_code'], 'error' in one]);
    };
    expect([await listed('2.0'), await listed('2.1'), await listed('2.2')]).toEqual([[], [], [[null, true]]]);
    const found = await app.db.query<{ id: number }>(sql`select id from webhook_delivery where webhook_id = ${id}`);
    const shown = async (version: string) => {
      const path = `/api/webhooks/${id}/deliveries/${found[0]?.id}`;
      return (await owner.http.get(path).set('Accept', `application/vnd.cvat+json; version=${version}`)).status;
    };
    expect([await shown('2.0'), await shown('2.1'), await shown('2.2')]).toEqual([404, 404, 200]);
    receiver.answer = (response) => response.writeHead(500).end();
    await deliver();
    const tried = [[500, false]];
    expect([await listed('2.0'), await listed('2.1'), await listed('2.2')]).toEqual([tried, tried, [[500, true]]]);
    expect([await shown('2.0'), await shown('2.1'), await shown('2.2')]).toEqual([200, 200, 200]);
    await owner.http.delete(`/api/webhooks/${id}`).expect(204); // its second attempt could arrive during another test
  });

  it('redelivers the same bytes with the same webhook-id as a new delivery', async () => {
    const { id } = await create({ secret: 'old' });
    await owner.http.post('/api/tasks').send({ name: 'twice', project_id: projectId });
    await deliver();
    const [first] = (await owner.http.get(`/api/webhooks/${id}/deliveries`)).body.results;
    await owner.http.patch(`/api/webhooks/${id}`).send({ secret: '' });
    const again = await owner.http.post(`/api/webhooks/${id}/deliveries/${first.id}/redelivery`);
    expect([again.status, again.body]).toEqual([200, {}]);
    await deliver();
    const [one, two] = receiver.arrivals;
    expect(two?.bytes).toEqual(one?.bytes);
    expect(two?.headers['webhook-id']).toBe(one?.headers['webhook-id']);
    expect(two?.headers).not.toHaveProperty('x-signature-256');
    const list = (await owner.http.get(`/api/webhooks/${id}/deliveries`)).body;
    expect(list.results.map((row: { redelivery: boolean }) => row.redelivery)).toEqual([true, false]);
    for (const path of [`deliveries/0`, `deliveries/${first.id + 1000}`])
      expect((await owner.http.get(`/api/webhooks/${id}/${path}`)).status).toBe(404);
    expect((await owner.http.post(`/api/webhooks/${id}/deliveries/999999/redelivery`)).status).toBe(404);
  });

  it('gets no events from the time when it was disabled', async () => {
    const { id } = await create({ is_active: false });
    await owner.http.post('/api/tasks').send({ name: 'unheard', project_id: projectId });
    const later = new Date(Date.now() + 1000);
    const now = app.clock.now.bind(app.clock);
    app.clock.now = () => later;
    await owner.http.patch(`/api/webhooks/${id}`).send({ is_active: true });
    await owner.http.post('/api/tasks').send({ name: 'heard', project_id: projectId });
    await deliver();
    app.clock.now = now;
    expect(receiver.arrivals.map(({ payload }) => (payload['task'] as { name: string }).name)).toEqual(['heard']);
  });

  it('gets the deletion of its project, and is deleted with it', async () => {
    const { id } = await create({ events: ['delete:project', 'delete:task'] });
    await owner.http.post('/api/tasks').send({ name: 'inside', project_id: projectId });
    expect((await owner.http.delete(`/api/projects/${projectId}`)).status).toBe(204);
    expect((await owner.http.get(`/api/webhooks/${id}`)).status).toBe(404);
    expect((await owner.http.get('/api/webhooks')).body.count).toBe(0);
    await deliver();
    expect(new Set(receiver.events)).toEqual(new Set(['delete:project', 'delete:task'])); // sent at the same time
    expect(receiver.events).toHaveLength(2);
  });

  it('of an organization gets events of tasks without a project', async () => {
    const organization = await given.organization(owner);
    const of = `?org=${organization.slug}`;
    const made = await owner.http
      .post(`/api/webhooks${of}`)
      .send({ target_url: receiver.url, type: 'organization', events: ['create:task', 'create:project'] });
    expect([made.status, made.body.organization, made.body.project_id]).toEqual([201, organization.id, null]);
    const labels = [{ name: 'car' }];
    expect((await owner.http.post(`/api/tasks${of}`).send({ name: 'alone', labels })).status).toBe(201);
    await owner.http.post('/api/tasks').send({ name: 'elsewhere', labels });
    await deliver();
    expect(receiver.events).toEqual(['create:task']);
    const stranger = await given.person();
    expect((await stranger.http.get(`/api/webhooks${of}`)).status).toBe(403);
  });
});
