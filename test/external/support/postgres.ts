import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { serverAccount } from '../../../src/core/database/embedded/account.js';
import { execute } from '../../support/database.js';
import { freePort } from '../../../tools/free-port.mjs';
import { findProgram, type Program, startProgram } from './programs.js';

const run = promisify(execFile);

/** Programs that `startPostgres` and its standbys need. */
export const POSTGRES_PROGRAMS = ['postgres', 'initdb', 'pg_basebackup', 'pg_ctl'];

/** The user that servers run as if the tests are run by root, which PostgreSQL and PgBouncer refuse. */
export const account = serverAccount();

/** A server of Debian's PostgreSQL with the superuser `postgres`, which needs no password. */
export class TestPostgres {
  private program: Program | undefined;

  private constructor(
    /** Contains the cluster, and whatever a test adds. */
    readonly folder: string,
    readonly port: number,
  ) {}

  /** @param settings lines of postgresql.conf */
  static async create(settings: readonly string[] = []): Promise<TestPostgres> {
    const folder = await ownFolder();
    const server = new TestPostgres(folder, await freePort());
    await asServer('initdb', [
      '-D',
      server.data,
      '-U',
      'postgres',
      '--auth=trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '-N',
    ]);
    const own = [`unix_socket_directories = '${folder}'`, 'fsync = off', 'full_page_writes = off'];
    await appendFile(join(server.data, 'postgresql.conf'), [...own, ...settings, ''].join('\n'));
    await server.start();
    return server;
  }

  /** A standby of `primary` that follows it with streaming replication. @param name its `application_name` */
  static async standbyOf(primary: TestPostgres, name: string): Promise<TestPostgres> {
    const standby = new TestPostgres(await ownFolder(), await freePort());
    const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`;
    await asServer('pg_basebackup', [
      '-D',
      standby.data,
      '-d',
      source,
      '-R',
      '-c',
      'fast',
      '-X',
      'stream',
      '--no-sync',
    ]);
    await standby.start();
    return standby;
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  /** @param user a role; @param database its name */
  url(user = 'postgres', database = 'postgres', parameters = ''): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}${parameters}`;
  }

  async start(): Promise<void> {
    const args = (port: number): string[] => [
      '-D',
      this.data,
      '-c',
      `port=${port}`,
      '-c',
      'listen_addresses=127.0.0.1',
    ];
    this.program = await startProgram('postgres', args, { port: this.port, cwd: this.folder, account });
    while (!(await this.isReady())) await wait(20);
  }

  /** A server rejects connections until it has recovered. */
  private isReady(): Promise<boolean> {
    return execute(this.url(), 'select 1').then(
      () => true,
      () => false,
    );
  }

  /** Runs statements as the superuser, each on its own. */
  async execute(...statements: string[]): Promise<void> {
    for (const statement of statements) await execute(this.url(), statement);
  }

  /** Writes a file that the server may read. */
  async write(name: string, content: string): Promise<string> {
    const path = join(this.folder, name);
    await writeFile(path, content, { mode: 0o600 });
    if (account !== undefined) await chown(path, account.uid, account.gid);
    return path;
  }

  /** Ends all processes of the server at once, as if its machine lost power. */
  async kill(): Promise<void> {
    const pid = this.program?.pid ?? 0;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    for (const child of [pid, ...children.split(' ').filter(Boolean).map(Number)]) {
      try {
        process.kill(child, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // a connection that has just ended
      }
    }
    await this.program?.kill();
  }

  async promote(): Promise<void> {
    await asServer('pg_ctl', ['promote', '-D', this.data, '-s', '-w']);
  }

  async stop(): Promise<void> {
    await this.program?.kill(); // nothing of it is needed any more
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function asServer(name: string, args: readonly string[]): Promise<void> {
  await run(findProgram(name) ?? name, args, { cwd: tmpdir(), ...account });
}

async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-pg-'));
  await chmod(folder, 0o755);
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  return folder;
}

/** PgBouncer in transaction mode, in front of a server. */
export async function startPgBouncer(server: TestPostgres, settings: readonly string[] = []): Promise<Program> {
  const users = await server.write('users.txt', '"cairn" ""\n"postgres" ""\n');
  const port = await freePort();
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${server.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'default_pool_size = 5',
    ...settings,
    '',
  ];
  const path = await server.write(`pgbouncer-${port}.ini`, lines.join('\n'));
  return startProgram('pgbouncer', () => [path], { port, cwd: server.folder, account });
}
