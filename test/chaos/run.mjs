// npm run test:chaos: kills the server and its database at random moments under load and counts what arrives.
//   --server N     kills of the server process (default 6)
//   --database N   kills of the database (default 2)
//   --seed N       of the moments (default: the time)
import { spawnSync } from 'node:child_process';
import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Load } from './load.mjs';
import { ADMIN, KillableServer } from './server.mjs';

const root = join(import.meta.dirname, '..', '..');
const WRITERS = 4;
/** A server keeps its database down after six deaths in a minute, so no more are caused in one life of the server. */
const DATABASE_DEATHS_IN_A_LIFE = 3;
const DRAIN_MS = 180_000;

const { values } = parseArgs({
  options: {
    server: { type: 'string', default: '6' },
    database: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    cli: { type: 'string' },
  },
});
const counts = { server: count('server'), database: count('database') };
const random = generator(count('seed'));

function count(name) {
  const number = Number(values[name]);
  if (!Number.isInteger(number) || number < 0)
    throw new Error(`--${name} must be a whole number, not "${values[name]}".`);
  return number;
}

/** Numbers from 0 to 1 that a seed brings back (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Keeps how often each task was told of, and under which delivery ids. */
async function startReceiver() {
  const arrivals = new Map();
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const name = JSON.parse(Buffer.concat(chunks)).task.name;
      arrivals.set(name, [...(arrivals.get(name) ?? []), request.headers['webhook-id']]);
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { arrivals, url: `http://127.0.0.1:${server.address().port}/`, close };
}

async function call(url, method, headers, body) {
  const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Names of all tasks that are there. */
async function committed(url, headers) {
  const names = new Set();
  for (let next = `${url}/api/tasks?page_size=500`; next !== null;) {
    const page = await call(next, 'GET', headers);
    for (const task of page.results) names.add(task.name);
    next = page.next;
  }
  return names;
}

/** The kills in a random order, from the seed. */
function plan() {
  const kills = Array.from({ length: counts.server + counts.database }, (_, index) =>
    index < counts.server ? 'server' : 'database',
  );
  for (let index = kills.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [kills[index], kills[other]] = [kills[other], kills[index]];
  }
  return kills;
}

async function killAtRandomMoments(server) {
  let deaths = 0;
  for (const kill of plan()) {
    await pause(50 + random() * 950);
    if (kill === 'server') {
      await server.kill();
      await server.start();
      deaths = 0;
      continue;
    }
    if (deaths === DATABASE_DEATHS_IN_A_LIFE) {
      await pause(61_000);
      deaths = 0;
    }
    await server.killDatabase();
    deaths += 1;
  }
}

async function setUp(server, receiver) {
  const json = { 'Content-Type': 'application/json', Accept: 'application/vnd.cvat+json; version=2.1' };
  const { key } = await call(`${server.url}/api/auth/login`, 'POST', json, ADMIN);
  const headers = { ...json, Authorization: `Token ${key}` };
  const project = await call(`${server.url}/api/projects`, 'POST', headers, {
    name: 'chaos',
    labels: [{ name: 'car' }],
  });
  const webhook = { target_url: receiver.url, type: 'project', project_id: project.id, events: ['create:task'] };
  await call(`${server.url}/api/webhooks`, 'POST', headers, webhook);
  return { headers, projectId: project.id };
}

/** Waits until every committed task was told of, or the time is up. */
async function arrived(names, arrivals) {
  const deadline = performance.now() + DRAIN_MS;
  const missing = () => [...names].filter((name) => !arrivals.has(name));
  while (missing().length > 0 && performance.now() < deadline) await pause(100);
  return missing();
}

function report(load, names, arrivals, missing, seconds) {
  const deliveries = [...arrivals.values()].flat().length;
  const phantoms = [...arrivals.keys()].filter((name) => !names.has(name));
  const broken = [...load.acknowledged].filter((name) => !names.has(name));
  const changedIds = [...arrivals.values()].filter((ids) => new Set(ids).size > 1).length;
  const rolledBack = [...load.unanswered, ...load.refused].filter((name) => !names.has(name)).length;
  const lines = {
    'kills of the server': counts.server,
    'kills of the database': counts.database,
    'changes committed': names.size,
    'of them without an answer to the client': [...load.unanswered].filter((name) => names.has(name)).length,
    'changes rolled back or refused': rolledBack,
    'acknowledged but not there': broken.length,
    'committed but never arrived': missing.length,
    'arrived but never committed': phantoms.length,
    'repeated deliveries': deliveries - arrivals.size,
    'repeated under another id': changedIds,
    seconds: Math.round(seconds),
    seed: values.seed,
  };
  for (const [name, value] of Object.entries(lines)) console.log(`${name.padEnd(42)}${value}`);
  const failed = broken.length + missing.length + phantoms.length + changedIds > 0 || names.size === 0;
  console.log(failed ? '0 passed, 1 failed' : '1 passed, 0 failed');
  return failed;
}

if (values.cli === undefined) {
  const built = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs')], { stdio: 'inherit' });
  if (built.status !== 0) process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'cairn-chaos-'));
chmodSync(folder, 0o711); // as root, the database's own user passes here
const begin = performance.now();
const receiver = await startReceiver();
const server = await KillableServer.on(values.cli ?? join(root, 'dist', 'cli.js'), folder);
let failed = true;
try {
  const { headers, projectId } = await setUp(server, receiver);
  const load = new Load(server.url, headers, projectId, WRITERS);
  try {
    await killAtRandomMoments(server);
  } finally {
    await load.stop();
  }
  const names = await committed(server.url, headers);
  const missing = await arrived(names, receiver.arrivals);
  failed = report(load, names, receiver.arrivals, missing, (performance.now() - begin) / 1000);
} finally {
  await server.stop();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
