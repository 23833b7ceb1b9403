import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventLog } from '../../../src/core/event-log/event-log.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { givenJobs, type TaskWithJobs } from '../../support/given-jobs.js';
import { countStatements } from '../../support/statements.js';

describe('changing many jobs', () => {
  let app: TestApp;
  let owner: Person;
  let stranger: Person;
  let projectId: number;
  let inProject: TaskWithJobs;
  let alone: TaskWithJobs;

  beforeAll(async () => {
    app = await createTestApp();
    const given = new Given(app);
    owner = await given.person();
    stranger = await given.person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    projectId = (await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] })).body.id;
    inProject = await givenJobs(app, owner, { projectId });
    alone = await givenJobs(app, owner);
    await app.db.query(sql`delete from outbox_event`);
  });

  const change = (body: object, person = owner) => person.http.patch('/api/jobs').send(body);
  const stages = (): Promise<{ stage: string }[]> =>
    app.db.query(sql`select distinct stage from job where id = any(${[...inProject.jobs, ...alone.jobs]}::int[])`);

  it('returns each changed job once, by ascending id', async () => {
    const [first, second] = inProject.jobs;
    const answer = await change({ ids: [second, first, second], assignee: owner.id, state: 'in progress' });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['count', 'results']);
    expect(answer.body).toMatchObject({
      count: 2,
      results: [
        { id: first, assignee: { id: owner.id }, state: 'in progress', labels: { url: expect.any(String) } },
        { id: second, assignee: { id: owner.id }, state: 'in progress' },
      ],
    });
    expect((await owner.http.get(`/api/jobs/${first}`)).body).toEqual(answer.body.results[0]);
    expect((await recordedEvents(app)).map((event) => event.name)).toEqual(['update:job', 'update:job']);
  });

  it('records one event per task, before those of its jobs', async () => {
    const ids = [...inProject.jobs, ...alone.jobs];
    expect((await change({ ids, stage: 'acceptance', state: 'completed' })).status).toBe(200);
    const told = await app.db.query(sql`select name, object_id::int as id, project_id from outbox_event order by id`);
    const jobs = (task: TaskWithJobs): object[] =>
      task.jobs.map((id) => ({ name: 'update:job', id, project_id: task.projectId }));
    expect(told).toEqual([
      { name: 'update:task', id: inProject.id, project_id: projectId },
      { name: 'update:task', id: alone.id, project_id: null },
      ...jobs(inProject),
      ...jobs(alone),
    ]);
    expect((await recordedEvents(app)).map((event) => event.before)).toEqual([
      ...Array.from({ length: 2 }, () => ['updated_date', 'status']),
      ...Array.from({ length: 6 }, () => ['status', 'stage', 'state', 'updated_date']),
    ]);
    expect((await owner.http.get(`/api/tasks/${alone.id}`)).body.status).toBe('completed');
  });

  it('writes one date to everything that a request changes', async () => {
    await change({ ids: inProject.jobs, stage: 'acceptance', state: 'completed' }).expect(200);
    const { body: task } = await owner.http.get(`/api/tasks/${inProject.id}`);
    const { body: listed } = await owner.http.get(`/api/jobs?task_id=${inProject.id}`);
    const ofJobs = listed.results.map((job: { updated_date: string }) => job.updated_date);
    expect(new Set([task.updated_date, ...ofJobs]).size).toBe(1);
    const labels = [{ name: 'one more' }];
    const { body: project } = await owner.http.patch(`/api/projects/${task.project_id}`).send({ labels });
    const { body: after } = await owner.http.get(`/api/tasks/${inProject.id}`);
    const { body: jobs } = await owner.http.get(`/api/jobs?task_id=${inProject.id}`);
    const dates = jobs.results.map((job: { updated_date: string }) => job.updated_date);
    expect([...new Set([project.updated_date, after.updated_date, ...dates])]).toEqual([project.updated_date]);
    expect(Date.parse(project.updated_date)).toBeGreaterThan(Date.parse(task.updated_date));
  });

  it('resets the state to new when the stage changes, as for one job', async () => {
    await change({ ids: [alone.jobs[0]], stage: 'validation', state: 'completed' });
    const answer = await change({ ids: alone.jobs, stage: 'validation' });
    expect(answer.body.results.map((job: { state: string }) => job.state)).toEqual(['completed', 'new', 'new']);
  });

  it('unassigns, and changes the date only of jobs that had an assignee', async () => {
    await change({ ids: [alone.jobs[0]], assignee: owner.id });
    const answer = await change({ ids: alone.jobs, assignee: null });
    const dates = answer.body.results.map((job: { assignee_updated_date: string | null }) => job.assignee_updated_date);
    expect(dates).toEqual([expect.any(String), null, null]);
  });

  it('supports the older API version', async () => {
    const answer = await change({ ids: alone.jobs }).set('Accept', 'application/vnd.cvat+json; version=2.0');
    expect(answer.body.results[2].labels).toMatchObject([{ name: 'car' }]);
  });

  it('changes nothing if one job does not exist', async () => {
    const answer = await change({ ids: [...alone.jobs, 999_999, 888_888], stage: 'validation' });
    expect([answer.status, answer.body]).toEqual([
      404,
      { detail: 'Some of these jobs do not exist. No job was changed.', ids: [999_999, 888_888] },
    ]);
    expect(await stages()).toEqual([{ stage: 'annotation' }]);
    expect(await recordedEvents(app)).toEqual([]);
  });

  it('changes nothing if the caller may not change one job', async () => {
    const [lent, kept] = alone.jobs;
    await app.db.query(sql`update job set assignee_id = ${stranger.id} where id = ${lent}`);
    const answer = await change({ ids: [lent, kept], state: 'completed' }, stranger);
    expect([answer.status, answer.body]).toEqual([
      403,
      {
        detail: 'You do not have permission to make this change to some of the jobs. No job was changed.',
        ids: [kept],
      },
    ]);
    expect((await change({ ids: [lent], state: 'completed' }, stranger)).status).toBe(200);
    expect((await change({ ids: [lent], stage: 'validation' }, stranger)).body.ids).toEqual([lent]);
  });

  it('refuses an assignee who is not visible from each of the jobs', async () => {
    const { slug } = await new Given(app).organization(owner);
    const shared = await givenJobs(app, owner, { organization: slug });
    const answer = await change({ ids: [...shared.jobs, alone.jobs[0]], assignee: stranger.id });
    expect([answer.status, answer.body.ids]).toEqual([403, [alone.jobs[0]]]);
    const unknown = await change({ ids: shared.jobs, assignee: 999_999 });
    expect([unknown.status, unknown.body]).toEqual([400, ['User matching query does not exist.']]);
    expect((await change({ ids: shared.jobs, assignee: stranger.id })).status).toBe(200);
  });

  it.each([
    ['no ids', {}, 400, { ids: ['This field is required.'] }],
    ['an empty list', { ids: [] }, 400, { ids: ['This list may not be empty.'] }],
    ['something else than a list', { ids: 3 }, 400, { ids: ['Expected a list of items but got type "int".'] }],
    ['something else than numbers', { ids: [1, 'x'] }, 400, { ids: { 1: ['A valid integer is required.'] } }],
    ['a number that is no id', { ids: [0] }, 400, { ids: { 0: ['Ensure this value is greater than or equal to 1.'] } }],
    [
      'too many',
      { ids: Array.from({ length: 10_001 }, (_, index) => index + 1) },
      400,
      { ids: ['Ensure this field has no more than 10000 elements.'] },
    ],
  ])('refuses %s', async (_, body, status, error) => {
    const answer = await change({ state: 'completed', ...body });
    expect([answer.status, answer.body]).toEqual([status, error]);
  });

  it('refuses a value as for one job, and a field that jobs do not have', async () => {
    const wrong = await change({ ids: alone.jobs, stage: 'done' });
    expect([wrong.status, wrong.body]).toEqual([400, { stage: ['"done" is not a valid choice.'] }]);
    const unknown = await change({ ids: alone.jobs, colour: 'red' });
    expect([unknown.status, unknown.body]).toEqual([403, { detail: 'Attempted to update an unknown field' }]);
  });

  it('needs as many statements for many jobs of many tasks as for one', async () => {
    const counts: number[] = [];
    await app.app.get(EventLog).flush(); // it would write the rejected requests of other tests meanwhile
    await change({ ids: [(await givenJobs(app, owner)).jobs[0]], stage: 'validation' }); // the first may do more
    for (const tasks of [1, 5]) {
      const made: TaskWithJobs[] = [];
      for (let n = 0; n < tasks; n += 1) made.push(await givenJobs(app, owner));
      const ids = made.flatMap((task) => task.jobs);
      counts.push(await countStatements(() => change({ ids, stage: 'validation' }).expect(200)));
    }
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts[1]).toBe(counts[0]);
  });
});
