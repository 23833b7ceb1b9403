import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createDataSource } from '../../../src/core/database/data-source.js';
import { schemaWith } from '../../../src/extended-schema.js';
import { DeliveryWorker } from '../../../src/modules/webhooks/index.js';
import { createTestApp, type TestApp } from '../../../test/support/app.js';
import { Given, type Person, recordedEvents } from '../../../test/support/given.js';
import { createReceiver, type Receiver } from '../../../test/support/receiver.js';
import { extension } from '../src/index.js';

describe('checklists extension', () => {
  let app: TestApp;
  let given: Given;
  let receiver: Receiver;
  let owner: Person;
  let projectId: number;

  beforeAll(async () => {
    app = await createTestApp({ env: { CAIRN_EXTENSIONS: 'examples/checklists/src/index.ts' } });
    given = new Given(app);
    receiver = await createReceiver();
  });
  beforeEach(async () => {
    owner = await given.person();
    projectId = (await owner.http.post('/api/projects').send({ name: 'checked' })).body.id;
    receiver.arrivals.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const make = async (title = 'before delivery'): Promise<number> => {
    const body = { project_id: projectId, title, items: [{ text: 'boxes are tight' }] };
    const answer = await owner.http.post('/api/checklists').send(body).expect(201);
    return answer.body.id;
  };

  it('has tables that match its entities', async () => {
    const { databaseUrl: url, databaseConnectTimeoutMs: connectTimeoutMs } = app.config;
    const dataSource = createDataSource({ url, connectTimeoutMs, poolSize: 1, ...schemaWith([extension]) });
    await dataSource.initialize();
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    await dataSource.destroy();
    expect(upQueries.map(({ query }) => query).filter((query) => query.includes('checklist'))).toEqual([]);
  });

  it('creates, reads, updates and deletes checklists', async () => {
    const id = await make();
    const read = await owner.http.get(`/api/checklists/${id}`).expect(200);
    expect(read.body).toMatchObject({ project_id: projectId, complete: false, items: [{ done: false }] });
    const body = { items: [{ text: 'boxes are tight', done: true }] };
    const changed = await owner.http.patch(`/api/checklists/${id}`).send(body).expect(200);
    expect(changed.body).toMatchObject({ complete: true, title: 'before delivery' });
    await owner.http
      .patch(`/api/checklists/${id}`)
      .set('If-Match', read.headers['etag'] ?? '')
      .send(body)
      .expect(412);
    await owner.http.delete(`/api/checklists/${id}`).expect(204);
    await owner.http.get(`/api/checklists/${id}`).expect(404);
  });

  it.each([
    [{}, { project_id: ['This field is required.'], title: ['This field is required.'] }],
    [{ project_id: 1, title: '' }, { title: ['This field may not be blank.'] }],
    [{ project_id: 1, title: 'x', items: [{}] }, { items: [{ text: ['This field is required.'] }] }],
    [{ project_id: 2_000_000_000, title: 'x' }, ['Project matching query does not exist.']],
  ])('rejects %j', async (body, problem) => {
    const answer = await owner.http.post('/api/checklists').send(body);
    expect([answer.status, answer.body]).toEqual([400, problem]);
  });

  it('limits access to users who can see the project', async () => {
    const id = await make();
    const stranger = await given.person();
    const assignee = await given.person();
    await owner.http.patch(`/api/projects/${projectId}`).send({ assignee_id: assignee.id });
    await app.http.get(`/api/checklists/${id}`).expect(401);
    for (const verb of ['get', 'patch', 'delete'] as const)
      await stranger.http[verb](`/api/checklists/${id}`).expect(403);
    await stranger.http.post('/api/checklists').send({ project_id: projectId, title: 'x' }).expect(403);
    await (await given.admin()).http.get(`/api/checklists/${id}`).expect(200);
  });

  it('lists visible checklists with filter, search and sorting', async () => {
    const [first, second] = [await make('alpha'), await make('beta')];
    const ids = async (person: Person, query: string): Promise<number[]> => {
      const answer = await person.http.get(`/api/checklists?${query}`).expect(200);
      return (answer.body as { results: { id: number }[] }).results.map(({ id }) => id);
    };
    expect(await ids(owner, '')).toEqual([second, first]);
    expect(await ids(owner, 'search=alp')).toEqual([first]);
    expect(await ids(owner, `project_id=${projectId}&sort=title`)).toEqual([first, second]);
    expect(await ids(await given.person(), '')).toEqual([]);
    await owner.http.get('/api/checklists?filter={"==":[{"var":"secret"},1]}').expect(400);
  });

  it('delivers webhooks with the previous values', async () => {
    const events = await owner.http.get('/api/webhooks/events?type=project').expect(200);
    const names = ['create:checklist', 'delete:checklist', 'update:checklist'];
    const listed = (events.body.events as { key: string }[]).map(({ key }) => key);
    expect(listed).toEqual(expect.arrayContaining(names));
    const hook = { target_url: receiver.url, type: 'project', project_id: projectId, events: names };
    await owner.http.post('/api/webhooks').send(hook).expect(201);
    const id = await make();
    await owner.http.patch(`/api/checklists/${id}`).send({ title: 'new' });
    await owner.http.delete(`/api/checklists/${id}`);
    await app.drain();
    while ((await app.app.get(DeliveryWorker).runOnce()) > 0);
    expect(receiver.events).toHaveLength(3);
    expect(receiver.events).toEqual(expect.arrayContaining(names));
    const update = receiver.arrivals.find(({ payload }) => payload['event'] === 'update:checklist')?.payload;
    expect(update).toMatchObject({ checklist: { id, title: 'new' }, before_update: { title: 'before delivery' } });
  });

  it('deletes checklists with their project, and records events', async () => {
    const id = await make();
    await owner.http.delete(`/api/projects/${projectId}`).expect(204);
    await owner.http.get(`/api/checklists/${id}`).expect(404);
    expect((await recordedEvents(app)).map(({ name }) => name)).toContain('delete:checklist');
  });

  it('starts the checklists of a project over when it gets a task', async () => {
    const id = await make();
    await owner.http.patch(`/api/checklists/${id}`).send({ items: [{ text: 'boxes are tight', done: true }] });
    await owner.http.post('/api/tasks').send({ name: 'more', project_id: projectId }).expect(201);
    await app.drain();
    const { body } = await owner.http.get(`/api/checklists/${id}`).expect(200);
    expect(body).toMatchObject({ complete: false, items: [{ text: 'boxes are tight', done: false }] });
  });

  it('adds checklists to the API document', async () => {
    const answer = await app.http.get('/api/schema/?scheme=json').set('Accept', 'application/json').expect(200);
    const { paths, components } = answer.body as { paths: object; components: { schemas: object } };
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/api/checklists', '/api/checklists/{id}']));
    expect(JSON.stringify(components.schemas)).toContain('"update:checklist"');
    expect(answer.body['x-webhooks']).toHaveProperty(['create:checklist']);
    const asyncapi = await app.http.get('/api/asyncapi').buffer(true);
    expect(asyncapi.text ?? String(asyncapi.body)).toContain('"name": "delete:checklist"');
    const schema = await app.http.get('/api/webhooks/events/create:checklist/schema').expect(200);
    expect(Object.keys(schema.body.$defs)).toEqual(expect.arrayContaining(['Checklist', 'ChecklistCreatedEvent']));
  });
});
