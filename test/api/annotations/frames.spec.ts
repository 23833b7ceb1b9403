import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Actors } from '../../../src/core/access/actors.js';
import { UnitOfWork } from '../../../src/core/database/unit-of-work.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { ChangedFrames } from '../../../src/modules/annotations/history/changed-frames.js';
import { AnnotationService } from '../../../src/modules/annotations/index.js';
import { emptyData } from '../../../src/shared/annotations/model.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';

const LARGEST = 2 ** 31 - 1;
const missing = (frame: number) => ({ frame: [`Frame ${frame} does not exist. The task has the frames 0 to 9.`] });

describe('frames of annotations', () => {
  let app: TestApp;
  let owner: Person;
  let task: Annotatable;

  beforeAll(async () => {
    app = await createTestApp();
    owner = await new Given(app).person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    task = await givenAnnotatable(app, owner, { segments: [[0, 4], [5, 9]] }); // prettier-ignore
  });

  const box = (frame: number) => rectangle(task.labels.car, frame);
  const keyframe = (frame: number, outside = false) => ({ type: 'rectangle', frame, outside, points: [1, 2, 3, 4] });
  const track = (...shapes: object[]) => ({ label_id: task.labels.car, frame: 0, shapes });
  const create = (body: object) => owner.http.patch(`${task.ofJob()}?action=create`).send(body);

  it.each<[string, () => object, object]>([
    ['a tag', () => ({ tags: [{ label_id: task.labels.car, frame: LARGEST }] }), { tags: [missing(LARGEST)] }],
    ['a shape', () => ({ shapes: [box(0), box(10)] }), { shapes: [{}, missing(10)] }],
    [
      'a keyframe',
      () => ({ tracks: [track(keyframe(0), keyframe(LARGEST))] }),
      { tracks: [{ shapes: [{}, missing(LARGEST)] }] },
    ],
  ])('that the task does not have are rejected: %s', async (_, body, errors) => {
    const answer = await create(body());
    expect([answer.status, answer.body]).toEqual([400, errors]);
  });

  it('that the task does not have are rejected by PUT and update, too', async () => {
    const put = await owner.http.put(task.ofJob()).send({ shapes: [box(10)] });
    const [saved] = (await create({ shapes: [box(0)] })).body.shapes as { id: number }[];
    const changed = { ...box(10), id: saved?.id };
    const update = await owner.http.patch(`${task.ofJob()}?action=update`).send({ shapes: [changed] });
    expect([put.status, update.status, update.body]).toEqual([400, 400, { shapes: [missing(10)] }]);
  });

  it('of the task are accepted in each of its jobs', async () => {
    const answer = await create({ shapes: [box(9)], tracks: [track(keyframe(0), keyframe(10, true))] });
    expect(answer.status).toBe(200);
  });

  it.each([['job'], ['task']])('also limit the intervals of a %s', async (kind) => {
    const path = kind === 'job' ? task.ofJob() : task.ofTask;
    const intervals = [{ label_id: task.labels.car, start: 3, stop: 11 }];
    const answer = await owner.http.patch(`${path}?action=create`).send({ intervals });
    const text = 'Interval start must be within [0, 9] and stop must be within [0, 10], got [3, 11]';
    expect([answer.status, answer.body]).toEqual([400, [text]]);
  });

  it.each(['job', 'task'] as const)('that the task does not have stop an import into a %s', async (kind) => {
    const id = kind === 'job' ? (task.jobs[0] ?? 0) : task.taskId;
    const tag = { id: null, label_id: task.labels.car, frame: 10, group: 0, source: 'file', attributes: [] };
    const batches = Readable.from([{ ...emptyData(), tags: [tag] }]);
    const imported = app.app.get(UnitOfWork).run(async (tx) => {
      const actor = await app.app.get(Actors).load(tx, owner.id, app.url);
      if (actor !== null) await app.app.get(AnnotationService).importAll(tx, actor, { kind, id }, batches);
    });
    await expect(imported).rejects.toMatchObject({ status: 400, body: { tags: [missing(10)] } });
  });

  describe('that were stored before they were checked', () => {
    let id: number;

    beforeEach(async () => {
      const saved = await create({ shapes: [box(0)], tracks: [track(keyframe(0), keyframe(1))] });
      id = (saved.body as { shapes: { id: number }[] }).shapes[0]?.id ?? 0;
      await app.db.query(sql`update annotation_shape set frame = ${LARGEST} where id = ${id}`);
      await app.db.query(sql`update annotation_tracked_shape set frame = ${LARGEST} where job_id = ${task.jobs[0]} and frame = 1`); // prettier-ignore
    });

    it('do not stop the events of later changes', async () => {
      // The frames of a save of so many objects are read when its event is published.
      await create({ shapes: Array.from({ length: 1001 }, () => box(0)) });
      await app.db.query(sql`update annotation_shape set frame = ${LARGEST} where job_id = ${task.jobs[0]}`);
      await owner.http.patch(`/api/tasks/${task.taskId}`).send({ name: 'renamed' }).expect(200);
      await app.drain();
      const logged = await app.db.query<{ scope: string; frames: string | null }>(sql`
        select scope, frames::text from logged_event where task_id = ${task.taskId} order by id`);
      expect(logged).toContainEqual({ scope: 'create:shapes', frames: '{[2147483646,2147483647)}' });
      expect(logged).toContainEqual({ scope: 'create:tracks', frames: '{[0,1),[2147483646,2147483647)}' });
      expect(logged).toContainEqual({ scope: 'update:task', frames: null });
    });

    it('are not among the changed frames of a job', async () => {
      const [job = 0] = task.jobs;
      const [row] = await app.db.query<{ id: number }>(sql`select min(id)::int as id from annotation_revision`);
      await create({ shapes: [box(3)] });
      const [last] = await app.db.query<{ id: number }>(sql`select max(id)::int as id from annotation_revision`);
      await app.db.query(sql`update annotation_shape set revision_id = ${last?.id} where job_id = ${job}`);
      await app.db.query(sql`update annotation_tracked_shape set revision_id = ${last?.id} where job_id = ${job}`);
      const jobs = [{ id: job, start: 0, stop: 4, revision: last?.id ?? 0 }];
      expect(await app.app.get(ChangedFrames).since(app.db, jobs, row?.id ?? 0)).toEqual([
        { job_id: job, first: 0, last: 4 },
      ]);
    });

    it('can be deleted', async () => {
      const answer = await owner.http
        .patch(`${task.ofJob()}?action=delete`)
        .send({ shapes: [{ ...box(LARGEST), id }] });
      const { body } = await owner.http.get(task.ofJob());
      expect([answer.status, (body as { shapes: object[] }).shapes]).toEqual([200, []]);
    });
  });
});
