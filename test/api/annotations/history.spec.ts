import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { HistoryCleaner } from '../../../src/modules/annotations/history/history.service.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';
import { givenJobs } from '../../support/given-jobs.js';

interface Revision {
  readonly id: number;
  readonly action: string;
  readonly counts: Record<string, Record<string, number>>;
  readonly [key: string]: unknown;
}

interface ToldSave extends Revision {
  readonly changes: Readonly<Record<string, object>>;
}

describe('history of annotations', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let stranger: Person;
  let task: Annotatable;
  let car: number;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
    owner = await given.person();
    stranger = await given.person();
  });

  afterAll(() => app.close());

  beforeEach(async () => {
    task = await givenAnnotatable(app, owner, { segments: [[0, 4], [5, 9]] }); // prettier-ignore
    car = task.labels.car;
  });

  const revisions = async (path = task.ofJob()): Promise<Revision[]> =>
    (await owner.http.get(`${path}/revisions`)).body.results as Revision[];
  const last = async (path = task.ofJob()): Promise<Revision> => {
    const [first] = await revisions(path);
    if (first === undefined) throw new Error('there is no revision');
    return first;
  };
  const read = async (path = task.ofJob()): Promise<unknown> => (await owner.http.get(path)).body as unknown;

  /** One object of each type, on frames of the first job. */
  const everything = () => ({
    tags: [{ frame: 1, label_id: car, attributes: [{ spec_id: task.attributes.make, value: 'a "b"\n' }] }],
    shapes: [
      rectangle(car, 0, { group: 3, rotation: 10.5, occluded: true, z_order: 2, source: 'auto', score: 0.5 }),
      {
        type: 'skeleton',
        label_id: task.labels.person,
        frame: 2,
        elements: task.joints.map((label_id, at) => ({ type: 'points', label_id, frame: 2, points: [at, at + 0.5] })),
      },
    ],
    tracks: [
      {
        label_id: task.labels.dog,
        frame: 0,
        shapes: [
          { type: 'rectangle', frame: 0, points: [0, 0, 5, 5] },
          { type: 'rectangle', frame: 4, points: [4, 0, 9, 5], outside: true },
        ],
      },
      {
        label_id: task.labels.person,
        frame: 1,
        shapes: [{ type: 'skeleton', frame: 1 }],
        elements: task.joints.map((label_id) => ({
          label_id,
          frame: 1,
          shapes: [{ type: 'points', frame: 1, points: [3, 4] }],
        })),
      },
    ],
    intervals: [{ label_id: car, start: 1, stop: 3 }],
  });

  it('lists saves, newest first, with author, action and counts', async () => {
    await owner.http.put(task.ofJob()).send(everything());
    await owner.http.patch(`${task.ofJob()}?action=create`).send({ shapes: [rectangle(car, 1)] });
    await owner.http.delete(task.ofJob());
    const [cleared, created, replaced] = await revisions();
    expect([cleared?.action, created?.action, replaced?.action]).toEqual(['clear', 'create', 'replace']);
    expect(replaced).toMatchObject({
      url: expect.stringMatching(`/api/jobs/${task.jobs[0]}/annotations/revisions/${replaced?.id}$`),
      project_id: task.projectId,
      task_id: task.taskId,
      job_ids: [task.jobs[0]],
      author: { id: owner.id },
      restored: null,
      counts: {
        created: { tags: 1, shapes: 2, tracks: 2, intervals: 1 },
        updated: { tags: 0, shapes: 0, tracks: 0, intervals: 0 },
        deleted: { tags: 0, shapes: 0, tracks: 0, intervals: 0 },
      },
    });
    expect(cleared?.counts['deleted']).toEqual({ tags: 1, shapes: 3, tracks: 2, intervals: 1 });
    expect((await owner.http.get(`${task.ofJob()}/revisions/${created?.id}`)).body).toEqual(created);
    const filtered = await owner.http.get(`${task.ofJob()}/revisions?action=create`);
    expect(filtered.body.results).toEqual([created]);
    expect(await revisions(task.ofJob(1))).toEqual([]);
  });

  it('reads every earlier state completely', async () => {
    const states: unknown[] = [];
    const save = async (path: string, body: object): Promise<void> => {
      const verb = path.includes('action') ? 'patch' : 'put';
      expect((await owner.http[verb](path).send(body)).status).toBe(200);
      states.push(await read());
    };
    await save(task.ofJob(), everything());
    const { shapes, tracks } = states[0] as { shapes: { id: number }[]; tracks: { id: number; shapes: object[] }[] };
    await save(`${task.ofJob()}?action=update`, { shapes: [rectangle(car, 3, { id: shapes[0]?.id })] });
    await save(`${task.ofJob()}?action=delete`, { tracks: [tracks[0]] });
    await save(`${task.ofJob()}?action=update`, { shapes: [rectangle(task.labels.dog, 3, { id: shapes[0]?.id })] });
    await save(task.ofJob(), {});
    const saves = (await revisions()).toReversed();
    for (const [index, { id }] of saves.entries()) {
      const path = `${task.ofJob()}/revisions/${id}/annotations`;
      expect(await read(path)).toEqual(states[index]);
      const before = await owner.http.get(`${path}?state=before`);
      expect(before.body).toEqual(states[index - 1] ?? { version: 0, tags: [], shapes: [], tracks: [] });
    }
  });

  it('lists the differences between saves', async () => {
    const put = await owner.http.put(task.ofJob()).send(everything());
    const first = await last();
    const [box, skeleton] = put.body.shapes;
    const [track] = put.body.tracks;
    await owner.http.patch(`${task.ofJob()}?action=update`).send({
      shapes: [
        rectangle(car, 0, { ...box, points: [1, 1, 2, 2], occluded: false }),
        { ...skeleton, elements: skeleton.elements.map((part: object) => ({ ...part, points: [7, 7] })) },
      ],
      tracks: [{ ...track, shapes: [{ type: 'rectangle', frame: 0, points: [9, 9, 10, 10] }] }],
    });
    await owner.http.patch(`${task.ofJob()}?action=delete`).send({ tags: put.body.tags });
    const { body } = await owner.http.get(`${task.ofJob()}/revisions/${(await last()).id}/changes?since=${first.id}`);
    const at = (id: number, frame: number): object => ({ id, frame, job_id: task.jobs[0] });
    expect(body).toEqual({
      revision: (await last()).id,
      since: first.id,
      created: { tags: [], shapes: [], tracks: [], intervals: [] },
      updated: {
        tags: [],
        shapes: [
          { ...at(box.id, 0), fields: ['occluded', 'points'] },
          { ...at(skeleton.id, 2), fields: ['elements'] },
        ],
        tracks: [{ ...at(track.id, 0), fields: ['shapes'] }],
        intervals: [],
      },
      deleted: { tags: [at(put.body.tags[0].id, 1)], shapes: [], tracks: [], intervals: [] },
    });
    const own = await owner.http.get(`${task.ofJob()}/revisions/${first.id}/changes`);
    expect(own.body.created.tracks).toHaveLength(2);
    expect([own.body.since, own.body.updated.shapes, own.body.deleted.shapes]).toEqual([null, [], []]);
  });

  it('restores what a mistaken PUT replaced', async () => {
    await owner.http.put(task.ofJob()).send(everything());
    const good = await read();
    await owner.http.put(task.ofJob()).send({ shapes: [rectangle(car, 1)] });
    const mistake = await last();
    const answer = await owner.http.post(`${task.ofJob()}/revisions/${mistake.id}/restore?state=before`);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      action: 'restore',
      restored: { revision: mistake.id, state: 'before' },
      counts: {
        created: { tags: 1, shapes: 2, tracks: 2, intervals: 1 },
        deleted: { tags: 0, shapes: 1, tracks: 0, intervals: 0 },
      },
    });
    expect(await read()).toEqual(good);
    await owner.http.post(`${task.ofJob()}/revisions/${mistake.id}/restore`);
    expect((await read()) as object).toMatchObject({ tags: [], shapes: [{ frame: 1 }], tracks: [] });
    await owner.http.post(`${task.ofJob()}/revisions/${answer.body.id}/restore`);
    expect(await read()).toEqual(good);
  });

  it('restores a task with all its jobs, or a single job', async () => {
    await owner.http.put(task.ofTask).send({ shapes: [rectangle(car, 1), rectangle(car, 7)] });
    const good = await read(task.ofTask);
    await owner.http.delete(task.ofJob(1));
    const mistake = await last(task.ofTask);
    await owner.http.put(task.ofJob(0)).send({});
    await owner.http.post(`${task.ofTask}/revisions/${mistake.id}/restore?state=before`);
    expect(await read(task.ofTask)).toEqual(good);
    expect((await last(task.ofTask)).counts['created']?.['shapes']).toBe(2);
    await owner.http.delete(task.ofTask);
    const all = await last(task.ofTask);
    expect(all.job_ids).toEqual(task.jobs);
    await owner.http.post(`${task.ofJob(1)}/revisions/${all.id}/restore?state=before`);
    expect((await read(task.ofTask)) as object).toMatchObject({ shapes: [{ frame: 7 }] });
  });

  it('keeps annotations of a deleted label, and leaves them out of restores', async () => {
    await owner.http.put(task.ofTask).send({
      shapes: [rectangle(car, 1), rectangle(task.labels.dog, 7)],
      tracks: everything().tracks.slice(0, 1),
    });
    const before = (await read(task.ofTask)) as { shapes: object[] };
    await owner.http.delete(`/api/labels/${task.labels.dog}`);
    const gone = await last(task.ofTask);
    expect(gone).toMatchObject({ action: 'labels', author: { id: owner.id } });
    expect(gone.counts['deleted']).toMatchObject({ shapes: 1, tracks: 1 });
    expect((await read(`${task.ofTask}/revisions/${gone.id}/annotations?state=before`)) as object).toMatchObject({
      shapes: [{ frame: 1 }, { frame: 7, label_id: task.labels.dog }],
      tracks: [{ label_id: task.labels.dog }],
    });
    await owner.http.put(task.ofTask).send({});
    await owner.http.post(`${task.ofTask}/revisions/${gone.id}/restore?state=before`);
    expect((await read(task.ofTask)) as object).toMatchObject({ shapes: [before.shapes[0]], tracks: [] });
  });

  it('records one save for each task that uses a deleted label, in one request', async () => {
    const { dog } = task.labels;
    const other = await givenJobs(app, owner, { projectId: task.projectId });
    const unlabeled = await givenJobs(app, owner, { projectId: task.projectId });
    const [ofOther, ofUnlabeled] = [other, unlabeled].map(({ id }) => `/api/tasks/${id}/annotations`);
    await owner.http.put(task.ofTask).send({ shapes: [rectangle(dog, 1), rectangle(dog, 7), rectangle(car, 7)] });
    await owner.http.put(ofOther ?? '').send({ tags: [{ label_id: dog, frame: 5, attributes: [] }] });
    await owner.http.put(ofUnlabeled ?? '').send({ shapes: [rectangle(car, 0)] });
    const before = await last(ofUnlabeled);
    await app.db.query(sql`delete from outbox_event`);
    await owner.http.delete(`/api/labels/${dog}`);
    const [here, there] = [await last(task.ofTask), await last(ofOther)];
    expect(here).toMatchObject({ action: 'labels', task_id: task.taskId, job_ids: task.jobs });
    expect(here.counts['deleted']).toMatchObject({ shapes: 2, tags: 0 });
    expect(there).toMatchObject({ action: 'labels', task_id: other.id, job_ids: [other.jobs[2]] });
    expect(there.counts['deleted']).toMatchObject({ shapes: 0, tags: 1 });
    expect(await last(ofUnlabeled)).toEqual(before);
    const told = (await app.db.query<{ after: { object: ToldSave } }>(sql`
      select after from outbox_event where name = 'update:annotations' order by id`)).map(({ after }) => after.object); // prettier-ignore
    expect(told.map(({ id, task_id: taskId }) => [id, taskId])).toEqual([[here.id, task.taskId], [there.id, other.id]]); // prettier-ignore
    expect(told.map(({ changes }) => changes.deleted)).toMatchObject([
      { shapes: [{ frame: 1, job_id: task.jobs[0] }, { frame: 7, job_id: task.jobs[1] }], tags: [] },
      { shapes: [], tags: [{ frame: 5, job_id: other.jobs[2] }] },
    ]); // prettier-ignore
    await owner.http.post(`${ofOther}/revisions/${there.id}/restore?state=before`);
    expect((await read(ofOther)) as object).toMatchObject({ tags: [] });
  });

  it('deletes old saves, oldest first, and can restore the remaining ones', async () => {
    await owner.http.put(task.ofJob()).send(everything());
    await owner.http.put(task.ofJob()).send({ shapes: [rectangle(car, 1)] });
    const kept = await read();
    const tag = (await owner.http.get(task.ofJob())).headers['etag'];
    const old = (await revisions()).map((revision) => revision.id);
    await app.db.query(sql`update annotation_revision set created_date = now() - interval '31 days'`);
    await owner.http.delete(task.ofJob());
    while (await app.app.get(HistoryCleaner).cleanOnce());
    const [deletion, ...others] = await revisions();
    expect(others).toEqual([]);
    expect((await owner.http.get(`${task.ofJob()}/revisions/${old[0]}`)).status).toBe(404);
    await owner.http.post(`${task.ofJob()}/revisions/${deletion?.id}/restore?state=before`);
    expect(await read()).toEqual(kept);
    expect((await owner.http.get(task.ofJob())).headers['etag']).not.toBe(tag);
    const [rest] = await app.db.query<{ rows: number }>(
      sql`select count(*)::int as rows from annotation_track_removed where job_id = ${task.jobs[0]}`,
    );
    expect(rest?.rows).toBe(0);
  });

  it('is deleted with its task', async () => {
    await owner.http.put(task.ofTask).send({ shapes: [rectangle(car, 1), rectangle(car, 7)] });
    await owner.http.delete(task.ofTask);
    await owner.http.delete(`/api/tasks/${task.taskId}`);
    const [rest] = await app.db.query<{ rows: number; revisions: number }>(sql`
      select (select count(*)::int from annotation_shape_removed where job_id = any(${[...task.jobs]}::int[])) as rows,
        (select count(*)::int from annotation_revision where task_id = ${task.taskId}) as revisions`);
    expect(rest).toEqual({ rows: 0, revisions: 0 });
  });

  it('can be read with permission to view, and restored with permission to update', async () => {
    await owner.http.put(task.ofJob()).send({ shapes: [rectangle(car, 1)] });
    const { id } = await last();
    for (const path of ['', `/${id}`, `/${id}/changes`, `/${id}/annotations`]) {
      expect((await stranger.http.get(`${task.ofJob()}/revisions${path}`)).status).toBe(403);
      expect((await stranger.http.get(`${task.ofTask}/revisions${path}`)).status).toBe(403);
    }
    expect((await stranger.http.post(`${task.ofJob()}/revisions/${id}/restore`)).status).toBe(403);
    expect((await read()) as object).toMatchObject({ shapes: [{ frame: 1 }] });
  });

  it.each([
    ['get', '/999999999', 404],
    ['get', '/x', 404],
    ['get', '/999999999/annotations', 404],
    ['get', '/999999999/changes', 404],
    ['post', '/999999999/restore', 404],
    ['get', '/ID/annotations?state=now', 400],
    ['post', '/ID/restore?state=now', 400],
    ['get', '/ID/changes?since=x', 400],
    ['get', '/ID/changes?since=ID', 400],
    ['get', '/ID/changes?since=999999999', 404],
  ] as const)('%s %s is %i', async (verb, path, status) => {
    await owner.http.put(task.ofJob()).send({ shapes: [rectangle(car, 1)] });
    const { id } = await last();
    const answer = await owner.http[verb](`${task.ofJob()}/revisions${path.replaceAll('ID', String(id))}`);
    expect(answer.status).toBe(status);
    expect(await revisions()).toHaveLength(1);
  });

  it('of another job is not found', async () => {
    await owner.http.put(task.ofJob(1)).send({ shapes: [rectangle(car, 7)] });
    const { id } = await last(task.ofJob(1));
    expect((await owner.http.get(`${task.ofJob()}/revisions/${id}`)).status).toBe(404);
    expect((await owner.http.post(`${task.ofJob()}/revisions/${id}/restore`)).status).toBe(404);
  });
});
