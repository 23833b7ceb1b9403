// A process of Cairn that can be killed and restarted, and a server that runs its own database.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../tools/free-port.mjs';

export const ADMIN = { username: 'admin', password: 'password-of-a-temporary-server' };
const START_MS = 300_000; // for a machine that is busy with other work

/** A server or worker. It stores its data and its log in a folder. */
export class KillableProcess {
  /**
   * @param {string} cli path of the built command line
   * @param {string} folder of data and log
   * @param {{name: string, args: string[], port: number | null, env?: object}} how the name is that of its log; the port
   *   is null for a worker
   */
  constructor(cli, folder, { name, args, port, env = {} }) {
    this.cli = cli;
    this.folder = folder;
    this.log = join(folder, name);
    this.args = args;
    this.port = port;
    this.env = env;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  get isRunning() {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Resolves when a server is healthy, or when a worker says that it runs. */
  async start() {
    const before = this.starts();
    const log = openSync(this.log, 'a');
    this.child = spawn(process.execPath, [this.cli, ...this.args], {
      cwd: this.folder, // so that no .env file is read
      env: { ...process.env, ...this.settings(), ...this.env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.ended = new Promise((resolve) => this.child.once('exit', resolve));
    const deadline = performance.now() + START_MS;
    const isReady = () => (this.port === null ? this.starts() > before : isHealthy(this.url));
    while (!(await isReady())) {
      if (!this.isRunning || performance.now() > deadline)
        throw new Error(`The server did not start:\n${this.logEnd()}`);
      await pause(20);
    }
  }

  settings() {
    return {
      DATABASE_URL: '',
      DATA_DIR: join(this.folder, 'data'),
      HOST: '127.0.0.1',
      PORT: String(this.port ?? 0),
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
      LOG_LEVEL: 'warn',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEBHOOK_CONNECT_TIMEOUT_MS: '1000',
      WEBHOOK_TIMEOUT_MS: '1000',
      WEBHOOK_RETRY_SCHEDULE: `0${',1'.repeat(49)}`,
      CAIRN_EXTENSIONS: join(import.meta.dirname, 'failing-extension.mjs'),
    };
  }

  /** Runs a command on the same installation. */
  command(args) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.cli, ...args], {
      cwd: this.folder,
      env: { ...process.env, ...this.settings(), ...this.env },
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`cairn ${args.join(' ')} has failed:\n${stdout}${stderr}`);
  }

  /** Kills it like a power cut. The next start finds its data as they were left. */
  async kill() {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** How often a worker has said that it runs. */
  starts() {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8').split('worker is running').length - 1 : 0;
  }

  logEnd() {
    return readFileSync(this.log, 'utf8').slice(-3000);
  }

  async stop() {
    this.child?.kill('SIGTERM');
    await this.ended;
  }
}

/** One server on the database that it runs. */
export class KillableServer extends KillableProcess {
  /** @param {object} env further settings */
  static async on(cli, folder, env = {}) {
    const server = new KillableServer(cli, folder, { name: 'log', args: ['serve'], port: await freePort(), env });
    await server.start();
    return server;
  }

  killOne() {
    return this.kill();
  }

  /** Kills the first process of the embedded database. Resolves when the server has restarted it and is healthy. */
  async killDatabase() {
    const killed = this.databaseProcess();
    process.kill(killed, 'SIGKILL');
    // A connection to the killed database may still respond for a moment, so health alone proves nothing.
    while ([killed, undefined].includes(this.databaseProcess()) || !(await isHealthy(this.url))) {
      if (!this.isRunning) throw new Error(`The server ended with its database:\n${this.logEnd()}`);
      await pause(20);
    }
  }

  /** @returns undefined if there is none */
  databaseProcess() {
    try {
      const file = readFileSync(join(this.folder, 'data', 'postgres', 'cluster', 'postmaster.pid'), 'utf8');
      return Number(file.split('\n')[0]) || undefined;
    } catch (error) {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    }
  }
}

/** Whether a server responds at this URL. */
export async function isHealthy(url) {
  const answer = await fetch(`${url}/api/server/health/`, { signal: AbortSignal.timeout(5000) }).catch(() => null);
  return answer?.ok ?? false;
}
