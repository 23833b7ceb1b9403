import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenJobs } from '../../support/given-jobs.js';
import { givenPhotos } from '../../support/given-media.js';

const NOT_ALLOWED = { detail: 'You do not have permission to perform this action.' };
const KEYS = [
  'url', 'id', 'task_id', 'task_name', 'project_id', 'project_name', 'assignee', 'guide_id', 'dimension', 'bug_tracker', 'status',
  'stage', 'state', 'mode',
  'frame_count', 'start_frame', 'stop_frame', 'data_chunk_size', 'data_compressed_chunk_type', 'data_original_chunk_type',
  'created_date', 'updated_date', 'issues', 'labels', 'type', 'organization', 'target_storage', 'source_storage',
  'assignee_updated_date', 'parent_job_id', 'consensus_replicas',
]; // prettier-ignore

const ids = (body: { results: { id: number }[] }): number[] => body.results.map((job) => job.id);

describe('jobs', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
  });

  afterAll(() => app.close());

  it('are read one by one and in lists', async () => {
    const task = await givenJobs(app, owner);
    const [first, second, third] = task.jobs;
    const read = await owner.http.get(`/api/jobs/${first}`);
    expect(read.status).toBe(200);
    expect(Object.keys(read.body)).toEqual(KEYS);
    const base = read.body.url.replace(/\/api\/.*/, '');
    expect(read.body).toMatchObject({
      url: `${base}/api/jobs/${first}`,
      task_id: task.id,
      project_id: null,
      frame_count: 3,
      start_frame: 0,
      stop_frame: 2,
      bug_tracker: null,
      mode: 'annotation',
      status: 'annotation',
      stage: 'annotation',
      state: 'new',
      type: 'annotation',
      data_chunk_size: 72,
      data_compressed_chunk_type: 'imageset',
      issues: { url: `${base}/api/issues?job_id=${first}`, count: 0 },
      labels: { url: `${base}/api/labels?job_id=${first}` },
      assignee_updated_date: null,
      parent_job_id: null,
      consensus_replicas: 0,
    });
    const list = await owner.http.get(`/api/jobs?task_id=${task.id}`);
    expect(ids(list.body)).toEqual([third, second, first]);
    expect(list.body.results[2]).toEqual(read.body);
    const aliased = await owner.http.get(`/api/jobs?task=${task.id}&sort=id`);
    expect(ids(aliased.body)).toEqual([first, second, third]);
  });

  it('of type replica are found by the type names of both client generations', async () => {
    const { id } = await givenPhotos(app, owner, 2, { consensus_replicas: 2 });
    const count = async (query: string): Promise<number> => {
      const { body } = await owner.http.get(`/api/jobs?task_id=${id}&${query}`).expect(200);
      return (body as { count: number }).count;
    };
    expect(await count('type=replica')).toBe(2);
    expect(await count('type=consensus_replica')).toBe(2);
    expect(await count(`filter=${encodeURIComponent('{"==":[{"var":"type"},"replica"]}')}`)).toBe(2);
    expect(await count(`filter=${encodeURIComponent('{"in":[{"var":"type"},["replica","annotation"]]}')}`)).toBe(3);
  });

  it('have as many replicas as either name of the field says', async () => {
    const labels = [{ name: 'car' }];
    const { id } = await givenPhotos(app, owner, 1, { initial_replicas: 2 });
    const { body } = await owner.http.get(`/api/jobs?task_id=${id}&type=replica`).expect(200);
    expect(body.count).toBe(2);
    const refused = await owner.http.post('/api/tasks').send({ name: 't', labels, initial_replicas: 1 });
    expect([refused.status, Object.keys(refused.body as object)]).toEqual([400, ['initial_replicas']]);
  });

  it('are listed by the deprecated route of their task', async () => {
    const task = await givenJobs(app, owner);
    const list = await owner.http.get(`/api/tasks/${task.id}/jobs`);
    expect(list.status).toBe(200);
    expect(list.headers['deprecation']).toBe('true');
    const older = await owner.http
      .get(`/api/tasks/${task.id}/jobs`)
      .set('Accept', 'application/vnd.cvat+json; version=2.0');
    expect([older.status, older.headers['deprecation']]).toEqual([200, undefined]);
    expect(ids(list.body)).toEqual([...task.jobs].reverse());
    const stranger = await given.person();
    expect((await stranger.http.get(`/api/tasks/${task.id}/jobs`)).status).toBe(403);
    expect((await owner.http.get('/api/tasks/99999/jobs')).body).toEqual({
      detail: 'No Task matches the given query.',
    });
  });

  it('have replicas if the task has consensus', async () => {
    const task = await givenJobs(app, owner, { segments: [[0, 2], [2, 4]], replicas: 2 }); // prettier-ignore
    const list = await owner.http.get(`/api/jobs?task_id=${task.id}&sort=id`);
    const [a, , , b] = task.jobs;
    const shown = list.body.results.map((job: Record<string, unknown>) => [
      job['type'],
      job['parent_job_id'],
      job['start_frame'],
      job['consensus_replicas'],
    ]);
    expect(shown).toEqual([
      ['annotation', null, 0, 2],
      ['consensus_replica', a, 0, 0],
      ['consensus_replica', a, 0, 0],
      ['annotation', null, 2, 2],
      ['consensus_replica', b, 2, 0],
      ['consensus_replica', b, 2, 0],
    ]);
  });

  it('have no names of their task and project in version 2.0', async () => {
    const { jobs } = await givenJobs(app, owner);
    const { body } = await owner.http
      .get(`/api/jobs/${jobs[0]}`)
      .set('Accept', 'application/vnd.cvat+json; version=2.0');
    expect(Object.keys(body)).toEqual(KEYS.filter((key) => !key.endsWith('_name')));
  });

  it('embed the labels of their project or task in version 2.0', async () => {
    const project = await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'dog' }] });
    const inProject = await givenJobs(app, owner, { projectId: project.body.id });
    const alone = await givenJobs(app, owner);
    for (const [task, name] of [
      [inProject, 'dog'],
      [alone, 'car'],
    ] as const) {
      // prettier-ignore
      const old = await owner.http.get(`/api/jobs/${task.jobs[0]}`).set('Accept', 'application/vnd.cvat+json; version=2.0');
      expect(old.body.labels).toMatchObject([{ name, sublabels: [], has_parent: false }]);
    }
    expect((await owner.http.get(`/api/jobs?project=${project.body.id}`)).body.count).toBe(3);
  });

  it('have the guide and the bug tracker of their project or task', async () => {
    const project = await owner.http
      .post('/api/projects')
      .send({ name: 'p', bug_tracker: 'http://project', labels: [] });
    const task = await givenJobs(app, owner, { projectId: project.body.id });
    const guide = await owner.http.post('/api/guides').send({ project_id: project.body.id, markdown: '# how' });
    const read = await owner.http.get(`/api/jobs/${task.jobs[0]}`);
    expect(read.body).toMatchObject({
      guide_id: guide.body.id,
      bug_tracker: 'http://project',
      project_id: project.body.id,
    });
    await owner.http.patch(`/api/tasks/${task.id}`).send({ bug_tracker: 'http://task' });
    expect((await owner.http.get(`/api/jobs/${task.jobs[0]}`)).body.bug_tracker).toBe('http://task');
  });

  it.each([
    [{ status: 'completed' }, 403, { detail: 'Attempted to update an unknown field' }],
    [{ stage: 'x' }, 400, { stage: ['"x" is not a valid choice.'] }],
    [{ state: 'in_progress' }, 400, { state: ['"in_progress" is not a valid choice.'] }],
    [{ assignee: 99999 }, 403, NOT_ALLOWED],
  ])('refuse the change %j', async (body, status, expected) => {
    const task = await givenJobs(app, owner);
    const answer = await owner.http.patch(`/api/jobs/${task.jobs[0]}`).send(body);
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: expected });
  });

  it('derive state and status from the stage', async () => {
    const task = await givenJobs(app, owner, { segments: [[0, 6]] });
    const change = async (body: object): Promise<unknown> => {
      const answer = await owner.http.patch(`/api/jobs/${task.jobs[0]}`).send(body);
      return [answer.body.stage, answer.body.state, answer.body.status];
    };
    expect(await change({ state: 'in progress' })).toEqual(['annotation', 'in progress', 'annotation']);
    expect(await change({ stage: 'annotation' })).toEqual(['annotation', 'in progress', 'annotation']);
    expect(await change({ stage: 'validation' })).toEqual(['validation', 'new', 'validation']);
    expect(await change({ stage: 'acceptance', state: 'completed' })).toEqual(['acceptance', 'completed', 'completed']);
    expect(await change({ state: 'rejected' })).toEqual(['acceptance', 'rejected', 'validation']);
    expect(await change({})).toEqual(['acceptance', 'rejected', 'validation']);
  });

  it('cannot be created or deleted by clients, except ground truth jobs', async () => {
    const task = await givenJobs(app, owner);
    const made = await owner.http.post('/api/jobs').send({ type: 'annotation', task_id: task.id });
    expect([made.status, made.body]).toEqual([400, ["Unexpected job type 'annotation'"]]);
    const deleted = await owner.http.delete(`/api/jobs/${task.jobs[0]}`);
    expect([deleted.status, deleted.body]).toEqual([400, ['Only ground truth jobs can be removed']]);
  });

  it('return 404 for unknown ids', async () => {
    for (const answer of [
      await owner.http.get('/api/jobs/99999'),
      await owner.http.patch('/api/jobs/99999').send({}),
      await owner.http.delete('/api/jobs/99999'),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { detail: 'No Job matches the given query.' }]);
    }
  });
});
