import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';

describe('guides', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let projectId: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    projectId = (await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] })).body.id;
    await forget();
  });

  const forget = (): Promise<unknown> => app.db.query(sql`delete from outbox_event`);
  const told = async (): Promise<string[]> =>
    (await recordedEvents(app)).map(({ name, before }) => [name, ...before].join(' '));

  const post = async (body: object): Promise<unknown> => {
    const answer = await owner.http.post('/api/guides').send(body);
    return [answer.status, answer.body];
  };

  it('of a project are created, read, updated and deleted as changes of the project', async () => {
    const made = await owner.http.post('/api/guides').send({ project_id: projectId, markdown: '# hi\n' });
    const { id } = made.body as { id: number };
    expect([made.status, made.body]).toEqual([201, { id, task_id: null, project_id: projectId, markdown: '# hi\n' }]);
    expect((await owner.http.get(`/api/projects/${projectId}`)).body.guide_id).toBe(id);
    const read = await owner.http.get(`/api/guides/${id}`);
    expect(Object.keys(read.body)).toEqual(['id', 'task_id', 'project_id', 'created_date', 'updated_date', 'markdown']);
    const changed = await owner.http.patch(`/api/guides/${id}`).send({ markdown: '' });
    expect([changed.status, changed.body]).toEqual([200, { id, task_id: null, project_id: projectId, markdown: '' }]);
    expect((await owner.http.delete(`/api/guides/${id}`)).status).toBe(204);
    expect((await owner.http.get(`/api/projects/${projectId}`)).body.guide_id).toBeNull();
    expect(await told()).toEqual([
      'update:project updated_date',
      'update:project updated_date',
      'update:project updated_date',
    ]);
    const gone = await owner.http.get(`/api/guides/${id}`);
    expect([gone.status, gone.body]).toEqual([404, { detail: 'No AnnotationGuide matches the given query.' }]);
  });

  it('move from a project to a task as changes of both', async () => {
    const task = await givenJobs(app, owner);
    const made = await owner.http.post('/api/guides').send({ project_id: projectId });
    await forget();
    const moved = await owner.http.patch(`/api/guides/${made.body.id}`).send({ task_id: task.id });
    expect(moved.body).toMatchObject({ task_id: task.id, project_id: null, markdown: '' });
    expect((await told()).map((line) => line.split(' ')[0])).toEqual(['update:project', 'update:task']);
    expect((await owner.http.get(`/api/jobs/${task.jobs[0]}`)).body.guide_id).toBe(made.body.id);
  });

  it('of a project that is deleted at the same time are refused', async () => {
    const answer = await app.db.withClient(async (client) => {
      await client.query('begin');
      await client.query('delete from label where project_id = $1', [projectId]);
      await client.query('delete from project where id = $1', [projectId]);
      const sent = post({ project_id: projectId });
      await somebodyWaits();
      await client.query('commit');
      return sent;
    });
    expect(answer).toEqual([400, ['Project matching query does not exist.']]);
  });

  /** A statement waits for a lock of another transaction. */
  const somebodyWaits = async (): Promise<void> => {
    const waiting = sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await app.db.query(waiting)).length === 0) await new Promise(setImmediate);
  };

  it('are refused without exactly one target, and for a target that already has one', async () => {
    expect(await post({})).toEqual([400, ['One of project_id or task_id must be specified']]);
    expect(await post({ project_id: 1, task_id: 1 })).toEqual([
      400,
      ['Both project_id and task_id must not be specified'],
    ]);
    expect(await post({ project_id: 99999 })).toEqual([400, ['Project matching query does not exist.']]);
    expect(await post({ task_id: 'x' })).toEqual([400, ['"task_id" must be an integer']]);
    expect(await post({ project_id: projectId, markdown: null })).toEqual([
      400,
      { markdown: ['This field may not be null.'] },
    ]);
    await post({ project_id: projectId });
    expect(await post({ project_id: projectId })).toEqual([400, ['The project has a guide already.']]);
  });

  it('are readable by those who work in the project, and by everyone if public', async () => {
    const [annotator, stranger, worker] = [await given.person(), await given.person(), await given.person()];
    const { slug } = await given.organization(owner, [{ person: annotator, role: 'worker' }, { person: worker, role: 'worker' }]); // prettier-ignore
    const project = await owner.http.post(`/api/projects?org=${slug}`).send({ name: 'p', labels: [] });
    const task = await givenJobs(app, owner, { organization: slug, projectId: project.body.id });
    await owner.http.patch(`/api/jobs/${task.jobs[0]}`).send({ assignee: annotator.id });
    const made = await owner.http.post('/api/guides').send({ project_id: project.body.id, markdown: 'how' });
    const url = `/api/guides/${made.body.id}`;
    const statuses = async (): Promise<number[]> => {
      const answers = [];
      for (const http of [annotator.http, worker.http, stranger.http, app.http])
        answers.push((await http.get(url)).status);
      return answers;
    };
    expect(await statuses()).toEqual([200, 403, 403, 401]);
    expect((await annotator.http.patch(url).send({ markdown: 'x' })).status).toBe(403);
    expect((await annotator.http.delete(url)).status).toBe(403);
    await app.db.query(sql`update guide set is_public = true where id = ${made.body.id}`);
    expect(await statuses()).toEqual([200, 200, 200, 200]);
  });
});
