// Runs a temporary Cairn server with its own data folder and port. Used by the demo and by the tests with the official
// clients.

import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.mjs';

const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(projectRoot, 'dist', 'cli.js');

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const LOG_TAIL_LINES = 30;

/**
 * Starts a server with an empty data folder on a free port of the loopback interface. Builds the project first if
 * `dist` is missing.
 *
 * @param {{settings?: Record<string, string>}} options additional environment variables
 * @returns {Promise<{url: string, username: string, password: string, logTail: () => Promise<string>,
 *   halt: () => Promise<void>, restart: () => Promise<void>, stop: () => Promise<void>}>}
 *   `halt` stops the server and keeps its folder; `restart` starts it again at the same URL. `stop` stops it, removes its
 *   folder, and throws if the server had to be killed.
 * @throws {Error} one sentence and the end of the server's log, if it is not healthy within a minute.
 */
export async function startTemporaryServer({ settings = {} } = {}) {
  buildIfMissing();
  const folder = await mkdtemp(join(tmpdir(), 'cairn-'));
  const logFile = join(folder, 'server.log');
  const username = 'admin';
  const password = randomBytes(12).toString('base64url');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    ...process.env,
    DATABASE_URL: '',
    DATA_DIR: join(folder, 'data'),
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_USERNAME: username,
    ADMIN_PASSWORD: password,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    INSPECT_ENABLED: 'true',
    ...settings,
  };
  let server = launch(folder, logFile, env);

  const logTail = async () => (await readFile(logFile, 'utf8')).trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
  const interrupted = () => void stop().finally(() => process.exit(130));
  const halt = async () => {
    const clean = await endProcess(server.child, server.exited);
    if (!clean) throw new Error(`The server did not stop within ${STOP_TIMEOUT_MS / 1000} s and was killed.`);
  };
  const restart = async () => {
    server = launch(folder, logFile, env);
    await untilHealthy(url, server.exited);
  };
  const stop = async () => {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    try {
      await halt();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    await untilHealthy(url, server.exited);
  } catch (error) {
    const tail = await logTail();
    await stop().catch(() => {});
    throw new Error(`${error.message}\n${tail}`, { cause: error });
  }
  return { url, username, password, logTail, halt, restart, stop };
}

function launch(folder, logFile, env) {
  const log = openSync(logFile, 'a');
  // Runs in its own folder, so that no .env file is read: the run must not touch a real installation.
  const child = spawn(process.execPath, [cli, 'serve'], { cwd: folder, env, stdio: ['ignore', log, log] });
  closeSync(log);
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  return { child, exited };
}

function buildIfMissing() {
  if (existsSync(cli)) return;
  console.log('dist/ is missing: building the project.');
  const build = spawnSync('npm', ['run', '--silent', 'build'], { cwd: projectRoot, stdio: 'inherit' });
  if (build.status !== 0 || !existsSync(cli)) throw new Error('The build failed, so no server can be started.');
}

async function untilHealthy(url, exited) {
  const ended = exited.then((how) => {
    throw new Error(`The server ended while it was starting (${how}). The end of its log:`);
  });
  const healthy = (async () => {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (Date.now() < deadline) {
      const answer = await fetch(`${url}/api/server/health/`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`The server was not healthy within ${START_TIMEOUT_MS / 1000} s. The end of its log:`);
  })();
  await Promise.race([ended, healthy]);
  ended.catch(() => {}); // stop() reports a later exit
}

/** @returns {Promise<boolean>} whether the process exited without being killed */
async function endProcess(child, exited) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return true;
  child.kill('SIGTERM');
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve('late'), STOP_TIMEOUT_MS);
  });
  const how = await Promise.race([exited, late]);
  clearTimeout(timer);
  if (how !== 'late') return true;
  child.kill('SIGKILL');
  await exited;
  return false;
}
