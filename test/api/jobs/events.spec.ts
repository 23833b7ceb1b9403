import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person, recordedEvents } from '../../support/given.js';
import { givenJobs, type TaskWithJobs } from '../../support/given-jobs.js';

/** A job as events show it. */
type Version = Readonly<Record<string, unknown>>;

describe('events of jobs', () => {
  let app: TestApp;
  let owner: Person;
  let projectId: number;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    projectId = (await owner.http.post('/api/projects').send({ name: 'p', labels: [{ name: 'car' }] })).body.id;
  });

  const forget = (): Promise<unknown> => app.db.query(sql`delete from outbox_event`);
  const told = async (): Promise<string[]> =>
    (await recordedEvents(app)).map(({ name, before }) => [name, ...before].join(' '));

  /** An issue with two comments in the job. */
  async function review(job: number | undefined): Promise<void> {
    const issue = await owner.http.post('/api/issues').send({ job, frame: 0, position: [1, 2], message: 'look' });
    await owner.http.post('/api/comments').send({ issue: issue.body.id, message: 'yes' });
  }

  async function reviewed(segments: readonly (readonly [number, number])[]): Promise<TaskWithJobs> {
    const task = await givenJobs(app, owner, { projectId, segments });
    for (const job of task.jobs) await review(job);
    await forget();
    return task;
  }

  it('are recorded for each new job', async () => {
    const task = await givenJobs(app, owner, { projectId, segments: [[0, 2], [2, 4]] }); // prettier-ignore
    const rows = await app.db.query<{ object_id: string; project_id: number; labels: unknown }>(sql`
      select object_id, project_id, after->'extras'->'labels' as labels from outbox_event where name = 'create:job'
      order by id desc limit 2`);
    expect(rows.map((row) => row.object_id)).toEqual([...task.jobs].reverse().map(String));
    expect(rows[0]).toMatchObject({ project_id: projectId, labels: [{ name: 'car' }] });
  });

  it('put the task first, and only if its status changes', async () => {
    const task = await givenJobs(app, owner, { projectId, segments: [[0, 2], [2, 4]] }); // prettier-ignore
    const [first, second] = task.jobs;
    await forget();
    await owner.http.patch(`/api/jobs/${first}`).send({ stage: 'validation' });
    await owner.http.patch(`/api/jobs/${second}`).send({ stage: 'validation', state: 'in progress' });
    await owner.http.patch(`/api/jobs/${first}`).send({ stage: 'acceptance', state: 'completed' });
    await owner.http.patch(`/api/jobs/${second}`).send({ stage: 'acceptance', state: 'completed' });
    expect(await told()).toEqual([
      'update:job status stage updated_date',
      'update:task updated_date status',
      'update:job status stage state updated_date',
      'update:job status stage state updated_date',
      'update:task updated_date status',
      'update:job status stage state updated_date',
    ]);
    expect((await owner.http.get(`/api/tasks/${task.id}`)).body).toMatchObject({
      status: 'completed',
      jobs: { count: 2, completed: 2, validation: 0 },
    });
  });

  it('leave the task with the right status when all jobs change concurrently', async () => {
    const task = await givenJobs(app, owner, { projectId });
    const change = { stage: 'acceptance', state: 'completed' };
    const answers = await Promise.all(task.jobs.map((job) => owner.http.patch(`/api/jobs/${job}`).send(change)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect((await owner.http.get(`/api/tasks/${task.id}`)).body.status).toBe('completed');
  });

  it('record every state once when one job changes many times concurrently', async () => {
    const task = await givenJobs(app, owner, { projectId, segments: [[0, 2]] });
    const states = ['in progress', 'rejected', 'new', 'in progress', 'completed', 'new', 'rejected', 'in progress'];
    await forget();
    const patch = (body: object) => owner.http.patch(`/api/jobs/${task.jobs[0]}`).send(body);
    const label: number = (await owner.http.get(`/api/labels?project_id=${projectId}`)).body.results[0].id;
    const shape = { type: 'rectangle', frame: 0, label_id: label, points: [1, 2, 3, 4] };
    const save = () =>
      owner.http.patch(`/api/jobs/${task.jobs[0]}/annotations?action=create`).send({ shapes: [shape] });
    const responses = await Promise.all(states.flatMap((state) => [patch({ state }), save()]));
    expect(responses.map(({ status }) => status)).toEqual(states.flatMap(() => [200, 200]));
    const events = await app.db.query<{ before: Version; after: Version }>(sql`
      select before->'object' as before, after->'object' as after from outbox_event where name = 'update:job' order by id`);
    expect(events).toHaveLength(2 * states.length);
    for (const [index, { before }] of events.entries()) if (index > 0) expect(before).toEqual(events[index - 1]?.after);
  });

  it('leave the task with the right status when jobs of all statuses change concurrently', async () => {
    const task = await givenJobs(app, owner, { projectId });
    const done = { stage: 'acceptance', state: 'completed' };
    const patch = (job: number, body: object) => owner.http.patch(`/api/jobs/${job}`).send(body);
    await Promise.all(task.jobs.map((job) => patch(job, { stage: 'acceptance' })));
    // a state alone may change the status: in the stage of acceptance
    await Promise.all(
      task.jobs.flatMap((job) => [patch(job, { state: 'in progress' }), patch(job, { assignee: null })]),
    );
    await Promise.all(task.jobs.map((job) => patch(job, { state: 'completed' })));
    expect((await owner.http.get(`/api/tasks/${task.id}`)).body.status).toBe('completed');
    await Promise.all(task.jobs.map((job, index) => patch(job, index === 0 ? { state: 'rejected' } : done)));
    expect((await owner.http.get(`/api/tasks/${task.id}`)).body.status).toBe('validation');
  });

  it('are recorded for a new assignee, and for an update without a change', async () => {
    const task = await givenJobs(app, owner, { projectId });
    await forget();
    await owner.http.patch(`/api/jobs/${task.jobs[0]}`).send({ assignee: owner.id });
    await owner.http.patch(`/api/jobs/${task.jobs[0]}`).send({ assignee: owner.id });
    expect(await told()).toEqual(['update:job assignee updated_date assignee_updated_date', 'update:job updated_date']);
  });

  it('of ground truth jobs come alone', async () => {
    const task = await givenJobs(app, owner, { projectId });
    await forget();
    const body = { type: 'ground_truth', task_id: task.id, frame_selection_method: 'manual', frames: [1] };
    const made = await owner.http.post('/api/jobs').send(body);
    await owner.http.delete(`/api/jobs/${made.body.id}`);
    expect(await told()).toEqual(['create:job', 'delete:job']);
  });

  it('of a deleted task come from the inside out', async () => {
    const task = await reviewed([[0, 2], [2, 4]]); // prettier-ignore
    expect((await owner.http.delete(`/api/tasks/${task.id}`)).status).toBe(204);
    expect((await recordedEvents(app)).map((event) => event.name)).toEqual([
      ...Array<string>(4).fill('delete:comment'),
      ...Array<string>(2).fill('delete:issue'),
      ...Array<string>(2).fill('delete:job'),
      'update:project',
      'delete:task',
    ]);
    const jobs = await app.db.query<{ object_id: string }>(
      sql`select object_id from outbox_event where name = 'delete:job' order by id`,
    );
    expect(jobs.map((row) => Number(row.object_id))).toEqual([...task.jobs].reverse());
  });

  it('of a deleted project come before those of its contents', async () => {
    await reviewed([[0, 2]]);
    await reviewed([[0, 2]]);
    expect((await owner.http.delete(`/api/projects/${projectId}`)).status).toBe(204);
    expect((await recordedEvents(app)).map((event) => event.name)).toEqual([
      'delete:project',
      ...Array<string>(4).fill('delete:comment'),
      ...Array<string>(2).fill('delete:issue'),
      ...Array<string>(2).fill('delete:job'),
      ...Array<string>(2).fill('delete:task'),
    ]);
  });
});
