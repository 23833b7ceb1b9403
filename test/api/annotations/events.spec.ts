import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, NEWEST, type Person, recordedEvents } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';

const SAVED = [
  'update:job updated_date',
  'update:task updated_date',
  'update:project updated_date',
  'update:annotations',
];

describe('saving annotations', () => {
  let app: TestApp;
  let owner: Person;
  let task: Annotatable;
  let car: number;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    task = await givenAnnotatable(app, owner, { segments: [[0, 4], [5, 9]] }); // prettier-ignore
    car = task.labels.car;
    await forget();
  });

  const forget = async (): Promise<void> => {
    await app.db.query(sql`delete from outbox_event`);
    await app.db.query(sql`update job set updated_date = '2020-01-01' where task_id = ${task.taskId}`);
    await app.db.query(sql`update task set updated_date = '2020-01-01' where id = ${task.taskId}`);
    await app.db.query(sql`update project set updated_date = '2020-01-01' where id = ${task.projectId}`);
  };

  const told = async (): Promise<string[]> =>
    (await recordedEvents(app)).map(({ name, before }) => [name, ...before].join(' '));

  /** Which of the two jobs, the task and the project have a new date. */
  const bumped = async (): Promise<boolean[]> => {
    const rows = await app.db.query<{ bumped: boolean }>(sql`
      (select updated_date > '2021-01-01' as bumped from job where task_id = ${task.taskId} order by id)
      union all select updated_date > '2021-01-01' from task where id = ${task.taskId}
      union all select updated_date > '2021-01-01' from project where id = ${task.projectId}`);
    return rows.map((row) => row.bumped);
  };

  it.each([
    ['PUT of something', 'put', '', { shapes: ['box'] }],
    ['PUT of nothing', 'put', '', {}],
    ['create', 'patch', '?action=create', { shapes: ['box'] }],
    ['update', 'patch', '?action=update', { shapes: ['box'] }],
    ['delete of what is not there', 'patch', '?action=delete', { shapes: ['unknown'] }],
  ] as const)('%s updates job, task and project', async (_name, verb, query, body) => {
    const sent = JSON.parse(
      JSON.stringify(body)
        .replace('"box"', JSON.stringify(rectangle(car, 0)))
        .replace('"unknown"', JSON.stringify(rectangle(car, 0, { id: 999_999_999 }))),
    ) as object;
    expect((await owner.http[verb](`${task.ofJob()}${query}`).send(sent)).status).toBe(200);
    expect(await told()).toEqual(SAVED);
    expect(await bumped()).toEqual([true, false, true, true]);
  });

  it.each([
    ['create of nothing', 'patch', '?action=create', {}],
    ['update of nothing', 'patch', '?action=update', {}],
    ['DELETE of nothing', 'delete', '', {}],
    ['a refused PUT', 'put', '', { shapes: [{}] }],
    ['a PUT with a wrong label', 'put', '', { tags: [{ frame: 0, label_id: 999_999_999 }] }],
  ] as const)('%s records no event', async (_name, verb, query, body) => {
    await owner.http[verb](`${task.ofJob()}${query}`).send(body);
    expect(await told()).toEqual([]);
    expect(await bumped()).toEqual([false, false, false, false]);
  });

  it('DELETE of annotations is recorded', async () => {
    await owner.http.put(task.ofJob()).send({ tags: [{ frame: 0, label_id: car }] });
    await forget();
    await owner.http.delete(task.ofJob());
    expect(await told()).toEqual(SAVED);
  });

  it('a save to a task is recorded for the jobs whose annotations changed', async () => {
    await owner.http.put(task.ofTask).send({ shapes: [rectangle(car, 7)] });
    expect(await told()).toEqual(SAVED);
    expect(await bumped()).toEqual([false, true, true, true]);
    await forget();
    await owner.http.put(task.ofTask).send({ shapes: [rectangle(car, 0)] });
    expect(await told()).toEqual([SAVED[0], ...SAVED]);
    await forget();
    await owner.http.delete(task.ofTask);
    expect(await bumped()).toEqual([true, false, true, true]);
    await forget();
    await owner.http.delete(task.ofTask);
    expect(await told()).toEqual([]);
  });

  it('contains the job before and after', async () => {
    await owner.http.put(task.ofJob(1)).send({});
    const [event] = await app.db.query<{ object_id: string; project_id: number }>(
      sql`select object_id, project_id from outbox_event where name = 'update:job'`,
    );
    expect(event).toEqual({ object_id: String(task.jobs[1]), project_id: task.projectId });
  });

  describe('update:annotations', () => {
    const saved = async (): Promise<Record<string, unknown>> => {
      const rows = await app.db.query<{ after: { object: Record<string, unknown> }; project_id: number }>(
        sql`select after, project_id from outbox_event where name = 'update:annotations' order by id`,
      );
      expect(rows.map((row) => row.project_id)).toEqual(rows.map(() => task.projectId));
      return rows.at(-1)?.after.object ?? {};
    };

    it('lists the objects that were created, updated and deleted', async () => {
      const first = await owner.http.put(task.ofTask).send({ shapes: [rectangle(car, 2), rectangle(car, 7)] });
      const [left, right] = first.body.shapes.map((shape: { id: number }) => shape.id) as number[];
      expect(await saved()).toMatchObject({
        action: 'replace',
        task_id: task.taskId,
        job_ids: task.jobs,
        counts: { created: { shapes: 2 }, updated: { shapes: 0 }, deleted: { shapes: 0 } },
        changes: {
          created: {
            shapes: [
              { id: left, frame: 2, job_id: task.jobs[0] },
              { id: right, frame: 7, job_id: task.jobs[1] },
            ],
          },
        },
      });
      await owner.http.patch(`${task.ofJob()}?action=update`).send({ shapes: [rectangle(car, 3, { id: left })] });
      expect(await saved()).toMatchObject({
        changes: {
          created: { shapes: [] },
          updated: { shapes: [{ id: left, frame: 3, job_id: task.jobs[0] }] },
          deleted: { shapes: [] },
        },
      });
      await owner.http.patch(`${task.ofJob(1)}?action=delete`).send({ shapes: [rectangle(car, 7, { id: right })] });
      expect(await saved()).toMatchObject({
        action: 'delete',
        changes: { deleted: { tags: [], shapes: [{ id: right, frame: 7, job_id: task.jobs[1] }] } },
      });
    });

    it('gives counts and a link if there are too many objects', async () => {
      const shapes = Array.from({ length: 1001 }, () => rectangle(car, 1));
      await owner.http.put(task.ofJob()).send({ shapes });
      const { changes, counts, changes_url: url } = await saved();
      expect([changes, (counts as { created: { shapes: number } }).created.shapes]).toEqual([null, 1001]);
      const path = new URL(url as string).pathname;
      expect((await owner.http.get(path)).body.created.shapes).toHaveLength(1001);
    });

    it('can be selected for webhooks', async () => {
      const { body } = await owner.http.get('/api/webhooks/events?type=project').set('Accept', NEWEST);
      expect(body.newer_events).toContainEqual({ key: 'update:annotations', group: { display_name: 'Annotations' } });
    });
  });
});
