import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Notifier } from '../../../src/core/worker/notifier.js';
import type { RequestParams } from '../../../src/engines/functions/request-params.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { AnnotationRequests, type Outcome } from '../../../src/modules/functions/index.js';
import { AnnotationRequestRepository } from '../../../src/modules/functions/queues/annotation-request.repository.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';
import { until } from '../../support/promises.js';
import {
  type AgentStream,
  givenFunction,
  givenRequest,
  openStream,
  TestAgent,
  WHOLE_TASK,
} from '../../support/given-functions.js';
import { Given, type Person } from '../../support/given.js';

const NEW_BATCH = 'event: newrequest\ndata: {"request_category":"batch"}\n\n';
const NEW_INTERACTIVE = 'event: newrequest\ndata: {"request_category":"interactive"}\n\n';
const DETECT: RequestParams = { ...WHOLE_TASK, type: 'annotate_frame', frame: 3 } as RequestParams;

describe('agents that wait for requests', () => {
  let app: TestApp;
  let second: TestApp;
  let given: Given;
  let owner: Person;
  let task: Annotatable;
  let functionId: number;
  let agent: TestAgent;
  const streams: AgentStream[] = [];

  beforeAll(async () => {
    app = await createTestApp({ env: { AGENT_STREAMS_PER_USER: '2' } });
    second = await createTestApp({
      database: { url: app.config.databaseUrl, drop: () => Promise.resolve() },
      dataDir: app.config.dataDir,
    });
    given = new Given(app);
  });
  beforeEach(async () => {
    owner = await given.person();
    functionId = await givenFunction(owner);
    task = await givenAnnotatable(app, owner);
    agent = new TestAgent(owner, functionId);
  });
  afterEach(async () => {
    for (const stream of streams) stream.close();
    await Promise.all(streams.splice(0).map(({ ended }) => ended));
  });
  afterAll(async () => {
    await second.close();
    await app.close();
  });

  const watch = async (id = functionId, server = app): Promise<AgentStream> => {
    const stream = await openStream(server.url, owner, id);
    streams.push(stream);
    return stream;
  };
  const ask = (params: RequestParams = DETECT, more: object = {}): Promise<string> =>
    givenRequest(app, owner, { functionId, taskId: task.taskId, params, ...more });
  const outcome = (id: string, signal = new AbortController().signal, server = app): Promise<Outcome> =>
    server.app.get(AnnotationRequests).outcome(id, signal);

  const hasAgent = async (): Promise<boolean> =>
    (await owner.http.get(`/api/functions/${functionId}`)).body.has_agent as boolean;

  it('hear of new requests, and of those that were queued before, without blank lines in between', async () => {
    const batch = await ask(WHOLE_TASK);
    const stream = await watch();
    await stream.until(NEW_BATCH);
    await until(hasAgent); // a stream is recorded while it begins
    await ask();
    await stream.until(NEW_INTERACTIVE);
    await agent.acquire();
    await app.db.query(sql`
      update annotation_request set status = 'queued', lost_leases = 1, agent_id = null where id = ${batch}::uuid`);
    app.app.get(Notifier).notify('functions');
    await stream.until(NEW_BATCH);
    await expect(watch().then((other) => other.until(NEW_BATCH))).resolves.toBeUndefined();
    await expect(watch()).rejects.toThrow('429');
  });

  it('begin with the delay before the next connection', async () => {
    const stream = await watch();
    await stream.until('retry: 2000\n');
    expect(stream.text.startsWith('\n')).toBe(false);
  });

  it('hear of requests of other processes', async () => {
    const stream = await watch(functionId, second);
    await stream.until('retry: 2000\n');
    await ask(WHOLE_TASK);
    await stream.until(NEW_BATCH);
  });

  it('are disconnected when their function is deleted', async () => {
    const [here, there] = [await watch(), await watch(functionId, second)];
    await owner.http.delete(`/api/functions/${functionId}`).expect(204);
    await Promise.all([here.ended, there.ended]);
    await expect(watch()).rejects.toThrow('404');
  });

  it('count as the agents of the function until they disconnect', async () => {
    expect(await hasAgent()).toBe(false);
    const stream = await watch();
    while (!(await hasAgent())) await stream.until('');
    stream.close();
    while (await hasAgent()) await stream.ended;
    await agent.acquire();
    expect(await hasAgent()).toBe(true);
  });

  it('return detections on one frame to whoever waits for them, in any process', async () => {
    await agent.acquire();
    const id = await ask();
    const [here, there] = [outcome(id), outcome(id, undefined, second)];
    await agent.acquire('interactive');
    const tag = { label_id: task.labels.car, frame: 3, source: 'auto' };
    const found = rectangle(task.labels.car, 3, { source: 'auto' });
    const elsewhere = { annotations: { tags: [], shapes: [{ ...found, frame: 4 }] } };
    await agent.complete(id, elsewhere).expect(400);
    await agent
      .complete(id, { annotations: { tags: [], shapes: [{ ...found, label_id: 1_999_999_999 }] } })
      .expect(400);
    await agent.complete(id, { annotations: { tags: [tag], shapes: [found] } }).expect(200);
    expect(await here).toMatchObject({
      status: 'finished',
      agentId: agent.id,
      result: { version: 0, tracks: [], tags: [tag], shapes: [{ ...found, score: 1 }] },
    });
    expect(await there).toEqual(await here);
    expect((await owner.http.get(task.ofTask)).body.shapes).toEqual([]);
  });

  it('return failures', async () => {
    await agent.acquire();
    const id = await ask();
    const waiting = outcome(id);
    await agent.acquire('interactive');
    await agent.fail(id, 'Invalid annotation request: Invalid ROI').expect(200);
    const error = 'Invalid annotation request: Invalid ROI';
    expect(await waiting).toEqual({ status: 'failed', reason: 'agent', error });
  });

  it('have a minute to respond', async () => {
    await agent.acquire();
    const id = await ask();
    const waiting = outcome(id);
    await agent.acquire('interactive');
    const rows = app.app.get(AnnotationRequestRepository);
    await rows.expire(app.db, new Date(app.clock.now().getTime() + 60_001));
    const late = outcome(id);
    expect(await late).toEqual({
      status: 'failed',
      reason: 'timeout',
      error: 'No agent responded within 60 seconds.',
    });
    expect(await waiting).toEqual(await late);
    await agent.complete(id, { annotations: { tags: [], shapes: [] } }).expect(409);
  });

  it('do not get requests whose requester has left', async () => {
    await agent.acquire();
    const left = new AbortController();
    const waiting = outcome(await ask(), left.signal);
    left.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    expect(await agent.acquire('interactive')).toBeNull();
  });

  it('get the next frames of an object only if they have its state', async () => {
    functionId = await givenFunction(owner, { kind: 'tracker', supported_shape_types: ['rectangle'] });
    const [one, two] = [new TestAgent(owner, functionId), new TestAgent(owner, functionId, 'another')];
    await two.acquire('interactive');
    const shapes = [{ type: 'rectangle', points: [1, 2, 3, 4] }] as const;
    const start = await ask({ type: 'init_tracking', frame: 0, shapes });
    await one.acquire('interactive');
    await one.complete(start, { states: ['s'] }).expect(200);
    const started = await outcome(start);
    expect(started).toEqual({ status: 'finished', result: { states: ['s'] }, agentId: one.id });
    const step = await ask({ type: 'track', frame: 1, states: ['s'] }, { agentId: one.id });
    expect(await two.acquire('interactive')).toBeNull();
    expect(await one.acquire('interactive')).toMatchObject({ ar_id: step, ar_params: { states: ['s'] } });
    await one.complete(step, { states: ['s'], shapes: [null] }).expect(200);
    expect(await outcome(step)).toMatchObject({ result: { states: ['s'], shapes: [null] } });
  });

  it('lose an object when the agent that has its state is gone', async () => {
    functionId = await givenFunction(owner, { kind: 'tracker', supported_shape_types: ['rectangle'] });
    await new TestAgent(owner, functionId).acquire('interactive');
    const step = await ask({ type: 'track', frame: 1, states: ['s'] }, { agentId: 'gone' });
    const waiting = outcome(step);
    const rows = app.app.get(AnnotationRequestRepository);
    await rows.failUnclaimed(
      app.db,
      step,
      'The agent that tracks this object is gone. Start tracking again.',
      app.clock.now(),
    );
    app.app.get(Notifier).notify('functions');
    expect(await waiting).toMatchObject({ status: 'failed', reason: 'state lost' });
  });

  it('get prompts and return masks relative to the region of interest', async () => {
    functionId = await givenFunction(owner, { kind: 'interactor', min_pos_points: 1 });
    const one = new TestAgent(owner, functionId);
    await one.acquire('interactive');
    const prompts = { pos_points: [[15, 26]], neg_points: [], obj_bbox: [] } as const;
    const id = await ask({ type: 'interact', frame: 2, roi: [10, 20, 60, 70], ...prompts });
    expect(await one.acquire('interactive')).toMatchObject({
      ar_params: { type: 'interact', task: task.taskId, frame: 2, roi: [10, 20, 60, 70], pos_points: [[5, 6]] },
    });
    await one.complete(id, { shapes: [{ type: 'mask', points: [0, 4, 5, 6, 6, 7] }] }).expect(200);
    expect(await outcome(id)).toMatchObject({
      result: { shapes: [{ type: 'mask', points: [0, 4, 15, 26, 16, 27], attributes: [] }] },
    });
  });

  it('cannot return masks that exceed the frame', async () => {
    functionId = await givenFunction(owner, { kind: 'interactor', min_pos_points: 1 });
    await app.db.query(sql`
      insert into media_frame (data_id, frame, path, width, height)
      select data_id, 14, '14.jpg', 640, 480 from task where id = ${task.taskId}`);
    const one = new TestAgent(owner, functionId);
    await one.acquire('interactive');
    const id = await ask({ type: 'interact', frame: 2, pos_points: [[1, 2]], neg_points: [], obj_bbox: [] });
    await one.acquire('interactive');
    const huge = { type: 'mask', points: [0, 900_000_000, 0, 0, 29_999, 29_999] };
    expect((await one.complete(id, { shapes: [huge] }).expect(400)).body).toEqual({
      shapes: ['The mask of shape 0 exceeds the frame, which has 640 × 480 pixels.'],
    });
    await one.complete(id, { shapes: [{ type: 'mask', points: [0, 4, 638, 478, 639, 479] }] }).expect(200);
  });

  it('cannot annotate whole videos', async () => {
    await app.db.query(sql`
      update media_data set original_chunk_type = 'video' where id = (select data_id from task where id = ${task.taskId})`);
    await expect(ask(WHOLE_TASK)).rejects.toThrow('Agents cannot annotate whole videos.');
  });
});
