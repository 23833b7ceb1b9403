import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { raw, sql } from '../../../src/engines/sql/sql.js';
import { JobAnnotations } from '../../../src/modules/annotations/index.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { annotate, givenReplicas, type ReplicatedTask } from '../../support/given-consensus.js';
import { worked } from '../../support/given-exchange.js';
import { deferred } from '../../support/promises.js';

const OLD = [1, 1, 9, 9];
const MERGED = [10, 10, 50, 40];

describe('interrupted merges', () => {
  let app: TestApp;
  let owner: Person;
  let task: ReplicatedTask;
  let ids: readonly number[];

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => app.close());

  /** A task of two jobs with annotations, which all replicas have at another position. */
  async function given(): Promise<void> {
    task = await givenReplicas(app, owner);
    ids = task.jobs.map(({ id }) => id);
    const label = task.labels['car'] ?? 0;
    for (const [index, job] of task.jobs.entries()) {
      const shapes = (points: number[]) => ({ shapes: [rectangle(label, 2 * index, { points })] });
      await owner.http.put(`/api/jobs/${job.id}/annotations`).send(shapes(OLD)).expect(200);
      for (const replica of job.replicas) await annotate(owner, replica, shapes(MERGED));
    }
  }

  async function started(target: object): Promise<string> {
    const { body } = await owner.http.post('/api/consensus/merges').send(target).expect(202);
    return (body as { rq_id: string }).rq_id;
  }

  /** Merges the task, and stops before the replicas of the last job are read. */
  async function half(): Promise<{ readonly id: string; readonly goOn: () => void; readonly done: Promise<void> }> {
    const [reached, goOn] = [deferred(), deferred()];
    const reader = app.app.get(JobAnnotations, { strict: false });
    const read = reader.read.bind(reader);
    const last = task.jobs.at(-1)?.replicas[0];
    jest.spyOn(reader, 'read').mockImplementation(async (...call) => {
      if (call[1].id === last) {
        reached.resolve();
        await goOn.promise;
      }
      return read(...call);
    });
    const id = await started({ task_id: task.id });
    const done = app.app.get(RequestWorker).drain();
    await reached.promise;
    return { id, goOn: goOn.resolve, done };
  }

  /** Resolves when a transaction waits for a lock of another one. */
  async function someoneWaits(): Promise<void> {
    const waiting = sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await app.db.query(waiting)).length === 0) await pause(10);
  }

  const points = (jobId: number | undefined): Promise<number[][]> =>
    owner.http
      .get(`/api/jobs/${jobId}/annotations`)
      .then(({ body }) => (body as { shapes: { points: number[] }[] }).shapes.map((shape) => shape.points));
  const all = (): Promise<number[][][]> => Promise.all(ids.map(points));
  const states = async (): Promise<string[]> => {
    const rows = await app.db.query<{ state: string }>(
      sql`select state from job where id = any(${ids}::int[]) order by id`,
    );
    return rows.map(({ state }) => state);
  };
  const expectUntouched = async (): Promise<void> =>
    expect([await all(), await states()]).toEqual([
      [[OLD], [OLD]],
      ['new', 'new'],
    ]);
  const expectMerged = async (): Promise<void> =>
    expect([await all(), await states()]).toEqual([
      [[MERGED], [MERGED]],
      ['completed', 'completed'],
    ]);

  it('leave every job as it was when the database connection dies, and are tried again', async () => {
    await given();
    const { id, goOn, done } = await half();
    await expectUntouched();
    await app.db.query(raw(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`)); // prettier-ignore
    goOn();
    await done;
    expect((await owner.http.get(`/api/requests/${encodeURIComponent(id)}`)).body.status).toBe('queued');
    await expectUntouched();
    jest.restoreAllMocks();
    const later = app.clock.now().getTime() + 11_000;
    jest.spyOn(app.clock, 'now').mockImplementation(() => new Date(later));
    expect((await worked(app, owner, id)).body.status).toBe('finished');
    await expectMerged();
  });

  it('start again in another worker when the process stops', async () => {
    await given();
    const { id, goOn, done } = await half();
    const stopped = app.app.get(RequestWorker).stop();
    goOn();
    await stopped;
    await done;
    // The drain that was stopped has tried again, as another worker would.
    expect((await worked(app, owner, id)).body.status).toBe('finished');
    await expectMerged();
  });

  it('are undone when they are cancelled', async () => {
    await given();
    const { id, goOn, done } = await half();
    await owner.http.post(`/api/requests/${encodeURIComponent(id)}/cancel`).expect(200);
    goOn();
    await done;
    await owner.http.get(`/api/requests/${encodeURIComponent(id)}`).expect(404);
    await expectUntouched();
  });

  it('fail when the task is deleted before they start', async () => {
    await given();
    const id = await started({ task_id: task.id });
    await owner.http.delete(`/api/tasks/${task.id}`).expect(204);
    await app.app.get(RequestWorker).drain();
    expect(await app.db.query(sql`select status, message from background_request where id = ${id}`)).toEqual([
      { status: 'failed', message: 'The task was deleted\n' },
    ]);
  });

  it('end before a deletion of the task that begins meanwhile', async () => {
    await given();
    const { id, goOn, done } = await half();
    const deletion = owner.http.delete(`/api/tasks/${task.id}`).then(({ status }) => status);
    await someoneWaits();
    goOn();
    await done;
    expect(await deletion).toBe(204);
    const rows = await app.db.query(sql`select status from background_request where id = ${id}`);
    expect(rows).toEqual([{ status: 'finished' }]);
    expect(await app.db.query(sql`select from job where id = any(${ids}::int[])`)).toEqual([]);
  });

  it('do not keep annotators from saving replicas and other jobs', async () => {
    await given();
    const { goOn, done } = await half();
    const [, second] = task.jobs;
    await owner.http.put(`/api/jobs/${second?.replicas[0]}/annotations`).send({}).expect(200);
    await owner.http.patch(`/api/jobs/${second?.replicas[0]}`).send({ state: 'in progress' }).expect(200);
    goOn();
    await done;
    // It was saved after the merge began.
    await expectMerged();
  });

  it('are followed by a save of the job that begins meanwhile', async () => {
    await given();
    const { goOn, done } = await half();
    const later = [5, 5, 6, 6];
    const body = { shapes: [rectangle(task.labels['car'] ?? 0, 0, { points: later })] };
    const save = owner.http
      .put(`/api/jobs/${ids[0]}/annotations`)
      .send(body)
      .then(({ status }) => status);
    await someoneWaits();
    goOn();
    await done;
    expect(await save).toBe(200);
    expect([await all(), await states()]).toEqual([
      [[later], [MERGED]],
      ['completed', 'completed'],
    ]);
  });

  it('change nothing if a job was moved to another stage meanwhile', async () => {
    await given();
    const { id, goOn, done } = await half();
    await owner.http.patch(`/api/jobs/${ids[1]}`).send({ stage: 'validation' }).expect(200);
    goOn();
    await done;
    const { status, message } = (await owner.http.get(`/api/requests/${encodeURIComponent(id)}`)).body as Record<
      string,
      string
    >;
    expect(status).toBe('failed');
    expect(message).toMatch(new RegExp(`^Job ${ids[1]} was moved to the stage validation`));
    await expectUntouched();
  });

  it('of a task and of one of its jobs can run at the same time', async () => {
    await given();
    const requests = [await started({ task_id: task.id }), await started({ job_id: ids[0] })];
    await Promise.all([app.app.get(RequestWorker).drain(), app.app.get(RequestWorker).drain()]);
    for (const id of requests) expect((await worked(app, owner, id)).body.status).toBe('finished');
    await expectMerged();
  });
});
