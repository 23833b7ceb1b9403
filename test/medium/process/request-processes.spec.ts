import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Command, startServer } from '../../support/command.js';
import { createTestDatabase, execute, type TestDatabase } from '../../support/database.js';

/** For a machine that is busy with other work: several processes compile the sources one after the other. */
const LONG_MS = 600_000;

interface Row {
  readonly status: string;
  readonly message: string;
  readonly attempts: number;
}

describe('a background request of a running server', () => {
  let database: TestDatabase;
  let folder: string;
  let server: Command | undefined;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'cairn-burning-'));
    await mkdir(join(folder, 'tmp'));
    server = await startServer({
      args: ['serve'],
      folder,
      env: {
        DATABASE_URL: database.url,
        REQUEST_MAX_MEMORY: '800M',
        CAIRN_EXTENSIONS: resolve('test/medium/process/burning-requests.ts'),
        TMPDIR: join(folder, 'tmp'),
      },
    });
  }, LONG_MS);
  afterAll(async () => {
    await server?.end('SIGKILL');
    await execute(
      database.url,
      `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
    ); // of processes that are just ending
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const notesOf = (deed: string): string => join(folder, `notes-${deed}`);
  /** What was done, in order, by how many processes. */
  async function deedsOf(deed: string): Promise<{ readonly done: string[]; readonly pids: string[] }> {
    const lines = (await readFile(notesOf(deed), 'utf8').catch(() => '')).split('\n').filter(Boolean);
    const words = lines.map((line) => line.split(' '));
    return { done: words.map(([what = '']) => what), pids: [...new Set(words.map(([, pid = '']) => pid))] };
  }

  async function enqueue(deed: string): Promise<void> {
    const parameters = JSON.stringify({ deed, notes: notesOf(deed) });
    await execute(
      database.url,
      `insert into background_request (id, type, target, parameters, created_date)
       values ('${deed}=1', 'import:${deed}', 'task', '${parameters}', now())`,
    );
  }

  const rowOf = async (deed: string): Promise<Row | undefined> =>
    (
      await execute<Row>(
        database.url,
        `select status, message, attempts from background_request where id = '${deed}=1'`,
      )
    )[0];

  async function written(deed: string): Promise<void> {
    while (!(await deedsOf(deed)).done.includes('written')) await pause(50);
  }

  /** Files that requests have left, by name. */
  async function leftovers(): Promise<string[]> {
    const exports = await readdir(join(folder, 'data', 'exports'));
    const temporary = await readdir(join(folder, 'tmp'), { recursive: true, withFileTypes: true });
    return [...exports, ...temporary.filter((entry) => entry.isFile()).map(({ name }) => name)];
  }

  it(
    'ends only its own process when it needs too much memory, is undone in another one, and fails',
    async () => {
      await enqueue('memory');
      while ((await rowOf('memory'))?.status !== 'failed') await pause(50);
      const { done, pids } = await deedsOf('memory');
      expect({ ...(await rowOf('memory')), done, processes: pids.length }).toEqual({
        status: 'failed',
        message: expect.stringContaining('The import was ended because it needed more than 800 MB of memory.'),
        attempts: 1,
        done: ['begun', 'written', 'undone'],
        processes: 2,
      });
    },
    LONG_MS,
  );

  it('leaves no temporary files', async () => {
    while ((await leftovers()).length > 0) await pause(50);
    expect(await leftovers()).toEqual([]);
  });

  it(
    'can be cancelled while it is in an endless loop',
    async () => {
      await enqueue('frozen');
      await written('frozen');
      await execute(database.url, `update background_request set cancelled = true where id = 'frozen=1'`);
      while ((await rowOf('frozen')) !== undefined) await pause(50);
      expect((await deedsOf('frozen')).done).toEqual(['begun', 'written', 'undone']);
    },
    LONG_MS,
  );

  it(
    'does not prevent a stop, and is tried again later',
    async () => {
      await rm(notesOf('frozen'));
      await enqueue('frozen');
      await written('frozen');
      const { pids } = await deedsOf('frozen');
      await server?.end('SIGTERM');
      expect(await rowOf('frozen')).toEqual({ status: 'queued', message: '', attempts: 1 });
      for (const pid of pids) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    },
    LONG_MS,
  );
});
