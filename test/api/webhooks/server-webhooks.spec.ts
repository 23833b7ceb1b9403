import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { RequestHandlers, RequestWorker } from '../../../src/modules/requests/index.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenPhotos } from '../../support/given-media.js';
import { createReceiver, type Receiver } from '../../support/receiver.js';

describe('webhooks of the server', () => {
  let app: TestApp;
  let given: Given;
  let receiver: Receiver;
  let admin: Person;
  let user: Person;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    receiver = await createReceiver();
    admin = await given.admin();
    user = await given.person();
  });
  beforeEach(async () => {
    await deliver();
    await app.db.query(sql`delete from webhook`);
    receiver.arrivals.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const deliver = async () => {
    await app.drain();
    const worker = app.app.get(DeliveryWorker);
    while ((await worker.runOnce()) > 0);
  };
  const body = (more: object = {}) => ({ target_url: receiver.url, type: 'server', events: ['create:user'], ...more });
  const create = async (events: readonly string[]) => {
    const made = await admin.http.post('/api/webhooks').send(body({ events, api_version: '2.1', ordered: true }));
    expect(made.status).toBe(201);
    return made.body as { id: number };
  };
  const server = async () => {
    const { body: list } = await admin.http.get('/api/webhooks/events?type=server');
    return (list.events as { key: string }[]).map(({ key }) => key);
  };

  it('have no project or organization, and are for administrators only', async () => {
    const made = await admin.http.post('/api/webhooks').send(body());
    expect(made.body).toMatchObject({ type: 'server', project_id: null, organization: null });
    const url = `/api/webhooks/${made.body.id}`;
    const refused = await user.http.post('/api/webhooks').send(body());
    const unknown = await user.http.post('/api/webhooks').send(body({ type: 'nothing' }));
    expect([refused.status, refused.body]).toEqual([unknown.status, unknown.body]);
    expect(refused.status).toBe(403);
    expect((await user.http.get(url)).status).toBe(403);
    await app.db.query(sql`update webhook set owner_id = ${user.id}`); // a former administrator
    for (const answer of [
      await user.http.get(url),
      await user.http.patch(url).send({ is_active: false }),
      await user.http.delete(url),
      await user.http.post(`${url}/ping`),
      await user.http.get(`${url}/deliveries`),
      await user.http.post(`${url}/redeliveries`).send({ since: '2026-01-01T00:00:00Z' }),
    ])
      expect(answer.status).toBe(403);
    expect((await user.http.get('/api/webhooks')).body.count).toBe(0);
    expect((await admin.http.get('/api/webhooks?type=server')).body.count).toBe(1);
    const other = await given.admin();
    expect((await other.http.patch(url).send({ description: 'ours' })).body.description).toBe('ours');
    expect((await other.http.delete(url)).status).toBe(204);
  });

  it('refuse a project, and unknown events', async () => {
    const project = await admin.http.post('/api/webhooks').send(body({ project_id: 1 }));
    expect([project.status, project.body]).toEqual([
      400,
      { project_id: ['Webhooks of the type server have no project. Omit this field.'] },
    ]);
    const none = await admin.http.post('/api/webhooks').send(body({ events: [] }));
    expect(none.body).toEqual({ non_field_errors: ['Invalid events list for server webhook'] });
    const wrong = await admin.http.post('/api/webhooks').send(body({ events: ['create:server'] }));
    expect(wrong.body).toEqual({ events: ['"create:server" is not a valid choice.'] });
    const { id } = (await user.http.post('/api/projects').send({ name: 'p' })).body;
    const ofProject = await user.http
      .post('/api/webhooks')
      .send(body({ type: 'project', project_id: id, events: ['create:user'] }));
    expect(ofProject.body).toEqual({ non_field_errors: ['Invalid events list for project webhook'] });
  });

  it('get events without a scope: accounts, organizations, tasks without a project', async () => {
    await create(await server());
    const password = 'a long enough Passw0rd';
    const registered = await app.http
      .post('/api/auth/register')
      .send({ username: 'fresh', email: 'fresh@example.org', password1: password, password2: password });
    expect(registered.status).toBe(201);
    const [row] = await app.db.query<{ id: number }>(sql`select id from app_user where username = 'fresh'`);
    await admin.http.patch(`/api/users/${row?.id}`).send({ first_name: 'Fre' }).expect(200);
    await admin.http.delete(`/api/users/${row?.id}`).expect(204);
    const made = await admin.http.post('/api/organizations').send({ slug: 'fresh' }).expect(201);
    await admin.http.delete(`/api/organizations/${made.body.id}`).expect(204);
    await user.http
      .post('/api/tasks')
      .send({ name: 'alone', labels: [{ name: 'a' }] })
      .expect(201);
    await deliver();
    expect(receiver.events).toEqual([
      'create:user', 'update:user', 'delete:user', 'create:organization', 'delete:organization', 'create:task',
    ]); // prettier-ignore
    const [created, updated, deleted] = receiver.arrivals.map(({ payload }) => payload);
    expect(created).toMatchObject({ sender: null, user: { username: 'fresh', email: 'fresh@example.org' } });
    expect(JSON.stringify(created)).not.toContain('password');
    expect(updated).toMatchObject({ sender: { id: admin.id }, before_update: { first_name: '' } });
    expect(deleted).toMatchObject({ user: { id: row?.id, first_name: 'Fre' } });
  });

  it('send the account that an invitation creates, and its completion', async () => {
    await create(['create:user', 'update:user', 'create:membership', 'create:invitation', 'update:membership']);
    const { slug } = await given.organization(user);
    await user.http.post(`/api/invitations?org=${slug}`).send({ email: 'new@example.org', role: 'worker' }).expect(201);
    const password = 'a long enough Passw0rd';
    await app.http
      .post('/api/auth/register')
      .send({ username: 'newcomer', email: 'new@example.org', password1: password, password2: password })
      .expect(201);
    await deliver();
    expect(receiver.events).toEqual(['create:user', 'create:membership', 'create:invitation', 'update:user']);
    expect(receiver.arrivals[3]?.payload['before_update']).toMatchObject({ username: 'new@example.org' });
  });

  it('and webhooks of projects get the end of a background request, in the commit that ends it', async () => {
    await create(['completed:request[create:task]', 'update:task']);
    const project = await user.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'a' }] });
    const projectId = project.body.id as number;
    await user.http
      .post('/api/webhooks')
      .send(body({ type: 'project', project_id: projectId, events: ['completed:request[create:task]'] }))
      .expect(201);
    const { id } = await givenPhotos(app, user, 1, { project_id: projectId });
    await deliver();
    const ended = receiver.arrivals.map(({ payload }) => payload).filter(({ event }) => event !== 'update:task');
    expect(ended.map(({ event }) => event)).toEqual(Array(2).fill('completed:request[create:task]'));
    expect(Object.keys(ended[0] ?? {})).toEqual(['event', 'request', 'sender', 'webhook_id']);
    expect(ended[0]).toMatchObject({
      request: {
        id: `action=create&target=task&target_id=${id}`,
        status: 'finished',
        operation: { type: 'create:task', task_id: id },
        owner: { id: user.id },
      },
      sender: { id: user.id, username: user.username, email: `${user.username}@example.org` },
    });
  });

  it('get failed background requests', async () => {
    await create(['completed:request[create:task]']);
    const task = await user.http.post('/api/tasks').send({ name: 'broken', labels: [{ name: 'a' }] });
    await user.http
      .post(`/api/tasks/${task.body.id}/data`)
      .field('image_quality', '70')
      .attach('client_files[0]', Buffer.from('no picture'), 'a.jpg')
      .expect(202);
    await app.app.get(RequestWorker).drain();
    await deliver();
    expect(receiver.arrivals[0]?.payload).toMatchObject({ request: { status: 'failed' } });
  });

  it('can subscribe to the end of every type of background request', async () => {
    const events = await server();
    const types = app.app.get(RequestHandlers).types();
    expect(types.length).toBeGreaterThan(0);
    for (const type of types) expect(events).toContain(`completed:request[${type}]`);
  });

  it('get missed events by a redelivery', async () => {
    const since = new Date().toISOString();
    await user.http
      .post('/api/tasks')
      .send({ name: 'before', labels: [{ name: 'a' }] })
      .expect(201);
    await app.drain();
    const { id } = await create(['create:task']);
    const answer = await admin.http.post(`/api/webhooks/${id}/redeliveries`).send({ since, which: 'missing' });
    expect([answer.status, answer.body]).toEqual([202, { count: 1, next: null }]);
    await deliver();
    expect(receiver.events).toEqual(['create:task']);
  });
});
