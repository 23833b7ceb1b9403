import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, type Command, startServer } from '../../support/command.js';
import { createTestDatabase, execute, type TestDatabase } from '../../support/database.js';

const FAILURES = 3;
/** For a machine that is busy with other work: four processes compile the sources. */
const START_MS = 300_000;
const JSON_TYPE = { 'content-type': 'application/json' };

describe('cairn serve --processes 2', () => {
  let database: TestDatabase;
  let folder: string;
  let started: Command | undefined;
  const server = (): Command => {
    if (started === undefined) throw new Error('The server did not start.');
    return started;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'cairn-group-'));
    const env = {
      DATABASE_URL: database.url,
      MAX_LOGIN_FAILURES: String(FAILURES),
      CAIRN_EXTENSIONS: resolve('test/medium/process/faulty-extension.ts'),
    };
    started = await startServer({ args: ['serve', '--processes', '2'], folder, env });
  }, START_MS);
  afterAll(async () => {
    await started?.end('SIGTERM');
    await database.drop();
    await rm(folder, { recursive: true });
  });

  /** On a connection of its own, which goes to the next process. */
  const send = async (method: string, path: string, headers = {}, body = ''): Promise<IncomingMessage> => {
    const sent = request(server().url + path, { method, agent: false, headers });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };
  const get = async (path: string): Promise<string> => text(await send('GET', path));
  const logIn = (password: string): Promise<IncomingMessage> =>
    send('POST', '/api/auth/login', JSON_TYPE, JSON.stringify({ username: ADMIN.username, password }));
  /** The processes that serve requests. */
  const pids = async (): Promise<number[]> => {
    const seen = new Set<number>();
    for (let turn = 0; turn < 8; turn += 1) seen.add(Number(await get('/faulty/pid')));
    return [...seen];
  };
  const aboutCount = async (): Promise<number> => {
    const name =
      /^cairn_http_request_duration_seconds_count\{method="GET",route="\/api\/server\/about",status="200"\} (\d+)/m;
    return Number(name.exec(await get('/metrics'))?.[1] ?? 0);
  };

  it('serves one port, and says so once', async () => {
    const found = await pids();
    expect(found).toHaveLength(2);
    expect(found).not.toContain(server().process.pid);
    expect(
      server()
        .output()
        .match(/Cairn is ready/g),
    ).toHaveLength(1);
    expect(server().output()).toContain('2 processes serve requests, and one more does the background work.');
  });

  it('adds up the metrics of all processes, also of one that has ended and restarts on a newer schema', async () => {
    for (let turn = 0; turn < 7; turn += 1) await get('/api/server/about');
    expect(await aboutCount()).toBe(7);
    const [first = 0] = await pids();
    await execute(database.url, `insert into schema_migration (timestamp, name) values (9, 'OfANewerVersion9')`);
    process.kill(first, 'SIGKILL');
    while (!server().output().includes('a process ended and is restarted')) await pause(20);
    await get('/api/server/about');
    expect(await aboutCount()).toBe(8);
    let now = await pids();
    while (now.length < 2) {
      await pause(50);
      now = await pids();
    }
    expect(now).not.toContain(first);
    await get('/api/server/about');
    expect(await aboutCount()).toBe(9);
  });

  it('sends the events of one process to the streams of all', async () => {
    const { key } = JSON.parse(await text(await logIn(ADMIN.password))) as { key: string };
    const headers = { ...JSON_TYPE, authorization: `Token ${key}` };
    const streams = await Promise.all([1, 2].map(() => send('GET', '/api/events/stream', headers)));
    const arrived = streams.map(async (stream) => {
      let seen = '';
      for await (const chunk of stream) {
        seen += String(chunk);
        if (seen.includes('"name": "streamed"') || seen.includes('"name":"streamed"')) break;
      }
    });
    const created = await send('POST', '/api/projects', headers, JSON.stringify({ name: 'streamed' }));
    expect(created.statusCode).toBe(201);
    await Promise.all(arrived);
  });

  it('counts failed log-ins of all processes together', async () => {
    const statuses: (number | undefined)[] = [];
    for (let guess = 0; guess < FAILURES + 2; guess += 1) {
      const response = await send(
        'POST',
        '/api/auth/login',
        JSON_TYPE,
        JSON.stringify({ username: 'nobody', password: `guess ${guess}` }),
      );
      response.resume();
      statuses.push(response.statusCode);
    }
    expect(statuses).toEqual([400, 400, 400, 429, 429]);
  });

  it('stops all processes on a signal', async () => {
    const found = await pids();
    expect(await server().end('SIGTERM')).toBe(0);
    for (const pid of found) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
