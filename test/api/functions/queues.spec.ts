import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { sql } from '../../../src/engines/sql/sql.js';
import { AnnotationRequests } from '../../../src/modules/functions/index.js';
import { QueueUpkeep } from '../../../src/modules/functions/queues/queue.upkeep.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { Given, type Person } from '../../support/given.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';
import { givenFunction, givenRequest, TestAgent, WHOLE_TASK } from '../../support/given-functions.js';

const OTHER_AGENT = 'ffffffffffffffffffffffffffffffff';
const NOT_ASSIGNED = { detail: 'The request is not assigned to this agent.' };

describe('the queue of a function', () => {
  let app: TestApp;
  let given: Given;
  let owner: Person;
  let functionId: number;
  let task: Annotatable;
  let agent: TestAgent;
  let other: TestAgent;

  beforeAll(async () => {
    app = await createTestApp();
    given = new Given(app);
  });
  beforeEach(async () => {
    owner = await given.person();
    functionId = await givenFunction(owner);
    task = await givenAnnotatable(app, owner, { segments: [[0, 4], [5, 9]] }); // prettier-ignore
    agent = new TestAgent(owner, functionId);
    other = new TestAgent(owner, functionId, OTHER_AGENT);
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => app.close());

  const ask = (more: object = {}, person = owner): Promise<string> =>
    givenRequest(app, person, { functionId, taskId: task.taskId, params: WHOLE_TASK, ...more });
  const results = (...frames: number[]): object => ({
    annotations: {
      tags: [],
      shapes: frames.map((frame) => rectangle(task.labels.car, frame, { source: 'auto', score: 0.5 })),
    },
  });
  const find = (id: string) => app.app.get(AnnotationRequests).find(app.db, id);
  const framesOf = async (path = task.ofTask): Promise<number[]> => {
    const { body } = await owner.http.get(path).expect(200);
    return (body as { shapes: { frame: number }[] }).shapes.map(({ frame }) => frame);
  };
  const later = (seconds: number): void => {
    const at = app.clock.now().getTime() + 1000 * seconds;
    jest.spyOn(app.clock, 'now').mockImplementation(() => new Date(at));
  };
  const expire = () => app.app.get(QueueUpkeep).expire();

  it('hands out the oldest request of a category, and saves its results', async () => {
    expect(await agent.acquire()).toBeNull();
    const id = await ask();
    expect(await agent.acquire('interactive')).toBeNull();
    expect(await agent.acquire()).toEqual({ ar_id: id, ar_params: { ...WHOLE_TASK, task: task.taskId } });
    expect(await other.acquire()).toBeNull();
    await agent.update(id, 0.4).expect(200);
    expect(await find(id)).toMatchObject({ status: 'started', progress: 0.4 });
    await agent.complete(id, results(1, 7)).expect(200);
    expect(await find(id)).toMatchObject({ status: 'finished', progress: 1, error: '' });
    const { body } = await owner.http.get(task.ofTask);
    expect(body.shapes).toMatchObject([
      { frame: 1, source: 'auto', score: 0.5 },
      { frame: 7, source: 'auto', score: 0.5 },
    ]);
  });

  it('saves results once, however often the agent sends them', async () => {
    const id = await ask();
    await agent.acquire();
    const answers = await Promise.all([1, 2, 3].map(() => agent.complete(id, results(1))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    await agent.complete(id, results(2)).expect(200);
    expect(await framesOf()).toEqual([1]);
  });

  it('gives the same request again to an agent that has lost the response, at most three times', async () => {
    const id = await ask();
    for (let time = 1; time <= 4; time += 1) expect(await agent.acquire()).toMatchObject({ ar_id: id });
    expect(await agent.acquire()).toBeNull();
    expect(await find(id)).toMatchObject({ status: 'failed', error: 'The agent stopped responding.' });
  });

  it('accepts nothing from an agent or an account that does not hold the request', async () => {
    const id = await ask();
    await agent.acquire();
    const organization = await given.organization(owner);
    await app.db.query(sql`update native_function set organization_id = ${organization.id} where id = ${functionId}`);
    const maintainer = await given.person();
    await app.db.query(sql`
      insert into membership (user_id, organization_id, is_active, role)
      values (${maintainer.id}, ${organization.id}, true, 'maintainer')`);
    for (const stranger of [other, new TestAgent(maintainer, functionId)]) {
      expect((await stranger.update(id, 0.1).expect(409)).body).toEqual(NOT_ASSIGNED);
      expect((await stranger.complete(id, results(1)).expect(409)).body).toEqual(NOT_ASSIGNED);
      expect((await stranger.fail(id, 'Unknown error').expect(409)).body).toEqual(NOT_ASSIGNED);
    }
    const elsewhere = new TestAgent(owner, await givenFunction(owner));
    await elsewhere.complete(id, results(1)).expect(404);
    await agent.complete('nonsense', results(1)).expect(404);
    expect(await framesOf()).toEqual([]);
  });

  it('returns a request to the queue when its lease expires, and fails it after the third loss', async () => {
    const id = await ask();
    for (let loss = 1; loss <= 3; loss += 1) {
      const holder = loss === 2 ? other : agent;
      expect(await holder.acquire()).toMatchObject({ ar_id: id });
      later(599);
      await expire();
      expect(await find(id)).toMatchObject({ status: 'started' });
      later(2);
      await expire();
      await holder.complete(id, results(loss)).expect(409);
    }
    expect(await find(id)).toMatchObject({ status: 'failed', error: 'The agent stopped responding.' });
    expect(await framesOf()).toEqual([]);
  });

  it('annotates every frame once if another agent takes over', async () => {
    const id = await ask();
    await agent.acquire();
    later(601);
    await expire();
    await other.acquire();
    await agent.complete(id, results(1)).expect(409);
    await other.complete(id, results(1, 2)).expect(200);
    await agent.complete(id, results(3)).expect(409);
    expect(await framesOf()).toEqual([1, 2]);
  });

  it('extends a lease with progress, and with interactive requests in between', async () => {
    const id = await ask();
    await agent.acquire();
    later(500);
    await agent.update(id, 0.2).expect(200);
    later(500);
    await agent.acquire('interactive');
    const frame = await ask({ params: { ...WHOLE_TASK, type: 'annotate_frame', frame: 3 } });
    expect(await agent.acquire('interactive')).toMatchObject({ ar_id: frame, ar_params: { frame: 3 } });
    later(30);
    await agent.complete(frame, results(3)).expect(200);
    later(590);
    await expire();
    await agent.complete(id, results(1)).expect(200);
    expect(await framesOf()).toEqual([1]);
  });

  it('saves only results on the frames of the job', async () => {
    const id = await ask({ jobId: task.jobs[1] });
    await agent.acquire();
    await agent.complete(id, results(4, 5, 9)).expect(200);
    expect(await framesOf()).toEqual([5, 9]);
  });

  it('refuses results on frames that the task does not have', async () => {
    const id = await ask();
    await agent.acquire();
    expect((await agent.complete(id, results(1, 10)).expect(400)).body).toEqual({
      annotations: ['There are annotations on frame 10, which the task does not have.'],
    });
    expect(await framesOf()).toEqual([]);
  });

  it.each(['annotate_task', 'annotate_frame'] as const)(
    'refuses results of %s with labels that the request does not ask for',
    async (type) => {
      await agent.acquire('interactive'); // the agent is there
      const id = await ask({ params: { ...WHOLE_TASK, type, ...(type === 'annotate_frame' && { frame: 1 }) } });
      await agent.acquire(type === 'annotate_task' ? 'batch' : 'interactive');
      const shapes = [rectangle(task.labels.car, 1), rectangle(task.labels.dog, 1)];
      expect((await agent.complete(id, { annotations: { tags: [], shapes } }).expect(400)).body).toEqual({
        annotations: ['The request does not ask for the label "dog".'],
      });
    },
  );

  it('marks all results as automatic', async () => {
    const id = await ask();
    await agent.acquire();
    const tags = [{ label_id: task.labels.car, frame: 0, source: 'manual' }];
    const shapes = [rectangle(task.labels.car, 1, { source: 'consensus' })];
    await agent.complete(id, { annotations: { tags, shapes } }).expect(200);
    const { body } = await owner.http.get(task.ofTask).expect(200);
    expect([body.tags, body.shapes]).toMatchObject([[{ source: 'auto' }], [{ source: 'auto' }]]);
  });

  it('saves no results on frames that were deleted in the meantime', async () => {
    const id = await ask();
    await agent.acquire();
    const before = (await owner.http.get(`/api/tasks/${task.taskId}`)).body.updated_date as string;
    await owner.http
      .patch(`/api/tasks/${task.taskId}/data/meta`)
      .send({ deleted_frames: [2] })
      .expect(200);
    const after = (await owner.http.get(`/api/tasks/${task.taskId}`)).body.updated_date as string;
    expect(after > before).toBe(true); // agents read the deleted frames again only if the task has changed
    await agent.complete(id, results(1, 2)).expect(200);
    expect(await framesOf()).toEqual([1]);
  });

  it('replaces what is there only when the results arrive', async () => {
    await owner.http.put(task.ofTask).send({ tags: [], shapes: [rectangle(task.labels.car, 8)], tracks: [] });
    const id = await ask({ cleanup: true });
    await agent.acquire();
    expect(await framesOf()).toEqual([8]);
    await agent.complete(id, { annotations: { shapes: [{ type: 'rectangle' }] } }).expect(400);
    expect(await framesOf()).toEqual([8]);
    await agent.complete(id, results(1)).expect(200);
    expect(await framesOf()).toEqual([1]);
  });

  it('keeps what people draw while a request that replaces annotations is running', async () => {
    const [moved, untouched] = [rectangle(task.labels.car, 2), rectangle(task.labels.car, 8)];
    const before = await owner.http.put(task.ofTask).send({ tags: [], shapes: [moved, untouched], tracks: [] });
    const [first] = (before.body as { shapes: { frame: number }[] }).shapes.filter(({ frame }) => frame === 2);
    later(1);
    const id = await ask({ cleanup: true });
    await agent.acquire();
    later(2);
    const update = { tags: [], shapes: [{ ...first, points: [1, 1, 5, 5] }], tracks: [] };
    await owner.http.patch(`${task.ofTask}?action=update`).send(update).expect(200);
    const drawn = { tags: [], shapes: [rectangle(task.labels.car, 3)], tracks: [] };
    await owner.http.patch(`${task.ofTask}?action=create`).send(drawn).expect(200);
    await agent.complete(id, results(1)).expect(200);
    expect(await framesOf()).toEqual([1, 2, 3]);
  });

  it('tells why results were refused, though the agent reports only a status', async () => {
    const id = await ask();
    await agent.acquire();
    const wrong = { annotations: { tags: [{ label_id: 2_000_000_000, frame: 0 }], shapes: [] } };
    expect((await agent.complete(id, wrong).expect(400)).body).toEqual(['label_id `2000000000` is invalid']);
    await agent.fail(id, 'Received HTTP status 400').expect(200);
    await agent.fail(id, 'Received HTTP status 400').expect(200);
    expect(await find(id)).toMatchObject({
      status: 'failed',
      error:
        'The results of the agent were refused: The task has no label with the id 2000000000. It may have been deleted in the meantime.',
    });
  });

  it('refuses results of a cancelled request', async () => {
    const id = await ask();
    await agent.acquire();
    await app.app.get(AnnotationRequests).cancel(id);
    await agent.update(id, 0.5).expect(409);
    await agent.complete(id, results(1)).expect(409);
    await agent.fail(id, 'Received HTTP status 409').expect(409);
    expect(await agent.acquire()).toBeNull();
    expect(await framesOf()).toEqual([]);
  });

  it('accepts one request for a whole task at a time', async () => {
    const id = await ask();
    await expect(ask()).rejects.toMatchObject({ status: 409 });
    await app.app.get(AnnotationRequests).cancel(id);
    await expect(ask()).resolves.toEqual(expect.any(String));
  });

  it('refuses requests that no agent could process', async () => {
    const tracker = await givenFunction(owner, { kind: 'tracker', supported_shape_types: ['rectangle'] });
    await expect(ask({ functionId: tracker })).rejects.toThrow('A tracker cannot process annotate_task.');
    const frame = { ...WHOLE_TASK, type: 'annotate_frame', frame: 99 };
    await expect(ask({ params: frame })).rejects.toThrow('Invalid frame');
    await expect(ask({ params: { ...frame, frame: 3 } })).rejects.toMatchObject({ status: 503 });
    const empty = (await owner.http.post('/api/tasks').send({ name: 'empty', labels: [{ name: 'car' }] })).body
      .id as number;
    await expect(ask({ taskId: empty })).rejects.toThrow('The task has no data yet.');
    const stranger = await given.person();
    await expect(ask({}, stranger)).rejects.toMatchObject({ status: 403 });
  });

  it('fails requests for tasks that the account of the agent cannot view', async () => {
    const requester = await given.person();
    await app.db.query(sql`update native_function set visibility = 'public' where id = ${functionId}`);
    const foreign = await givenAnnotatable(app, requester);
    const id = await ask({ taskId: foreign.taskId }, requester);
    expect(await agent.acquire()).toBeNull();
    expect(await find(id)).toMatchObject({
      status: 'failed',
      error: `The agent runs with the account ${owner.username}, which cannot view task ${foreign.taskId}.`,
    });
  });

  it('saves nothing for a requester who has lost the permission', async () => {
    const requester = await given.person();
    await app.db.query(sql`update task set assignee_id = ${requester.id} where id = ${task.taskId}`);
    await app.db.query(sql`update native_function set visibility = 'public' where id = ${functionId}`);
    const id = await ask({}, requester);
    await agent.acquire();
    await app.db.query(sql`update task set assignee_id = null where id = ${task.taskId}`);
    await agent.complete(id, results(1)).expect(409);
    expect(await find(id)).toMatchObject({ status: 'failed' });
    expect(await framesOf()).toEqual([]);
  });

  it('deletes requests some hours after their end', async () => {
    const id = await ask();
    await app.app.get(AnnotationRequests).cancel(id);
    later(3 * 3600 + 1);
    await app.app.get(QueueUpkeep).cleanUp();
    expect(await find(id)).toBeUndefined();
  });

  it('records calls in the event log, those for whole tasks as audit records', async () => {
    const id = await ask();
    const rows = await app.db.query<{ payload: string; is_audit: boolean; task_id: number }>(sql`
      select payload, is_audit, task_id from logged_event where scope = 'call:function' and user_id = ${owner.id}`);
    expect(rows).toMatchObject([{ is_audit: true, task_id: task.taskId }]);
    expect(JSON.parse(rows[0]?.payload ?? '')).toMatchObject({
      function: { id: String(functionId) },
      category: 'batch',
      parameters: { type: 'annotate_task', threshold: null },
    });
    await app.app.get(AnnotationRequests).cancel(id);
  });
});
