import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Command, startServer } from '../../support/command.js';

/** For a machine that is busy with other work: several processes compile the sources one after the other. */
const LONG_MS = 400_000;
const endsWithParent = spawnSync('setpriv', ['--pdeathsig=KILL', '--', 'true']).status === 0;

describe('a server that is frozen', () => {
  let folder: string;
  let server: Command;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-frozen-'));
  });
  afterEach(async () => {
    await server.end('SIGKILL');
    while (isAlive(databasePid())) await pause(50);
    await rm(folder, { recursive: true });
  }, LONG_MS);

  /** With its own database. */
  async function start(): Promise<void> {
    const env = {
      DATABASE_URL: '',
      FREEZE_SECONDS: '0',
      CAIRN_EXTENSIONS: resolve('test/medium/process/faulty-extension.ts'),
    };
    server = await startServer({ args: ['serve'], folder, env });
  }

  /** The process that responds. */
  async function pid(): Promise<number> {
    for (;;) {
      const response = await fetch(`${server.url}/faulty/pid`).catch(() => undefined);
      if (response?.ok === true) return Number(await response.text());
      await pause(50);
    }
  }

  /** Freezes the server while another request is open. */
  async function freeze(): Promise<void> {
    await fetch(`${server.url}/faulty/begun`);
    fetch(`${server.url}/faulty/freeze`).catch(() => undefined);
    while (!server.output().includes('freezing')) await pause(20);
  }

  function databasePid(): number {
    const file = join(folder, 'data', 'postgres', 'cluster', 'postmaster.pid');
    return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
  }

  it(
    'stops with its database on SIGTERM',
    async () => {
      await start();
      const pids = [await pid(), databasePid()];
      await freeze();
      expect(await server.end('SIGTERM')).toBe(1); // open requests were lost
      expect(pids.map(isAlive)).toEqual([false, false]);
    },
    LONG_MS,
  );

  (endsWithParent ? it : it.skip)(
    'ends when its supervisor is killed',
    async () => {
      await start();
      const frozen = await pid();
      await freeze();
      await server.end('SIGKILL');
      while (isAlive(frozen)) await pause(20);
      expect(isAlive(frozen)).toBe(false);
    },
    LONG_MS,
  );
});

function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
