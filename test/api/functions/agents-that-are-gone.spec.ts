import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Db } from '../../../src/core/database/db.js';
import { LiveProcesses } from '../../../src/core/worker/live-processes.js';
import { sql } from '../../../src/engines/sql/sql.js';
import { AnnotationRequests } from '../../../src/modules/functions/index.js';
import { AgentRepository } from '../../../src/modules/functions/queues/agent.repository.js';
import { QueueUpkeep } from '../../../src/modules/functions/queues/queue.upkeep.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Annotatable, givenAnnotatable, rectangle } from '../../support/given-annotations.js';
import { type AgentStream, givenFunction, givenRequest, openStream, TestAgent, WHOLE_TASK } from '../../support/given-functions.js'; // prettier-ignore
import { Given, type Person } from '../../support/given.js';
import { until } from '../../support/promises.js';

const NEW_BATCH = 'event: newrequest\ndata: {"request_category":"batch"}\n\n';
const OTHER_AGENT = 'ffffffffffffffffffffffffffffffff';

describe('an agent that is gone', () => {
  let app: TestApp;
  let second: TestApp;
  let owner: Person;
  let functionId: number;
  let task: Annotatable;
  let agent: TestAgent;
  let other: TestAgent;
  const streams: AgentStream[] = [];

  beforeAll(async () => {
    app = await createTestApp({ env: { AGENT_STREAMS_PER_USER: '9' } });
    second = await createTestApp({
      database: { url: app.config.databaseUrl, drop: () => Promise.resolve() },
      dataDir: app.config.dataDir,
    });
    for (const { app: server } of [app, second]) {
      await server.get(LiveProcesses).start();
      await server.get(LiveProcesses).start(); // the second check knows that the lock is held
    }
  });
  beforeEach(async () => {
    owner = await new Given(app).person();
    functionId = await givenFunction(owner);
    task = await givenAnnotatable(app, owner);
    agent = new TestAgent(owner, functionId);
    other = new TestAgent(owner, functionId, OTHER_AGENT);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const stream of streams) stream.close();
    await Promise.all(streams.splice(0).map(({ ended }) => ended));
  });
  afterAll(async () => {
    await second.close();
    await app.close();
  });

  const ask = (more: object = {}): Promise<string> =>
    givenRequest(app, owner, { functionId, taskId: task.taskId, params: WHOLE_TASK, ...more });
  const status = async (id: string) => (await app.app.get(AnnotationRequests).find(app.db, id))?.status;
  const later = (seconds: number): void => {
    const at = app.clock.now().getTime() + 1000 * seconds;
    for (const { clock } of [app, second]) jest.spyOn(clock, 'now').mockImplementation(() => new Date(at));
  };
  const upkeep = () => app.app.get(QueueUpkeep).expire();
  const openStreams = async (): Promise<number> =>
    (await app.db.query(sql`select from function_agent where function_id = ${functionId} and user_id is not null`))
      .length;
  const watch = async (server = app, cookie?: string): Promise<AgentStream> => {
    const before = await openStreams();
    const stream = await openStream(server.url, owner, functionId, cookie);
    streams.push(stream);
    await until(async () => (await openStreams()) > before);
    return stream;
  };
  const disconnect = async (stream: AgentStream): Promise<void> => {
    const before = await openStreams();
    stream.close();
    await until(async () => (await openStreams()) < before);
  };
  /** What the official client sends after its first request. */
  const cookieOf = async (): Promise<string> => {
    const { headers } = await app.http
      .get(`/api/functions/${functionId}`)
      .set('Authorization', `Token ${owner.token}`)
      .set('User-Agent', 'cvat_cli/2.80.0 (agent)');
    return (headers['set-cookie'] as unknown as string[]).map((one) => one.split(';')[0]).join('; ');
  };
  const withCookie = (cookie: string, id?: string): TestAgent => new TestAgent(owner, functionId, id, cookie);

  it('loses its request to the next agent that asks, 30 seconds after its last call', async () => {
    const id = await ask();
    await agent.acquire();
    later(29);
    expect(await other.acquire()).toBeNull();
    later(2);
    expect(await other.acquire()).toMatchObject({ ar_id: id });
  });

  it('cannot save results afterwards', async () => {
    const id = await ask();
    await agent.acquire();
    later(31);
    await other.acquire();
    const results = { annotations: { tags: [], shapes: [rectangle(task.labels.car, 1)] } };
    await agent.complete(id, results).expect(409);
    await other.complete(id, results).expect(200);
    expect((await owner.http.get(task.ofTask)).body.shapes).toHaveLength(1);
  });

  it('keeps its request if it reports before another agent asks', async () => {
    const id = await ask();
    await agent.acquire();
    later(45);
    await upkeep();
    await agent.update(id, 0.5).expect(200);
    expect(await other.acquire()).toBeNull();
  });

  it('takes a queued request rather than that of an agent that may be working', async () => {
    const held = await ask();
    await agent.acquire();
    const queued = await ask({ taskId: (await givenAnnotatable(app, owner)).taskId });
    later(31);
    expect(await other.acquire()).toMatchObject({ ar_id: queued });
    expect(await status(held)).toBe('started');
  });

  it('is not gone while its stream is open', async () => {
    await ask();
    await watch();
    await agent.acquire();
    later(300);
    await upkeep();
    expect(await other.acquire()).toBeNull();
  });

  it('is not gone while its stream at another process is open', async () => {
    await ask();
    await watch(second);
    await agent.acquire();
    later(300);
    await upkeep();
    expect(await other.acquire()).toBeNull();
  });

  it('has 30 seconds to connect again', async () => {
    const id = await ask();
    const stream = await watch();
    await agent.acquire();
    later(200);
    await disconnect(stream);
    later(29);
    await watch();
    later(200);
    await upkeep();
    expect(await status(id)).toBe('started');
  });

  it('loses its request 30 seconds after its stream has ended, and other agents are notified', async () => {
    const id = await ask();
    const stream = await watch();
    await agent.acquire();
    const others = await watch();
    await other.acquire();
    await disconnect(stream);
    later(31);
    await upkeep();
    await others.until(NEW_BATCH);
    expect(await status(id)).toBe('queued');
  });

  it('loses its request when the process of its stream has died', async () => {
    const id = await ask();
    await watch(second);
    await agent.acquire();
    await app.db.query(
      sql`update function_agent set holder = 77 where function_id = ${functionId} and user_id is not null`,
    );
    await app.app.get(AgentRepository).releaseLeases(app.app.get(Db), [77]);
    later(31);
    await upkeep();
    expect(await status(id)).toBe('queued');
  });

  it('is recognized by a cookie, so that a second agent without a stream does not own its stream', async () => {
    await ask();
    const [cookie, otherCookie] = [await cookieOf(), await cookieOf()];
    await withCookie(cookie).acquire();
    await watch(app, cookie);
    later(100);
    expect(await withCookie(otherCookie, OTHER_AGENT).acquire()).toBeNull();
  });

  it('is not kept alive by the stream of its successor', async () => {
    const id = await ask();
    const [cookie, otherCookie] = [await cookieOf(), await cookieOf()];
    const stream = await watch(app, cookie);
    await withCookie(cookie).acquire();
    await watch(app, otherCookie);
    await disconnect(stream);
    later(31);
    expect(await withCookie(otherCookie, OTHER_AGENT).acquire()).toMatchObject({ ar_id: id });
  });

  it('counts as present with any call, such as the download of images', async () => {
    await ask();
    const cookie = await cookieOf();
    await withCookie(cookie).acquire();
    later(25);
    await owner.http.get(`/api/tasks/${task.taskId}/data/meta`).set('Cookie', cookie).expect(200);
    later(25);
    expect(await other.acquire()).toBeNull();
  });

  it('is not kept alive by calls of another account with its cookie', async () => {
    const id = await ask();
    const cookie = await cookieOf();
    await withCookie(cookie).acquire();
    later(25);
    const stranger = await new Given(app).person();
    await stranger.http.get('/api/users/self').set('Cookie', cookie).expect(200);
    later(10);
    expect(await other.acquire()).toMatchObject({ ar_id: id });
  });

  it('returns a request that somebody waits for to the queue', async () => {
    await agent.acquire();
    const id = await ask({ params: { ...WHOLE_TASK, type: 'annotate_frame', frame: 3 } });
    await agent.acquire('interactive');
    later(31);
    expect(await other.acquire('interactive')).toMatchObject({ ar_id: id });
  });
});
