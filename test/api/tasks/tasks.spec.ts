import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';

describe('tasks', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });

  afterAll(() => app.close());

  it('is created with labels, read and listed', async () => {
    const created = await owner.http
      .post('/api/tasks')
      .send({ name: 'first', labels: [{ name: 'car', attributes: [] }] });
    expect(created.status).toBe(201);
    expect(created.headers['location']).toBe(created.body.url);
    expect(Object.keys(created.body)).toEqual([
      'url', 'id', 'name', 'project_id', 'mode', 'owner', 'assignee', 'bug_tracker', 'created_date', 'updated_date', 'overlap',
      'segment_size', 'status', 'guide_id', 'dimension', 'subset', 'organization', 'target_storage', 'source_storage', 'jobs',
      'labels', 'assignee_updated_date', 'validation_mode', 'consensus_enabled',
    ]); // prettier-ignore
    const read = await owner.http.get(`/api/tasks/${created.body.id}`);
    expect(read.body).toEqual(created.body);
    const list = await owner.http.get('/api/tasks');
    expect(list.body).toEqual({ count: 1, next: null, previous: null, results: [created.body] });
  });

  it('accepts either labels or a project, not both', async () => {
    const { status, body } = await owner.http.get('/api/labels?task_id=1&project_id=1');
    expect([status, body]).toEqual([400, ['job_id, task_id and project_id parameters cannot be used together']]);
  });

  it('embeds labels and segments in version 2.0', async () => {
    const created = await owner.http
      .post('/api/tasks')
      .send({ name: 'old', labels: [{ name: 'car' }, { name: 'dog', color: '#112233' }] });
    const old = await owner.http
      .get(`/api/tasks/${created.body.id}`)
      .set('Accept', 'application/vnd.cvat+json; version=2.0');
    expect(old.headers['content-type']).toBe('application/vnd.cvat+json; version=2.0');
    expect(old.body.segments).toEqual([]);
    expect(old.body.labels.map((label: { name: string }) => label.name)).toEqual(['car', 'dog']);
    expect(Object.keys(old.body.labels[1])).toEqual([
      'id',
      'name',
      'color',
      'attributes',
      'type',
      'sublabels',
      'has_parent',
    ]);
    expect(old.body).not.toHaveProperty('jobs');
  });

  it.each([
    [{}, 400, { name: ['This field is required.'] }],
    [{ name: '' }, 400, { name: ['This field may not be blank.'] }],
    [{ name: 'x' }, 400, ['Label set or project_id must be present']],
    [{ name: 'x', labels: [{}] }, 400, { labels: [{ name: ['This field is required.'] }] }],
    [{ name: 'x', labels: [{ name: 'a' }, { name: 'a' }] }, 400, ['All label names must be unique']],
    [{ name: 'x', project_id: 99999 }, 400, ['Project matching query does not exist.']],
    [
      { name: 'x', labels: [{ name: 'a' }], segment_size: -1 },
      400,
      { segment_size: ['Ensure this value is greater than or equal to 0.'] },
    ],
    [
      { name: 'x', labels: [{ name: 'a' }], assignee_id: 99999 },
      403,
      { detail: 'You do not have permission to perform this action.' },
    ],
  ])('refuses %j', async (body, status, expected) => {
    const answer = await owner.http.post('/api/tasks').send(body);
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: expected });
  });

  it('accepts ids as strings and null storages on create and update', async () => {
    const nowhere = { source_storage: null, target_storage: null };
    const me = String(owner.id);
    const created = await owner.http
      .post('/api/tasks')
      .send({ name: 't', labels: [{ name: 'a' }], owner_id: me, assignee_id: me, ...nowhere });
    expect(created.body).toMatchObject({ assignee: { id: owner.id }, ...nowhere });
    const path = `/api/tasks/${created.body.id}`;
    const stored = await owner.http.patch(path).send({ source_storage: { location: 'local' } });
    const kept = await owner.http.patch(path).send({ name: 'u', ...nowhere });
    expect(kept.body).toMatchObject({
      name: 'u',
      source_storage: stored.body.source_storage,
      target_storage: null,
    });
  });

  it.each(['project_id', 'owner_id', 'assignee_id'])('names %s that is no id', async (field) => {
    const admin = await given.admin();
    for (const value of ['abc', '', true, [], {}, 1.5]) {
      const answer = await admin.http.post('/api/tasks').send({ name: 't', labels: [{ name: 'a' }], [field]: value });
      expect([value, answer.status, answer.body]).toEqual([value, 400, { [field]: ['A valid integer is required.'] }]);
    }
  });

  it.each(['task_id', 'project_id', 'job_id'])('labels of %s that nobody has are not found', async (parameter) => {
    for (const id of ['0', '-1', '-3000000000', '99999999999', '999999']) {
      const answer = await owner.http.get(`/api/labels?${parameter}=${id}`);
      expect([id, answer.status]).toEqual([id, 404]);
    }
    expect((await owner.http.get(`/api/labels?${parameter}=x`)).body).toEqual([`"${parameter}" must be an integer`]);
  });

  it('refuses to change read-only fields and tasks of others', async () => {
    const stranger = await given.person();
    const created = await owner.http.post('/api/tasks').send({ name: 'mine', labels: [{ name: 'a' }] });
    const path = `/api/tasks/${created.body.id}`;
    expect((await owner.http.patch(path).send({ status: 'completed' })).body).toEqual({
      detail: 'Attempted to update an unknown field',
    });
    expect((await stranger.http.get(path)).status).toBe(403);
    expect((await stranger.http.delete(path)).status).toBe(403);
    expect((await stranger.http.get('/api/tasks/99999')).body).toEqual({ detail: 'No Task matches the given query.' });
    expect((await stranger.http.get('/api/tasks/x')).body).toEqual({ detail: 'Not found.' });
    expect((await app.http.get(path)).status).toBe(401);
    expect((await owner.http.put(path).send({})).body).toEqual({ detail: 'Method "PUT" not allowed.' });
    expect((await owner.http.get('/api/tasks/')).status).toBe(404);
  });

  it('accepts names of labels and attributes that others give up in the same request', async () => {
    const attribute = (name: string) => ({ name, mutable: true, input_type: 'text', values: [] });
    const labels = [{ name: 'a', attributes: [attribute('x'), attribute('y')] }, { name: 'b' }];
    const { id } = (await owner.http.post('/api/tasks').send({ name: 't', labels })).body;
    const read = async () => (await owner.http.get(`/api/labels?task_id=${id}`)).body.results;
    const [a, b] = await read();
    const [x, y] = a.attributes;
    const renamed = [
      { id: a.id, name: 'free', attributes: [{ id: x.id, name: 'free' }, { id: y.id, name: 'x' }, { id: x.id, name: 'y' }] }, // prettier-ignore
      { id: b.id, name: 'a' },
      { id: a.id, name: 'b' },
    ];
    expect((await owner.http.patch(`/api/tasks/${id}`).send({ labels: renamed })).status).toBe(200);
    const after = await read();
    expect(after.map((label: { name: string }) => label.name)).toEqual(['b', 'a']);
    expect(after[0].attributes.map((spec: { name: string }) => spec.name)).toEqual(['y', 'x']);
  });

  it('moves into a project whose labels have the same names', async () => {
    const project = await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'a' }, { name: 'b' }] });
    const task = await owner.http.post('/api/tasks').send({ name: 't', labels: [{ name: 'a' }] });
    const odd = await owner.http.post('/api/tasks').send({ name: 't', labels: [{ name: 'zz' }] });
    const refused = await owner.http.patch(`/api/tasks/${odd.body.id}`).send({ project_id: project.body.id });
    expect(refused.body).toEqual({
      non_field_errors: ['All task or project label names must be mapped to the target project'],
    });
    const moved = await owner.http.patch(`/api/tasks/${task.body.id}`).send({ project_id: project.body.id });
    expect(moved.body.project_id).toBe(project.body.id);
    const labels = await owner.http.get(`/api/labels?task_id=${task.body.id}`);
    expect(labels.body.results.map((label: { name: string }) => label.name)).toEqual(['a', 'b']);
  });

  it('records an event for every change, the project’s after the task’s', async () => {
    const project = await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'a' }] });
    const before = (await recordedEvents(app)).length;
    const task = await owner.http.post('/api/tasks').send({ name: 't', project_id: project.body.id });
    await owner.http.patch(`/api/tasks/${task.body.id}`).send({ name: 'new name' });
    await owner.http.delete(`/api/tasks/${task.body.id}`);
    await owner.http.delete(`/api/projects/${project.body.id}`);
    expect((await recordedEvents(app)).slice(before)).toEqual([
      { name: 'create:task', before: [] },
      { name: 'update:project', before: ['updated_date'] },
      { name: 'update:task', before: ['name', 'updated_date'] },
      { name: 'update:project', before: ['updated_date'] },
      { name: 'update:project', before: ['updated_date'] },
      { name: 'delete:task', before: [] },
      { name: 'delete:project', before: [] },
    ]);
    await app.drain();
  });

  it('deletes its storages, and with the project the project’s, but none that are still in use', async () => {
    const places = { source_storage: { location: 'local' }, target_storage: { location: 'local' } };
    const storages = async (): Promise<number[]> =>
      (await app.db.query<{ id: number }>(sql`select id from storage order by id`)).map(({ id }) => id);
    const before = await storages();
    const project = await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }], ...places });
    const inside = await owner.http.post('/api/tasks').send({ name: 'in', project_id: project.body.id, ...places });
    const alone = await owner.http.post('/api/tasks').send({ name: 'alone', labels: [{ name: 'car' }], ...places });
    const shared = Number(alone.body.target_storage.id);
    await app.db.query(sql`update task set target_storage_id = ${shared} where id = ${inside.body.id}`);
    expect(await storages()).toHaveLength(before.length + 6);
    await owner.http.delete(`/api/tasks/${alone.body.id}`).expect(204);
    expect(await storages()).not.toContain(alone.body.source_storage.id);
    expect(await storages()).toContain(shared);
    await app.db.query(sql`delete from storage where id = ${inside.body.target_storage.id}`); // replaced above
    await owner.http.delete(`/api/projects/${project.body.id}`).expect(204);
    expect(await storages()).toEqual(before);
  });
});
