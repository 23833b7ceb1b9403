import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { RequestWorker } from '../../../src/modules/requests/index.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { CAR_DETECTOR, FunctionServer, ONE_CAR } from '../../support/function-server.js';
import { Given, type Person } from '../../support/given.js';
import { rectangle } from '../../support/given-annotations.js';
import { givenPhotos, POOL } from '../../support/given-media.js';

interface Shape {
  readonly id: number;
  readonly frame: number;
  readonly source: string;
  readonly points: number[];
}

describe('requests that annotate with HTTP functions', () => {
  let server: FunctionServer;
  let app: TestApp;
  let owner: Person;
  let stranger: Person;

  beforeAll(async () => {
    server = await FunctionServer.start();
    server.add({ id: 'faces', type: 'detector', spec: [{ name: 'face' }, { name: 'eye' }] }, () => []);
    server.add({ id: 'clicks', type: 'interactor' }, () => []);
    server.add({ id: 'same', type: 'reid' }, ({ payload }) => (payload['boxes0'] as unknown[]).map((_, at) => at));
    app = await createTestApp({ env: { FUNCTIONS_URLS: server.url } });
    const given = new Given(app);
    [owner, stranger] = [await given.person(), await given.person()];
  });
  beforeEach(() => {
    server.add(CAR_DETECTOR, () => ONE_CAR);
    server.calls.length = 0;
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });

  const idOf = (task: number): string => `action=autoannotate&target=task&target_id=${task}`;
  const path = (task: number): string => `/api/lambda/requests/${encodeURIComponent(idOf(task))}`;
  const ask = (task: number, body: object = {}, person = owner) =>
    person.http.post('/api/lambda/requests').send({ function: 'cars', task, ...body });
  const work = (): Promise<unknown> => app.app.get(RequestWorker).drain();
  const shapesOf = async (task: number): Promise<Shape[]> =>
    (await owner.http.get(`/api/tasks/${task}/annotations`)).body.shapes as Shape[];
  const framesOf = async (task: number): Promise<number[]> => (await shapesOf(task)).map(({ frame }) => frame);
  const labelOf = async (task: number): Promise<number> => {
    const [row] = await app.db.query<{ id: number }>(sql`select id from label where task_id = ${task}`);
    return row?.id ?? 0;
  };

  /** A task of three frames with one shape of a person on frame 0. */
  async function givenTask(frames = 3, options: object = {}, parameters = {}): Promise<number> {
    const { id } = await givenPhotos(app, owner, frames, options, parameters);
    const shapes = [rectangle(await labelOf(id), 0, { points: [5, 5, 9, 9] })];
    if (Object.keys(parameters).length === 0)
      await owner.http.put(`/api/tasks/${id}/annotations`).send({ shapes }).expect(200);
    return id;
  }

  it('add the results of a detector to all frames', async () => {
    const task = await givenTask();
    const { body } = await ask(task, { threshold: 0.3 }).expect(200);
    const call = { id: idOf(task), function: { id: 'cars', threshold: 0.3, task } };
    const dates = { enqueued: expect.any(String), started: null, ended: null };
    expect(body).toEqual({ ...call, status: 'queued', progress: null, ...dates, exc_info: null });
    expect((await owner.http.get('/api/lambda/requests').expect(200)).body).toContainEqual(body);
    await work();
    const ended = { started: expect.any(String), ended: expect.any(String) };
    expect((await owner.http.get(path(task)).expect(200)).body).toEqual({
      ...call, status: 'finished', progress: 100, ...dates, ...ended, exc_info: null,
    }); // prettier-ignore
    expect(await framesOf(task)).toEqual([0, 0, 1, 2]);
    const auto = (await shapesOf(task)).filter(({ source }) => source === 'auto');
    expect(auto.map(({ points }) => points)).toEqual([ONE_CAR, ONE_CAR, ONE_CAR].map(([car]) => car?.points));
    expect(server.calls.map(({ payload }) => payload['threshold'])).toEqual([0.3, 0.3, 0.3]);
  });

  it('replace what was there, except deleted frames', async () => {
    const task = await givenTask();
    await owner.http
      .patch(`/api/tasks/${task}/data/meta`)
      .send({ deleted_frames: [1] })
      .expect(200);
    await ask(task, { cleanup: true }).expect(200);
    expect(await framesOf(task)).toEqual([0]);
    await work();
    expect((await shapesOf(task)).map(({ frame, source }) => [frame, source])).toEqual([
      [0, 'auto'],
      [2, 'auto'],
    ]);
  });

  it('keep what people draw while they replace annotations', async () => {
    const task = await givenTask();
    const label = await labelOf(task);
    server.add(CAR_DETECTOR, async () => {
      if (server.calls.length === 1)
        await owner.http
          .patch(`/api/tasks/${task}/annotations?action=create`)
          .send({ shapes: [rectangle(label, 1, { points: [7, 7, 9, 9] })] })
          .expect(200);
      return ONE_CAR;
    });
    await ask(task, { cleanup: true }).expect(200);
    await work();
    const shapes = (await shapesOf(task)).map(({ frame, source }) => `${frame} ${source}`);
    expect(shapes.toSorted()).toEqual(['0 auto', '1 auto', '1 manual', '2 auto']);
  });

  it('keep the annotations if the function fails on the first frame', async () => {
    const task = await givenTask();
    server.add(CAR_DETECTOR, () => ({ status: 400, text: 'secret' }));
    await ask(task, { cleanup: true }).expect(200);
    await work();
    const { body } = await owner.http.get(path(task)).expect(200);
    expect(body).toMatchObject({ status: 'failed', exc_info: 'The function "Car finder" responded with status 400.' });
    expect(await framesOf(task)).toEqual([0]);
    expect((await owner.http.get('/api/lambda/requests')).body).not.toContainEqual(
      expect.objectContaining({ id: idOf(task) }),
    );
  });

  it('repeat calls of a function that is busy', async () => {
    const task = await givenTask(1);
    let calls = 0;
    server.add(CAR_DETECTOR, () => ((calls += 1) === 1 ? { status: 503, text: '' } : ONE_CAR));
    await ask(task).expect(200);
    await work();
    expect([calls, await framesOf(task)]).toEqual([2, [0, 0]]);
  });

  it('annotate only the frames of a job', async () => {
    const task = await givenTask(3, { segment_size: 2 });
    const [, job] = await app.db.query<{ id: number }>(sql`select id from job where task_id = ${task} order by id`);
    const { body } = await ask(task, { job: job?.id, cleanup: true }).expect(200);
    expect(body.function).toEqual({ id: 'cars', threshold: null, task, job: job?.id });
    await work();
    expect(await framesOf(task)).toEqual([0, 2]);
  });

  it('annotate the frames of a ground truth pool and what repeats them once', async () => {
    const task = await givenTask(6, { segment_size: 2 }, POOL);
    await ask(task).expect(200);
    await work();
    expect((await owner.http.get(path(task))).body).toMatchObject({ status: 'finished' });
    const frames = await framesOf(task);
    expect(new Set(frames).size).toBe(frames.length);
  });

  it('continue behind the stored frames when a worker dies', async () => {
    const task = await givenTask(130);
    let calls = 0;
    server.add(CAR_DETECTOR, async () => {
      calls += 1;
      // Another worker has taken over: this one must not store anything any more.
      if (calls === 120) await app.db.query(sql`
        update background_request set leased_by = null, lease_end = null, holder = null where id = ${idOf(task)}`); // prettier-ignore
      return ONE_CAR;
    });
    await ask(task, { cleanup: true }).expect(200);
    await work();
    expect((await owner.http.get(path(task))).body).toMatchObject({ status: 'finished' });
    expect(await framesOf(task)).toEqual(Array.from({ length: 130 }, (_, frame) => frame));
    expect(calls).toBeGreaterThan(130);
  });

  it('are refused while the task has another one, which can be cancelled', async () => {
    const task = await givenTask();
    await ask(task).expect(200);
    const refused = await ask(task);
    expect([refused.status, refused.body]).toEqual([
      409,
      `Only one running request is allowed for the same task #${task}`,
    ]);
    await stranger.http.delete(path(task)).expect(403);
    await stranger.http.get(path(task)).expect(403);
    await owner.http.delete(path(task)).expect(204);
    const gone = await owner.http.get(path(task));
    expect([gone.status, gone.body]).toEqual([404, `${idOf(task)} lambda job is not found`]);
    await ask(task).expect(200);
    await work();
    await owner.http.delete(path(task)).expect(204);
    expect((await owner.http.get(path(task)).expect(200)).body).toMatchObject({ status: 'finished' });
  });

  it('store nothing any more when they are cancelled', async () => {
    const task = await givenTask();
    server.add(CAR_DETECTOR, async () => {
      if (server.calls.length === 1) await owner.http.delete(path(task)).expect(204);
      return ONE_CAR;
    });
    await ask(task, { cleanup: true }).expect(200);
    await work();
    expect(await framesOf(task)).toEqual([0]);
    await owner.http.get(path(task)).expect(404);
  });

  it.each<[string, object, unknown]>([
    ['no function', { function: undefined }, 'function must name a function'],
    ['no task', { task: undefined }, "`cars` lambda function was run with wrong arguments ('task')"],
    ['an unknown task', { task: 2_000_000_000 }, ['Task matching query does not exist.']],
    ['an invalid mapping', { mapping: { cat: { name: 'car' } } }, 'Invalid mapping. Unknown model label "cat"'],
    ['a function that annotates no tasks', { function: 'clicks' }, 'A function of the kind interactor cannot annotate a task'],
  ])('are refused with %s', async (_, body, expected) => {
    const answer = await ask(await givenTask(1), body);
    expect([answer.status, answer.body]).toEqual([400, expected]);
  }); // prettier-ignore

  it('are refused if no label of the function matches one of the task, and delete nothing', async () => {
    const task = await givenTask(1);
    const answer = await ask(task, { function: 'faces', cleanup: true });
    expect([answer.status, answer.body]).toEqual([400, 'No label of the function "faces" matches a label of the task']);
    await work();
    expect(await framesOf(task)).toEqual([0]);
  });

  it('need the permission to change the annotations', async () => {
    await ask(await givenTask(1), { cleanup: true }, stranger).expect(403);
  });

  it('join rectangles to tracks', async () => {
    const { id: task } = await givenPhotos(app, owner, 3);
    const label = await labelOf(task);
    const boxes = [0, 1].map((frame) => rectangle(label, frame, { points: [frame, 0, 9, 9] }));
    const polygon = { ...rectangle(label, 1, { points: [1, 1, 5, 1, 5, 5] }), type: 'polygon' };
    await owner.http
      .put(`/api/tasks/${task}/annotations`)
      .send({ shapes: [...boxes, polygon] })
      .expect(200);
    await ask(task, { function: 'same', max_distance: 50 }).expect(200);
    await work();
    const { shapes, tracks } = (await owner.http.get(`/api/tasks/${task}/annotations`)).body as {
      shapes: { type: string }[];
      tracks: { frame: number; source: string; shapes: { frame: number; outside: boolean; points: number[] }[] }[];
    };
    expect(shapes.map(({ type }) => type)).toEqual(['polygon']);
    expect(tracks).toMatchObject([
      {
        frame: 0,
        source: 'auto',
        shapes: [
          { frame: 0, outside: false, points: [0, 0, 9, 9] },
          { frame: 1, outside: false, points: [1, 0, 9, 9] },
          { frame: 2, outside: true },
        ],
      },
    ]);
  });
});
