import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

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
    const hooks = resolve('test/runner/typescript-hooks.js');
    server = spawn(process.execPath, ['--no-warnings', `--import=${hooks}`, resolve('src/cli.ts'), 'serve'], {
      cwd: folder, // so that no .env file is read
      env: {
        ...process.env,
        DATABASE_URL: database.url,
        DATA_DIR: join(folder, 'data'),
        HOST: '127.0.0.1',
        PORT: String(port),
        LOG_LEVEL: 'error',
        IMAGE_PROCESS: 'false',
        CAIRN_EXTENSIONS: resolve('test/medium/process/faulty-extension.ts'),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    log = '';
    server.stderr?.on('data', (text: Buffer) => (log += text.toString()));
  });

  afterEach(async () => {
    if (server.exitCode === null) {
      server.kill('SIGKILL'); // its child process exits on its own
      await once(server, 'close');
    }
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
    expect(first).toBe(server.pid);
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
});
