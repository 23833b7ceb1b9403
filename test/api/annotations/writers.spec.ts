import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { AnnotatedTaskRepository } from '../../../src/modules/annotations/annotated-task.repository.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { givenAnnotatable, rectangle } from '../../support/given-annotations.js';

describe('concurrent writers of annotations', () => {
  let app: TestApp;
  let owner: Person;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  it('do not mix, and readers see no partial save', async () => {
    const task = await givenAnnotatable(app, owner, { segments: [[0, 4], [5, 9]] }); // prettier-ignore
    const { car, dog } = task.labels;
    const version = (label: number, count: number) => ({
      shapes: Array.from({ length: count }, (_, index) => rectangle(label, index % 10)),
      tags: Array.from({ length: count }, (_, index) => ({ frame: index % 10, label_id: label, attributes: [] })),
    });
    const seen = async (): Promise<string> => {
      const { shapes, tags } = (await owner.http.get(task.ofTask)).body;
      const labels = new Set([...shapes, ...tags].map((object: { label_id: number }) => object.label_id));
      return `${[...labels].join(' and ')}: ${shapes.length} ${tags.length}`;
    };
    const whole = [`${car}: 300 300`, `${dog}: 200 200`];
    await owner.http.put(task.ofTask).send(version(car, 300));
    const writes = Array.from({ length: 6 }, (_, turn) =>
      owner.http.put(task.ofTask).send(turn % 2 === 0 ? version(car, 300) : version(dog, 200)),
    );
    const reads = Array.from({ length: 6 }, seen);
    const statuses = (await Promise.all(writes)).map((answer) => answer.status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
    for (const state of [...(await Promise.all(reads)), await seen()]) expect(whole).toContain(state);
  });

  it('can all add at the same time', async () => {
    const task = await givenAnnotatable(app, owner);
    const add = (count: number) =>
      owner.http
        .patch(`${task.ofJob()}?action=create`)
        .send({ shapes: Array.from({ length: count }, () => rectangle(task.labels.car, 0)) });
    const answers = await Promise.all([add(50), add(1), add(70), add(3)]);
    const added = answers.flatMap((answer) => answer.body.shapes.map((shape: { id: number }) => shape.id));
    expect(new Set(added).size).toBe(124);
    expect((await owner.http.get(task.ofJob())).body.shapes).toHaveLength(124);
  });

  it('do not conflict with a change of the job at the same time', async () => {
    const task = await givenAnnotatable(app, owner);
    const body = { shapes: Array.from({ length: 2000 }, () => rectangle(task.labels.car, 0)) };
    const answers = await Promise.all([
      owner.http.put(task.ofJob()).send(body),
      owner.http.patch(`/api/jobs/${task.jobs[0]}`).send({ state: 'in progress' }),
      owner.http.put(task.ofTask).send(body),
      owner.http.patch(`/api/tasks/${task.taskId}`).send({ name: 'other' }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200]);
  });

  it('can lock more jobs than fit into the lock table of the database', async () => {
    const task = await givenAnnotatable(app, owner);
    const { dog } = task.labels;
    await app.db.query(sql`
      with segment as (
        insert into segment (task_id, start_frame, stop_frame, chunks_updated_date)
        select ${task.taskId}::int, frame, frame, now() from generate_series(10, 20009) as frame returning id)
      insert into job (segment_id, task_id, created_date, updated_date)
      select id, ${task.taskId}::int, now(), now() from segment`);
    const saved = await owner.http.put(task.ofTask).send({ shapes: [rectangle(dog, 3), rectangle(dog, 20_009)] });
    expect(saved.status).toBe(200);
    expect((await owner.http.get(task.ofTask)).body.shapes).toHaveLength(2);
    expect((await owner.http.delete(task.ofTask)).status).toBe(204);
  });

  it('leave no annotations behind if one of them deletes the label', async () => {
    const task = await givenAnnotatable(app, owner);
    const { dog } = task.labels;
    const [saved] = await Promise.all([
      owner.http.put(task.ofJob()).send({ shapes: Array.from({ length: 500 }, () => rectangle(dog, 0)) }),
      owner.http.patch(`/api/projects/${task.projectId}`).send({ labels: [{ id: dog, deleted: true }] }),
    ]);
    expect([200, 400]).toContain(saved.status);
    expect((await owner.http.get(task.ofJob())).body.shapes).toEqual([]);
  });

  /** Saves to a job repeatedly until `done` returns true. @returns the statuses */
  async function saveUntil(path: string, label: number, done: () => boolean): Promise<Set<number>> {
    const statuses = new Set<number>();
    while (!done()) {
      const shapes = Array.from({ length: 5 }, () => rectangle(label, 0));
      statuses.add((await owner.http.patch(`${path}?action=create`).send({ shapes })).status);
    }
    return statuses;
  }

  it('do not disturb changes of the labels, or the reverse', async () => {
    const task = await givenAnnotatable(app, owner, { segments: [[0, 4], [5, 9]] }); // prettier-ignore
    const { car, dog } = task.labels;
    const project = `/api/projects/${task.projectId}`;
    let done = false;
    const savers = [car, car, dog].map((label) => saveUntil(task.ofJob(), label, () => done));
    const statuses: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      statuses.push((await owner.http.patch(`/api/labels/${car}`).send({ name: `car ${turn}` })).status);
      statuses.push((await owner.http.patch(project).send({ labels: [{ name: `new ${turn}` }] })).status);
    }
    statuses.push((await owner.http.delete(`/api/labels/${dog}`)).status);
    done = true;
    expect(new Set(statuses)).toEqual(new Set([200, 204]));
    const [first, second, third] = await Promise.all(savers);
    expect([first, second]).toEqual([new Set([200]), new Set([200])]);
    expect([...(third ?? [])].filter((status) => status !== 200 && status !== 400)).toEqual([]);
    const { shapes } = (await owner.http.get(task.ofTask)).body;
    expect(new Set(shapes.map((shape: { label_id: number }) => shape.label_id))).toEqual(new Set([car]));
  }, 60_000);

  it('who use a label in another job do not restart its deletion', async () => {
    const task = await givenAnnotatable(app, owner, { segments: [[0, 4], [5, 9]] }); // prettier-ignore
    const { dog } = task.labels;
    const save = (job: number, frame: number) =>
      owner.http
        .put(task.ofJob(job))
        .send({ shapes: [rectangle(dog, frame)] })
        .expect(200);
    await save(0, 0);
    const original = AnnotatedTaskRepository.prototype.lock;
    const locks = jest.spyOn(AnnotatedTaskRepository.prototype, 'lock');
    locks.mockImplementationOnce(async function (this: AnnotatedTaskRepository, tx, jobs) {
      await save(1, 5);
      await original.call(this, tx, jobs);
    });
    await owner.http.delete(`/api/labels/${dog}`).expect(204);
    const [deletion] = locks.mock.calls[0] ?? [];
    const locked = locks.mock.calls.flatMap(([tx, jobs]) =>
      tx === deletion ? [[...jobs].toSorted((a, b) => a - b)] : [],
    );
    locks.mockRestore();
    expect(locked).toEqual([task.jobs, task.jobs]);
    expect((await owner.http.get(task.ofTask)).body.shapes).toEqual([]);
  });

  it.each(['task', 'project'] as const)(
    'do not keep their %s from being deleted',
    async (kind) => {
      const task = await givenAnnotatable(app, owner);
      let done = false;
      const savers = [1, 2, 3, 4].map(() => saveUntil(task.ofJob(), task.labels.car, () => done));
      await new Promise((resolve) => setTimeout(resolve, 200));
      const path = kind === 'task' ? `/api/tasks/${task.taskId}` : `/api/projects/${task.projectId}`;
      const deleted = await owner.http.delete(path);
      done = true;
      expect(deleted.status).toBe(204);
      for (const statuses of await Promise.all(savers)) {
        expect([...statuses].filter((status) => status !== 200 && status !== 404)).toEqual([]);
      }
    },
    60_000,
  );
});
