// The server under measurement: one process on a data folder that outlives it.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { descendants } from './processor-time.mjs';

export const ADMIN = { username: 'admin', password: 'benchmark-of-a-temporary-server' };

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 40_000;
const POLL_MS = 20;

/** As in `npm start` and in the first line of the command. */
const NODE_FLAGS = ['--max-semi-space-size=64'];

/**
 * Starts `cairn <args>` and waits until it is ready.
 *
 * @param {{cli: string, folder: string, args?: string[], settings?: object}} options `folder` gets the data folder and
 *   the log, `settings` are further environment variables
 * @returns {Promise<{url: string, pid: number, readySeconds: number, stop: () => Promise<void>}>} `readySeconds` counts
 *   from the start of the process to the first healthy response (for a worker: to its log line that says it runs)
 */
export async function startCairn({ cli, folder, args = ['serve'], settings = {} }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(folder, `${args.join('-')}-${port}.log`);
  const log = openSync(logFile, 'a');
  const begin = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, cli, ...args], {
    cwd: folder, // so that no .env file is read
    env: {
      ...process.env,
      DATABASE_URL: '',
      DATA_DIR: join(folder, 'data'),
      HOST: '127.0.0.1',
      PORT: String(port),
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...settings,
    },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timer);
  };
  const isReady = args[0] === 'worker' ? () => says(logFile, 'worker is running') : () => isHealthy(url);
  while (!(await isReady())) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (hasEnded || performance.now() - begin > START_TIMEOUT_MS) {
      await stop();
      throw new Error(`"cairn ${args.join(' ')}" did not start:\n${await readFile(logFile, 'utf8')}`);
    }
    await pause(POLL_MS);
  }
  return { url, pid: child.pid, readySeconds: (performance.now() - begin) / 1000, stop };
}

const isHealthy = async (url) =>
  (await fetch(`${url}/api/server/health/`, { signal: AbortSignal.timeout(5_000) }).catch(() => null))?.ok ?? false;

const says = async (file, text) => (await readFile(file, 'utf8')).includes(text);

/**
 * Resident memory of a server with all its processes, except those for images, in bytes: current and maximum. What they
 * share counts for each of them. Null where there is no /proc.
 *
 * @param {number} pid of the process that was started
 */
export async function residentMemory(pid) {
  if (!existsSync('/proc/self/status')) return null;
  const sum = { now: 0, largest: 0 };
  for (const each of processesOf(pid)) {
    const status = await readFile(`/proc/${each}/status`, 'utf8').catch(() => ''); // it has ended meanwhile
    const bytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
    sum.now += bytes('VmRSS');
    sum.largest += bytes('VmHWM');
  }
  return sum;
}

/** As `residentMemory`, but what processes share counts once. */
export async function sharedMemory(pid) {
  if (!existsSync('/proc/self/smaps_rollup')) return null;
  let sum = 0;
  for (const each of processesOf(pid)) {
    const rollup = await readFile(`/proc/${each}/smaps_rollup`, 'utf8').catch(() => '');
    sum += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return sum;
}

/** Lets the largest resident memory of a server begin anew. */
export const forgetLargest = (pid) =>
  Promise.all(processesOf(pid).map((each) => writeFile(`/proc/${each}/clear_refs`, '5')));

/** The processes of a server by id: the one that was started, and those of this program that it has started. */
export function processesOf(pid) {
  const commandOf = (id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0');
    } catch {
      return [];
    }
  };
  const isOurs = (id) => commandOf(id).some((part) => /\b(cli|member)\.js$/.test(part));
  return descendants(pid).filter(isOurs);
}

/**
 * Connects to the database that the server of `folder` runs. Stop it before the server, or the database keeps running.
 *
 * @returns {Promise<{url: string, stop: () => Promise<void>}>}
 */
export async function joinDatabase(cli, folder) {
  const module = join(dirname(cli), 'core', 'database', 'embedded', 'start-embedded.js');
  const { startEmbedded } = await import(pathToFileURL(module).href);
  const silent = { info() {}, warn() {}, error() {} };
  return startEmbedded({ dataDir: join(folder, 'data'), log: silent });
}

/**
 * Creates a database on the server of BENCH_DATABASE_URL, if set. Its role must be allowed to create databases.
 *
 * @returns {Promise<{url: string, stop: () => Promise<void>} | null>} `stop` removes it
 */
export async function databaseOnServer() {
  const server = process.env.BENCH_DATABASE_URL;
  if (server === undefined) return null;
  const name = `cairn_bench_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await execute(server, `create database ${name}`);
  return { url: url.href, stop: () => execute(server, `drop database if exists ${name} with (force)`) };
}

async function execute(url, statement) {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve, reject) => probe.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
