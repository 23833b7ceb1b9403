// A server that can be killed and restarted on the same folder and port, and the database that it runs.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

export const ADMIN = { username: 'admin', password: 'password-of-a-temporary-server' };
const START_MS = 300_000; // for a machine that is busy with other work

export class KillableServer {
  /** @param {string} cli path of the built command line @param {string} folder of data and log */
  constructor(cli, folder, port) {
    this.cli = cli;
    this.folder = folder;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async on(cli, folder) {
    const server = new KillableServer(cli, folder, await freePort());
    await server.start();
    return server;
  }

  /** Resolves when the server is healthy. */
  async start() {
    const log = openSync(join(this.folder, 'log'), 'a');
    this.child = spawn(process.execPath, [this.cli, 'serve'], {
      cwd: this.folder, // so that no .env file is read
      env: { ...process.env, ...this.settings() },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.ended = new Promise((resolve) => this.child.once('exit', resolve));
    const deadline = performance.now() + START_MS;
    while (!(await this.isHealthy())) {
      if (this.child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`The server did not start:\n${this.logEnd()}`);
      }
      await pause(20);
    }
  }

  settings() {
    return {
      DATABASE_URL: '',
      DATA_DIR: join(this.folder, 'data'),
      HOST: '127.0.0.1',
      PORT: String(this.port),
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
      LOG_LEVEL: 'warn',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEBHOOK_CONNECT_TIMEOUT_MS: '1000',
      WEBHOOK_TIMEOUT_MS: '1000',
      WEBHOOK_RETRY_SCHEDULE: `0${',1'.repeat(49)}`,
    };
  }

  async isHealthy() {
    const answer = await fetch(`${this.url}/api/server/health/`, { signal: AbortSignal.timeout(5000) }).catch(
      () => null,
    );
    return answer?.ok ?? false;
  }

  /** Kills the Node process like a power cut. The next start finds the database as it was left. */
  async kill() {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  /** Kills the first process of the embedded database. Resolves when the server has restarted it and is healthy. */
  async killDatabase() {
    const killed = this.databaseProcess();
    process.kill(killed, 'SIGKILL');
    // A connection to the killed database may still respond for a moment, so health alone proves nothing.
    while ([killed, undefined].includes(this.databaseProcess()) || !(await this.isHealthy())) {
      if (this.child.exitCode !== null) throw new Error(`The server ended with its database:\n${this.logEnd()}`);
      await pause(20);
    }
  }

  logEnd() {
    return readFileSync(join(this.folder, 'log'), 'utf8').slice(-3000);
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

  async stop() {
    this.child.kill('SIGTERM');
    await this.ended;
  }
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
