import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog } from '../../../src/core/event-log/event-log.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, NEWEST, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable } from '../../support/given-annotations.js';

const today = (): string => new Date().toISOString().slice(0, 10);

describe('the activity in a project', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let project: Annotatable;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    project = await givenAnnotatable(app, owner);
    const shape = (frame: number) => ({
      type: 'rectangle', frame, label_id: project.labels.car, points: [1, 1, 5, 5], occluded: false, attributes: [],
    }); // prettier-ignore
    const url = `${project.ofJob()}?action=create`;
    for (const frames of [[0, 0, 1], [1, 2, 7]])
      await owner.http.patch(url).set('Accept', NEWEST).send({ version: 0, tags: [], tracks: [], shapes: frames.map(shape) }).expect(200); // prettier-ignore
    const [job] = project.jobs;
    const now = Date.now();
    const at = (seconds: number) => ({
      scope: 'draw:object', timestamp: new Date(now + seconds * 1000).toISOString(), job_id: job,
      task_id: project.taskId, project_id: project.projectId,
    }); // prettier-ignore
    await owner.http
      .post('/api/events')
      .send({ timestamp: new Date(now), events: [at(-0.06), at(-0.024)] })
      .expect(201);
    await owner.http.patch(`/api/jobs/${job}`).send({ state: 'in progress' }).expect(200);
    await app.app.get(EventLog).flush();
    await app.drain();
  });
  afterAll(() => app.close());

  const get = (path = '', by = owner) =>
    by.http.get(`/api/projects/${project.projectId}/activity${path}`).set('Accept', NEWEST);

  it('is summed by day and by person', async () => {
    const { body } = await get().expect(200);
    const figures = {
      frames: 4,
      objects: 6,
      jobs_completed: 0,
      working_time: 36,
      frames_per_hour: 400_000,
      seconds_per_object: 0.01,
    };
    expect(body.total).toEqual(figures);
    expect(body.days).toHaveLength(30);
    expect(body.days.at(-1)).toEqual({ date: today(), ...figures });
    expect(body.days[0]).toMatchObject({ frames: 0, objects: 0, working_time: 0, frames_per_hour: null });
    expect(body.users).toEqual([{ user: expect.objectContaining({ id: owner.id }), ...figures }]);
  });

  it('has no working time of people who have changed nothing in it', async () => {
    const outsider = await given.person();
    const { total } = (await get().expect(200)).body;
    const now = Date.now();
    const at = (seconds: number) => ({
      scope: 'draw:object', timestamp: new Date(now + seconds * 1000).toISOString(), project_id: project.projectId,
    }); // prettier-ignore
    await outsider.http
      .post('/api/events')
      .send({ timestamp: new Date(now), events: [at(-50), at(0)] })
      .expect(201);
    await app.app.get(EventLog).flush();
    const { body } = await get().expect(200);
    expect(body.total).toEqual(total);
    expect(body.users).toHaveLength(1);
  });

  it('lists idle jobs and counts open issues', async () => {
    await owner.http
      .post('/api/issues')
      .send({ job: project.jobs[0], frame: 0, position: [1, 1], message: 'x' })
      .expect(201);
    expect((await get().expect(200)).body).toMatchObject({ open_issues: 1, idle_job_count: 0, idle_jobs: [] });
    const { body } = await get('?idle_days=0').expect(200);
    expect(body).toMatchObject({
      idle_job_count: 1,
      idle_jobs: [{ id: project.jobs[0], task_id: project.taskId, task_name: 'with jobs', state: 'in progress' }],
    });
  });

  it('can be downloaded as CSV', async () => {
    const header = 'frames,objects,jobs_completed,working_time,frames_per_hour,seconds_per_object';
    const days = await get(`/csv?from=${today()}`).expect(200).expect('Content-Type', 'text/csv; charset=utf-8');
    expect(days.text).toBe(`date,${header}\r\n${today()},4,6,0,36,400000,0.01\r\n`);
    const users = await get(`/csv?table=users`).expect(200);
    expect(users.text.split('\r\n')[1]).toMatch(new RegExp(`^${owner.id},${owner.username},4,`));
    const jobs = await get('/csv?table=idle_jobs&idle_days=0').expect(200);
    expect(jobs.text).toContain('with jobs');
    await get('/csv?table=x').expect(400);
  });

  it.each(['from=x', 'from=2026-02-30', 'to=', 'from=2026-11-02&to=2026-11-01', 'from=2020-01-01', 'idle_days=-1'])(
    'checks %s',
    async (query) => void (await get(`?${query}`).expect(query === 'to=' ? 200 : 400)),
  );

  it('is for the people who run the project', async () => {
    await get('', await given.person()).expect(403);
    await get('', await given.admin()).expect(200);
    const assignee = await given.person();
    await app.db.query(sql`update project set assignee_id = ${assignee.id} where id = ${project.projectId}`);
    await get('', assignee).expect(200);
    await owner.http.get('/api/projects/99999/activity').expect(404);
  });
});
