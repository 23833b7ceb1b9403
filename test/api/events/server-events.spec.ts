import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventPartitions } from '../../../src/core/event-log/event-partitions.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, NEWEST, type Person } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';

type Row = Record<string, unknown> & { payload: string };

describe('events of the server', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let last = 0;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });
  beforeEach(async () => {
    last = Number((await rows()).at(-1)?.['id'] ?? last);
  });
  afterAll(() => app.close());

  const rows = async (): Promise<Row[]> => {
    await app.drain();
    return app.db.query<Row>(sql`select * from logged_event where id > ${last} order by id`);
  };
  const brief = async (): Promise<unknown[]> =>
    (await rows()).map((row) => [row['scope'], row['obj_name'], row['obj_id'], row['obj_val']]);
  const labelOf = async (task: number): Promise<number> => {
    const [row] = await app.db.query<{ id: number }>(sql`select id from label where task_id = ${task}`);
    return row?.id ?? 0;
  };
  const send = (method: 'post' | 'patch' | 'put' | 'delete', path: string, body?: object) =>
    owner.http[method](path).set('Accept', NEWEST).set('User-Agent', 'test').send(body);

  it('has a row for a created object', async () => {
    const { slug, id: orgId } = await given.organization(owner);
    const response = await send('post', `/api/projects?org=${slug}`, { name: 'Streets' }).expect(201);
    const [row] = await rows();
    expect(row).toMatchObject({
      source: 'server',
      scope: 'create:project',
      obj_name: 'Streets',
      obj_id: response.body.id,
      obj_val: null,
      count: null,
      duration: 0,
      project_id: response.body.id,
      task_id: null,
      user_id: owner.id,
      user_name: owner.username,
      user_email: `${owner.username}@example.org`,
      org_id: orgId,
      org_slug: slug,
      is_audit: true,
      address: '127.0.0.1',
      credential: 'token',
      request_id: response.headers['x-request-id'],
    });
    const payload = JSON.parse(row?.payload ?? '') as Record<string, unknown>;
    expect(payload).toMatchObject({
      bug_tracker: '',
      status: 'annotation',
      owner: { id: owner.id, username: owner.username, first_name: 'First', last_name: 'Last' },
      request: { id: response.headers['x-request-id'], user_agent: 'test' },
    });
    expect(Object.keys(payload)).not.toEqual(expect.arrayContaining(['name', 'id', 'url', 'organization', 'tasks']));
  });

  it('has a row for each changed key, with the old value', async () => {
    const {
      id: task,
      jobs: [job = 0],
    } = await givenJobs(app, owner);
    last = Number((await rows()).at(-1)?.['id'] ?? last);
    await send('patch', `/api/jobs/${job}`, { assignee: owner.id, state: 'completed' }).expect(200);
    const found = await rows();
    const ofJob = found.filter(({ scope }) => scope === 'update:job');
    expect(new Set(ofJob.map(({ obj_name: key }) => key))).toEqual(
      new Set(['assignee', 'assignee_updated_date', 'state']),
    );
    expect(ofJob.find(({ obj_name: key }) => key === 'state')).toMatchObject({
      obj_id: null,
      obj_val: 'completed',
      job_id: job,
      task_id: task,
    });
    const assignee = ofJob.find(({ obj_name: key }) => key === 'assignee');
    expect(assignee).toMatchObject({
      obj_id: owner.id,
      obj_val: `{'id': ${owner.id}, 'username': '${owner.username}', 'first_name': 'First', 'last_name': 'Last'}`,
    });
    expect(JSON.parse(assignee?.payload ?? '')).toMatchObject({ old_value: null });
    last = Number((await rows()).at(-1)?.['id'] ?? last);
    await send('patch', `/api/jobs/${job}`, { state: 'completed' }).expect(200);
    expect(await brief()).toEqual([]);
  });

  it('has a row for each job and type of shape that a save creates, updates and deletes', async () => {
    const {
      id: task,
      jobs: [job = 0],
    } = await givenJobs(app, owner);
    const label = await labelOf(task);
    last = Number((await rows()).at(-1)?.['id'] ?? last);
    const shape = (type: string, frame: number, more = {}) => ({
      type, frame, label_id: label, points: [1, 1, 5, 5], occluded: false, attributes: [], ...more,
    }); // prettier-ignore
    const created = await send('patch', `/api/jobs/${job}/annotations?action=create`, {
      version: 0,
      tags: [{ frame: 0, label_id: label, attributes: [] }],
      shapes: [shape('rectangle', 0), shape('rectangle', 1), shape('polyline', 0)],
      tracks: [
        { frame: 0, label_id: label, attributes: [], shapes: [0, 1].map((frame) => shape('rectangle', frame, { outside: frame === 1, attributes: [] })) },
      ],
    }).expect(200); // prettier-ignore
    const summary = async (): Promise<unknown[]> =>
      (await rows())
        .filter(({ scope }) => /:(tags|shapes|tracks)$/.test(scope as string))
        .map((row) => [row['scope'], row['obj_name'], row['count'], row['job_id'], row['task_id'], row['frames']]);
    const ofTask = [job, task];
    expect(new Set(await summary())).toEqual(
      new Set([
        ['create:shapes', 'polyline', 1, ...ofTask, '{[0,1)}'],
        ['create:shapes', 'rectangle', 2, ...ofTask, '{[0,2)}'],
        ['create:tags', null, 1, ...ofTask, '{[0,1)}'],
        ['create:tracks', 'rectangle', 1, ...ofTask, '{[0,2)}'],
      ]),
    );
    const [track] = (await rows()).filter(({ scope }) => scope === 'create:tracks');
    const [saved] = created.body.tracks;
    expect(JSON.parse(track?.payload ?? '')).toMatchObject({
      tracks: [
        { id: saved.id, visible_shapes_count_diff: 1, shapes: saved.shapes.map(({ id }: { id: number }) => ({ id })) },
      ],
    });
    last = Number((await rows()).at(-1)?.['id'] ?? last);
    const [first, second] = created.body.shapes;
    await send('patch', `/api/jobs/${job}/annotations?action=update`, {
      version: 0, tags: [], tracks: [], shapes: [{ ...first, points: [2, 2, 6, 6] }],
    }).expect(200); // prettier-ignore
    await send('patch', `/api/jobs/${job}/annotations?action=delete`, {
      version: 0, tags: [], tracks: created.body.tracks, shapes: [second],
    }).expect(200); // prettier-ignore
    expect(await summary()).toEqual([
      ['update:shapes', 'rectangle', 1, ...ofTask, '{[0,1)}'],
      ['delete:shapes', 'rectangle', 1, ...ofTask, null],
      ['delete:tracks', 'rectangle', 1, ...ofTask, null],
    ]);
    last = Number((await rows()).at(-1)?.['id'] ?? last);
    const many = Array.from({ length: 1500 }, (_, index) => shape('points', index % 3));
    await send('put', `/api/jobs/${job}/annotations`, { version: 0, tags: [], shapes: many, tracks: [] }).expect(200);
    expect(await summary()).toEqual([
      ['delete:tags', null, 1, ...ofTask, null],
      ['delete:shapes', 'polyline', 1, ...ofTask, null],
      ['delete:shapes', 'rectangle', 1, ...ofTask, null],
      ['create:shapes', 'points', 1500, ...ofTask, '{[0,3)}'],
    ]);
    const shapes = (await rows()).find(({ scope }) => scope === 'create:shapes');
    expect((JSON.parse(shapes?.payload ?? '') as { shapes: object[] }).shapes).toHaveLength(1000);
  });

  it.each([1, 1500])('has a row for a save of %i shapes on a frame that earlier versions accepted', async (count) => {
    const {
      id: task,
      jobs: [job = 0],
    } = await givenJobs(app, owner);
    const shape = { type: 'rectangle', frame: 0, label_id: await labelOf(task), points: [1, 1, 5, 5], occluded: false };
    const body = { version: 0, tags: [], tracks: [], shapes: Array.from({ length: count }, () => shape) };
    await send('put', `/api/jobs/${job}/annotations`, body).expect(200);
    await app.db.query(sql`update annotation_shape set frame = 2147483647 where job_id = ${job}`);
    await app.db.query(sql`
      update outbox_event set after = replace(after::text, '"frame":0', '"frame":2147483647')::json
      where name = 'update:annotations' and id in (select event_id from outbox_pending)`);
    const saved = (await rows()).filter(({ scope, job_id: id }) => scope === 'create:shapes' && id === job);
    expect(saved.map((row) => [row['count'], row['frames']])).toEqual([[count, '{[2147483646,2147483647)}']]);
  });

  it('names the job and the task of issues and comments, and deletes with their parent', async () => {
    const {
      id: task,
      jobs: [job = 0],
    } = await givenJobs(app, owner);
    last = Number((await rows()).at(-1)?.['id'] ?? last);
    const issue = await send('post', '/api/issues', { job, frame: 0, position: [1, 1], message: 'Look' }).expect(201);
    const place = { job_id: job, task_id: task };
    const created = await rows();
    expect(created.find(({ scope }) => scope === 'create:issue')).toMatchObject({ ...place, obj_id: issue.body.id });
    expect(created.find(({ scope }) => scope === 'create:comment')).toMatchObject({ ...place, obj_name: 'Look' });
    last = Number((await rows()).at(-1)?.['id'] ?? last);
    await send('delete', `/api/tasks/${task}`).expect(204);
    const scopes = (await rows()).map((row) => [row['scope'], row['task_id']]);
    for (const resource of ['task', 'job', 'issue', 'comment'])
      expect(scopes).toContainEqual([`delete:${resource}`, task]);
  });

  it('has rows for labels, webhooks, access tokens, exports and backups', async () => {
    const project = await send('post', '/api/projects', {
      name: 'p',
      labels: [{ name: 'car' }, { name: 'dog' }],
    }).expect(201);
    const place = { project_id: project.body.id };
    const labels = await owner.http.get(`/api/labels?project_id=${project.body.id}`).expect(200);
    const [car, dog] = (labels.body.results as { id: number; name: string }[]).toSorted((a, b) => a.id - b.id);
    await send('patch', `/api/labels/${car?.id}`, { name: 'truck' }).expect(200);
    await send('delete', `/api/labels/${dog?.id}`).expect(204);
    const found = (await rows()).filter(({ scope }) => (scope as string).endsWith(':label'));
    expect(found).toMatchObject([
      { ...place, scope: 'create:label', obj_name: 'car', obj_id: car?.id },
      { ...place, scope: 'create:label', obj_name: 'dog', obj_id: dog?.id },
      { ...place, scope: 'update:label', obj_name: 'name', obj_val: 'truck' },
      { ...place, scope: 'delete:label', obj_name: 'dog', obj_id: dog?.id },
    ]);
    last = Number((await rows()).at(-1)?.['id'] ?? last);
    const webhook = await send('post', '/api/webhooks', { target_url: 'http://127.0.0.1:9/a', type: 'project', project_id: project.body.id, events: ['update:task'], content_type: 'application/json', secret: 'hidden-secret' }).expect(201); // prettier-ignore
    await send('patch', `/api/webhooks/${webhook.body.id}`, { description: 'new', events: ['update:task'] }).expect(
      200,
    );
    await send('delete', `/api/webhooks/${webhook.body.id}`).expect(204);
    const token = await send('post', '/api/auth/access_tokens', { name: 'ci' }).expect(201);
    await send('delete', `/api/auth/access_tokens/${token.body.id}`).expect(204);
    const { jobs: [job = 0] } = await givenJobs(app, owner, { projectId: project.body.id }); // prettier-ignore
    await send('post', `/api/jobs/${job}/dataset/export?format=COCO%201.0&save_images=true`).expect(202);
    await send('post', `/api/projects/${project.body.id}/backup/export`).expect(202);
    const done = await rows();
    const wanted = /:(webhook|access_token|dataset|backup)$/;
    expect(done.filter(({ scope }) => wanted.test(scope as string))).toMatchObject([
      { ...place, scope: 'create:webhook', obj_id: webhook.body.id, obj_name: null },
      { ...place, scope: 'update:webhook', obj_name: 'description', obj_val: 'new' },
      { ...place, scope: 'delete:webhook', obj_id: webhook.body.id },
      { scope: 'create:access_token', source: 'audit', obj_name: 'ci', obj_id: token.body.id },
      { scope: 'delete:access_token', source: 'audit' },
      { ...place, scope: 'export:dataset', source: 'server', job_id: job },
      { ...place, scope: 'export:backup', source: 'audit' },
    ]);
    const exported = done.find(({ scope }) => scope === 'export:dataset');
    expect(JSON.parse(exported?.payload ?? '')).toMatchObject({ format: 'COCO 1.0', save_images: true });
    expect(JSON.stringify(done)).not.toMatch(/hidden-secret/);
    expect(JSON.stringify(done)).not.toContain(token.body.value);
  });

  it('have partitions that several processes may create at the same time', async () => {
    const partitions = app.app.get(EventPartitions);
    await Promise.all(Array.from({ length: 4 }, () => partitions.ensure(new Date('2031-05-05T00:00:00Z'))));
    const tables = (await partitions.partitions()).map(({ table }) => table);
    expect(tables.filter((table) => table === 'logged_event_2031_05')).toHaveLength(1);
  });

  it('cannot be changed or deleted', async () => {
    const [found] = await app.db.query<{ partition: string }>(sql`
      select tableoid::regclass::text as partition from logged_event limit 1`);
    const partition = found?.partition ?? '';
    expect(partition).toMatch(/^logged_event_\d{4}_\d\d$/);
    for (const table of ['logged_event', partition]) {
      for (const statement of [`update ${table} set scope = ''`, `delete from ${table}`, `truncate ${table}`])
        await expect(app.db.query({ compile: () => ({ text: statement, values: [] }) } as never)).rejects.toThrow(
          'The event log is append-only',
        );
    }
  });
});
