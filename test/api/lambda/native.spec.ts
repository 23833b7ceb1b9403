import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Response, Test } from 'supertest';
import { sql } from '../../../src/engines/sql/sql.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { CAR_DETECTOR, FunctionServer, ONE_CAR } from '../../support/function-server.js';
import { Given, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';
import { type Assignment, CAR, givenFunction, TestAgent } from '../../support/given-functions.js';

const INTERACTOR = { kind: 'interactor', min_pos_points: 1, min_neg_points: 0 };
const TRACKER = { kind: 'tracker', supported_shape_types: ['rectangle'] };
const BOX = { type: 'rectangle', points: [1, 2, 3, 4] };

describe('functions of agents', () => {
  let server: FunctionServer;
  let app: TestApp;
  let owner: Person;
  let stranger: Person;
  let task: Annotatable;

  beforeAll(async () => {
    server = await FunctionServer.start();
    server.add(CAR_DETECTOR, () => ONE_CAR);
    app = await createTestApp({ env: { FUNCTIONS_URLS: server.url } });
    const given = new Given(app);
    [owner, stranger] = [await given.person(), await given.person()];
    task = await givenAnnotatable(app, owner);
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });

  /** A function with an agent that has asked for work. */
  async function givenAgent(body?: object): Promise<{ id: number; agent: TestAgent }> {
    const id = await givenFunction(owner, body);
    const agent = new TestAgent(owner, id);
    expect(await agent.acquire('interactive')).toBeNull();
    return { id, agent };
  }

  const call = (id: number, body: object, person = owner): Test =>
    person.http.post(`/api/lambda/functions/${id}`).send({ task: task.taskId, ...body });

  /** Sends a call, and what the agent returns for it. */
  async function answered(
    agent: TestAgent,
    asking: Test,
    results: (params: Assignment['ar_params']) => object,
  ): Promise<Response> {
    const over = new AbortController();
    const asked = asking.then((response) => response).finally(() => over.abort());
    while (!over.signal.aborted) {
      const assignment = await agent.acquire('interactive');
      if (assignment !== null) {
        await agent.complete(assignment.ar_id, results(assignment.ar_params)).expect(200);
        break;
      }
      await pause(10);
    }
    return asked;
  }

  it('are listed for those who may call them', async () => {
    const { id } = await givenAgent();
    const listed = await owner.http.get('/api/lambda/functions').expect(200);
    const found = (listed.body as { id: string }[]).find((one) => one.id === String(id));
    expect(found).toEqual({
      id: String(id),
      kind: 'detector',
      labels_v2: [CAR],
      description: '',
      name: 'Function',
      version: 2,
      provider: 'native',
      owner: { id: owner.id, username: owner.username },
      has_agent: true,
      created_date: expect.any(String),
      updated_date: expect.any(String),
      url: expect.stringMatching(new RegExp(`/api/functions/${id}$`)),
    });
    expect((await owner.http.get(`/api/lambda/functions/${id}`).expect(200)).body).toEqual(found);
    expect((await stranger.http.get('/api/lambda/functions').expect(200)).body).toHaveLength(1);
    await stranger.http.get(`/api/lambda/functions/${id}`).expect(403);
    await call(id, { frame: 0 }, stranger).expect(403);
    await owner.http.get('/api/lambda/functions/2000000000').expect(404);
  });

  it('detect on one frame', async () => {
    const { id, agent } = await givenAgent();
    const shape = { ...rectangle(task.labels.car, 3), source: 'auto' };
    const response = await answered(agent, call(id, { frame: 3, threshold: 0.5 }), (params) => {
      expect(params).toEqual({
        type: 'annotate_frame',
        task: task.taskId,
        frame: 3,
        mapping: { car: { name: 'car', attributes: {} } },
        threshold: 0.5,
        conv_mask_to_poly: false,
      });
      return { annotations: { tags: [], shapes: [shape] } };
    });
    expect([response.status, response.body]).toMatchObject([
      200,
      { version: 0, tags: [], shapes: [{ label_id: task.labels.car, frame: 3, source: 'auto' }], tracks: [] },
    ]);
  });

  it('segment by clicks, with a mask for apps that know no shapes', async () => {
    const { id, agent } = await givenAgent(INTERACTOR);
    const prompts = { pos_points: [[12, 22]], neg_points: [], obj_bbox: [] }; // prettier-ignore
    const mask = { type: 'mask', points: [1, 3, 2, 2, 2, 3, 4], attributes: [] };
    const response = await answered(agent, call(id, { frame: 0, ...prompts, roi: [10, 20, 60, 70] }), (params) => {
      expect(params).toMatchObject({ type: 'interact', pos_points: [[2, 2]], obj_bbox: [] });
      return { shapes: [mask] };
    });
    expect(response.body).toEqual({
      shapes: [{ ...mask, points: [1, 3, 2, 12, 22, 13, 24] }],
      mask: [[0, 1], [1, 1], [0, 0]],
      bounds: [12, 22, 13, 24],
    }); // prettier-ignore
  });

  it('track shapes with the agent that began', async () => {
    const { id, agent } = await givenAgent(TRACKER);
    const begun = await answered(agent, call(id, { frame: 0, shapes: [BOX, BOX] }), () => ({ states: ['a', 'b'] }));
    expect(begun.body).toEqual({ shapes: [BOX, BOX], states: [expect.any(String), expect.any(String)] });
    const [first, second] = (begun.body as { states: string[] }).states;
    const moved = { ...BOX, points: [2, 3, 4, 5] };
    const next = await answered(agent, call(id, { frame: 1, states: [first, null, second] }), (params) => {
      expect(params['states']).toEqual(['a', 'b']);
      return { states: ['a', 'b'], shapes: [moved, null] };
    });
    expect(next.body).toEqual({ shapes: [moved, null, null], states: Array(3).fill(expect.any(String)) });
    const other = await givenFunction(owner, TRACKER);
    const refused = await call(other, { frame: 1, states: [first] });
    expect([refused.status, refused.body]).toEqual([400, 'Invalid or expired tracker state']);
  });

  it('can be called again with the same key after a call that failed, or whose client has left', async () => {
    const { id, agent } = await givenAgent();
    const keyed = (): Test => call(id, { frame: 0 }).set('Idempotency-Key', 'once more');
    const next = async (): Promise<string> => {
      for (;;) {
        const assignment = await agent.acquire('interactive');
        if (assignment !== null) return assignment.ar_id;
        await pause(10);
      }
    };
    const failing = keyed().then(({ status }) => status);
    await agent.fail(await next(), 'out of memory').expect(200);
    expect(await failing).toBe(502);
    const leaving = new AbortController();
    const left = fetch(`${app.url}/api/lambda/functions/${id}`, {
      method: 'POST',
      headers: {
        Authorization: `Token ${owner.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'once more',
      },
      body: JSON.stringify({ task: task.taskId, frame: 0 }),
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await next();
    leaving.abort();
    expect(await left).toBe('AbortError');
    while ((await app.db.query(sql`select from idempotency_key where key = 'once more'`)).length > 0) await pause(10);
    const response = await answered(agent, keyed(), () => ({ annotations: { tags: [], shapes: [] } }));
    expect([response.status, response.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect((await keyed()).headers['idempotency-replayed']).toBe('true');
  });

  it('are unavailable without an agent, and report what an agent reports', async () => {
    await call(await givenFunction(owner), { frame: 0 }).expect(503);
    const { id, agent } = await givenAgent();
    const asked = call(id, { frame: 0 }).then((response) => response);
    let assignment: Assignment | null = null;
    while (assignment === null) {
      await pause(10);
      assignment = await agent.acquire('interactive');
    }
    await agent.fail(assignment.ar_id, 'Unknown error').expect(200);
    const failed = await asked;
    expect([failed.status, failed.body]).toEqual([502, 'The function "Function" has failed: Unknown error.']);
  });

  it('say that they were deleted during a call', async () => {
    const { id } = await givenAgent();
    const asked = call(id, { frame: 0 }).then((response) => response);
    const isQueued = async (): Promise<boolean> =>
      (await app.db.query(sql`select from annotation_request where function_id = ${id}`)).length > 0;
    while (!(await isQueued())) await pause(10);
    await owner.http.delete(`/api/functions/${id}`).expect(204);
    const failed = await asked;
    expect([failed.status, failed.body]).toEqual([
      502,
      'The function "Function" has failed: The function or the task was deleted in the meantime.',
    ]);
  });

  const idOf = (taskId: number): string => `action=autoannotate&target=task&target_id=${taskId}`;
  const path = (taskId: number): string => `/api/lambda/requests/${encodeURIComponent(idOf(taskId))}`;
  const ask = (id: number | string, taskId: number, body: object = {}) =>
    owner.http.post('/api/lambda/requests').send({ function: id, task: taskId, ...body });

  it('annotate whole tasks, one request at a time', async () => {
    const { id, agent } = await givenAgent();
    const { taskId, labels, ofTask } = await givenAnnotatable(app, owner);
    await owner.http.put(ofTask).send({ shapes: [rectangle(labels.dog, 0)] }).expect(200); // prettier-ignore
    const asked = await ask(id, taskId, { threshold: 0.5, cleanup: true }).expect(200);
    const call = { id: idOf(taskId), function: { id: String(id), threshold: 0.5, task: taskId } };
    expect(asked.body).toMatchObject({ ...call, status: 'queued', progress: null });
    for (const other of [await ask(id, taskId), await ask('cars', taskId)])
      expect([other.status, other.body]).toEqual([
        409,
        `Only one running request is allowed for the same task #${taskId}`,
      ]);
    const assignment = await agent.acquire();
    expect(assignment?.ar_params).toMatchObject({ type: 'annotate_task', task: taskId, threshold: 0.5 });
    await agent.update(assignment?.ar_id ?? '', 0.25).expect(200);
    expect((await owner.http.get(path(taskId))).body).toMatchObject({ status: 'started', progress: 25 });
    expect((await owner.http.get('/api/lambda/requests')).body).toContainEqual(
      expect.objectContaining({ id: idOf(taskId) }),
    );
    const shapes = [0, 1, 2].map((frame) => ({ ...rectangle(labels.car, frame), source: 'auto' }));
    await agent.complete(assignment?.ar_id ?? '', { annotations: { tags: [], shapes } }).expect(200);
    expect((await owner.http.get(path(taskId))).body).toMatchObject({ ...call, status: 'finished', progress: 100 });
    const saved = (await owner.http.get(ofTask)).body.shapes as { frame: number; source: string }[];
    expect(saved.map(({ frame, source }) => [frame, source])).toEqual([0, 1, 2].map((frame) => [frame, 'auto']));
    await owner.http.delete(path(taskId)).expect(204);
    expect((await owner.http.get(path(taskId)).expect(200)).body).toMatchObject({ status: 'finished' });
  });

  it('report why an agent failed, and can be cancelled', async () => {
    const { id, agent } = await givenAgent();
    const { taskId, ofTask, labels } = await givenAnnotatable(app, owner);
    await ask(id, taskId).expect(200);
    const first = await agent.acquire();
    await agent.fail(first?.ar_id ?? '', 'Unknown error').expect(200);
    expect((await owner.http.get(path(taskId))).body).toMatchObject({ status: 'failed', exc_info: 'Unknown error' });
    await ask(id, taskId).expect(200);
    const second = await agent.acquire();
    await stranger.http.delete(path(taskId)).expect(403);
    await owner.http.delete(path(taskId)).expect(204);
    await owner.http.get(path(taskId)).expect(404);
    const results = { annotations: { tags: [], shapes: [rectangle(labels.car, 0)] } };
    await agent.complete(second?.ar_id ?? '', results).expect(409);
    expect((await owner.http.get(ofTask)).body.shapes).toEqual([]);
    await app.db.query(sql`delete from annotation_request where task_id = ${taskId}`);
    await ask('cars', taskId).expect(200);
    expect((await ask(id, taskId)).status).toBe(409);
  });

  it('do not annotate a task that has none of their labels', async () => {
    const { id } = await givenAgent({ kind: 'detector', labels_v2: [{ ...CAR, name: 'face' }] });
    const refused = await ask(id, task.taskId, { cleanup: true });
    expect([refused.status, refused.body]).toEqual([
      400,
      'No label of the function "Function" matches a label of the task',
    ]);
  });

  it('refuse mappings that an agent would refuse', async () => {
    const { id } = await givenAgent();
    const refused = await ask(id, task.taskId, { mapping: { car: { name: 'person' } } });
    expect([refused.status, refused.body]).toEqual([
      400,
      'Invalid mapping. Model label "car" and database label "person" are not compatible',
    ]);
  });
});
