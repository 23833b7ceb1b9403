import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '../../../tools/free-port.mjs';
import { end, spawnCommand } from '../../support/command.js';
import { createTestDatabase, execute, type TestDatabase } from '../../support/database.js';

describe('an uncaught error', () => {
  let database: TestDatabase;
  let folder: string;
  let url: string;
  let server: ChildProcess;
  let log: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'cairn-restart-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    server = spawnCommand({
      args: ['serve'],
      folder,
      env: {
        DATABASE_URL: database.url,
        DATA_DIR: join(folder, 'data'),
        HOST: '127.0.0.1',
        PORT: String(port),
        LOG_LEVEL: 'error',
        CAIRN_EXTENSIONS: resolve('test/medium/process/faulty-extension.ts'),
      },
    });
    log = '';
    server.stderr?.on('data', (text: Buffer) => (log += text.toString()));
  });

  afterEach(async () => {
    await end(server, 'SIGKILL'); // its child processes exit on their own
    await database.drop();
    await rm(folder, { recursive: true });
  });

  /** The process that responds. */
  const pid = async (): Promise<number> => {
    while (server.exitCode === null) {
      const response = await fetch(`${url}/faulty/pid`).catch(() => undefined);
      if (response?.ok === true) return Number(await response.text());
      await pause(50);
    }
    throw new Error(`The server ended:\n${log}`);
  };

  /** @returns status, request id and body */
  const get = async (path: string) => {
    const response = await fetch(`${url}${path}`);
    return [response.status, response.headers.get('X-Request-Id'), await response.json()] as const;
  };

  it('fails the open requests and restarts the process, every time', async () => {
    const first = await pid();
    expect(first).not.toBe(server.pid);
    const begun = await fetch(`${url}/faulty/begun`);
    const cut = expect(begun.text()).rejects.toThrow();
    const responses = await Promise.all([get('/faulty/wait'), get('/faulty/throw')]);
    for (const [status, id, body] of responses)
      expect([status, body]).toEqual([500, { detail: 'Internal server error.', request_id: id }]);
    await cut;

    const second = await pid();
    expect(second).not.toBe(first);
    expect(log).toContain('nobody catches this');
    for (const [, id] of responses) expect(log).toContain(`"request":"${id}"`);
    expect((await get('/faulty/reject'))[0]).toBe(500);
    const third = await pid();
    expect([first, second]).not.toContain(third);

    server.kill('SIGTERM');
    expect(await once(server, 'close')).toEqual([0, null]);
    expect(() => process.kill(third, 0)).toThrow('ESRCH');
  });

  it("counts as a failure of the extension's listener whose event has caused it", async () => {
    const first = await pid();
    const faults = ['throws in a timer', 'throws at once', 'rejects'];
    const objects = [...faults, 'none'].map((object) => `('${object}')`).join();
    await execute(
      database.url,
      `with written as (
        insert into outbox_event (name, object_id, after, occurred_at)
        select 'create:project', object_id, '{"object":{"id":1}}', now() from (values ${objects}) as object(object_id)
        returning id
      ) insert into outbox_pending select id from written`,
    );
    const quarantine = (): Promise<object[]> =>
      execute(database.url, 'select listener, object_id, error from outbox_quarantine order by event_id');
    const isDone = async (): Promise<boolean> => (await quarantine()).length >= faults.length;
    while (server.exitCode === null && !(await isDone())) await pause(50);
    const error = 'Error: nobody catches this';
    expect({ pid: await pid(), quarantine: new Set(await quarantine()) }).toEqual({
      pid: first,
      quarantine: new Set(faults.map((object) => ({ listener: 'faulty', object_id: object, error }))),
    });
  });
});
