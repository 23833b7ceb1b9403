// npm run test:chaos: kills the server and its database at random moments under load, and counts the arrivals.
//   --server N     kills of the server process (default 6)
//   --database N   kills of the database (default 2)
//   --seed N       of the random moments (default: the time)
// Finally, it kills the server during a delivery, and reports how long after the restart the delivery arrives.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Load } from './load.mjs';
import { HELD, startReceiver } from './receiver.mjs';
import { ADMIN, KillableServer } from './server.mjs';
import { aboutBatches, aboutTasks, disorder } from './verdict.mjs';

const root = join(import.meta.dirname, '..', '..');
const WRITERS = 4;
/** A server gives up on its database after six crashes in a minute, so one run of the server gets no more than this. */
const DATABASE_DEATHS_IN_A_LIFE = 3;
const DRAIN_MS = 180_000;
/**
 * Leases of a dead process are free within 5 s of a restart. The rest is for a machine that is busy with other work.
 */
const MOST_SECONDS_IN_FLIGHT = 10;

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

/** Reproducible random numbers from 0 to 1 (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function call(url, method, headers, body) {
  const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Names of all existing tasks. */
async function committed(url, headers) {
  const names = new Set();
  for (let next = `${url}/api/tasks?page_size=500`; next !== null;) {
    const page = await call(next, 'GET', headers);
    for (const task of page.results) names.add(task.name);
    next = page.next;
  }
  return names;
}

/** The kills in a random order that the seed determines. */
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

/**
 * Creates a project for new tasks, with a plain and an ordered webhook, and a project to save, with a batching webhook.
 */
async function setUp(server, receiver) {
  const json = { 'Content-Type': 'application/json', Accept: 'application/vnd.cvat+json; version=2.2' };
  const { key } = await call(`${server.url}/api/auth/login`, 'POST', json, ADMIN);
  const headers = { ...json, Authorization: `Token ${key}` };
  const post = (path, body) => call(`${server.url}/api/${path}`, 'POST', headers, body);
  const project = await post('projects', { name: 'chaos', labels: [{ name: 'car' }] });
  const saved = await post('projects', { name: 'saved' });
  const hook = (path, { id }, events, more) =>
    post('webhooks', { target_url: receiver.url + path, type: 'project', project_id: id, events, ...more });
  await hook('/plain', project, ['create:task'], {});
  await hook('/ordered', project, ['create:task'], { ordered: true });
  await hook('/batch', saved, ['update:project'], { batch_window: 1, api_version: '2.1' });
  return { headers, projectId: project.id, saved };
}

/** Waits until everything that exists has been delivered, or until the timeout. */
async function allArrived(look) {
  const deadline = performance.now() + DRAIN_MS;
  const isThere = ({ plain, ordered, batch }) => plain.missing + ordered.missing === 0 && batch.isNewest;
  for (;;) {
    const seen = look();
    if (isThere(seen) || performance.now() > deadline) return seen;
    await pause(100);
  }
}

/** @returns the seconds from a healthy server until a delivery that was in flight at the kill arrives again */
async function redeliveredAfterKill(server, receiver, headers) {
  const post = (path, body) => call(`${server.url}/api/${path}`, 'POST', headers, body);
  const { id } = await post('projects', { name: 'held' });
  const hook = { target_url: receiver.url + HELD, type: 'project', project_id: id, events: ['create:task'] };
  await post('webhooks', hook);
  await post('tasks', { name: 'held', project_id: id });
  const arrived = async (count) => {
    const deadline = performance.now() + DRAIN_MS;
    while (receiver.of(HELD).length < count && performance.now() < deadline) await pause(5);
  };
  await arrived(1);
  await server.kill();
  await server.start();
  const begin = performance.now();
  await arrived(2);
  const [first, second] = receiver.of(HELD);
  return first !== undefined && first.id === second?.id ? (performance.now() - begin) / 1000 : Infinity;
}

function report(load, names, { plain, ordered, batch }, { seconds, inFlight }) {
  const broken = [...load.acknowledged].filter((name) => !names.has(name)).length;
  const rolledBack = [...load.unanswered, ...load.refused].filter((name) => !names.has(name)).length;
  const lines = {
    'kills of the server': counts.server,
    'kills of the database': counts.database,
    'changes committed': names.size,
    'of them without a response to the client': [...load.unanswered].filter((name) => names.has(name)).length,
    'changes rolled back or refused': rolledBack,
    'acknowledged but not there': broken,
    'committed but never arrived': plain.missing,
    'arrived but never committed': plain.phantoms,
    'repeated deliveries': plain.repeated,
    'sent under two ids': plain.otherIds,
    'ordered: never arrived': ordered.missing,
    'ordered: never committed': ordered.phantoms,
    'ordered: repeated deliveries': ordered.repeated,
    'ordered: sent under two ids': ordered.otherIds,
    'ordered: out of order': ordered.disorder,
    'batches: saves and changes with a response': load.saved,
    'batches: deliveries': batch.deliveries,
    'batches: changes without a delivery': batch.gaps,
    'batches: the newest state arrived': batch.isNewest ? 'yes' : 'no',
    'batches: repeated deliveries': batch.repeated,
    'seconds until one in flight arrived': inFlight.toFixed(1),
    seconds: Math.round(seconds),
    seed: values.seed,
  };
  for (const [name, value] of Object.entries(lines)) console.log(`${name.padEnd(42)}${value}`);
  const wrong = [plain, ordered].map((all) => all.missing + all.phantoms + all.otherIds);
  const isWrong = broken + wrong[0] + wrong[1] + ordered.disorder + batch.gaps > 0 || !batch.isNewest;
  const failed = isWrong || names.size === 0 || batch.deliveries === 0 || inFlight > MOST_SECONDS_IN_FLIGHT;
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
const server = await KillableServer.on(resolve(values.cli ?? join(root, 'dist', 'cli.js')), folder);
let failed = true;
try {
  const { headers, projectId, saved } = await setUp(server, receiver);
  const load = new Load(server.url, headers, projectId, saved.id, WRITERS);
  try {
    await killAtRandomMoments(server);
  } finally {
    await load.stop();
  }
  const names = await committed(server.url, headers);
  const savedNow = await call(`${server.url}/api/projects/${saved.id}`, 'GET', headers);
  const seen = await allArrived(() => ({
    plain: aboutTasks(receiver.of('/plain'), names),
    ordered: {
      ...aboutTasks(receiver.of('/ordered'), names),
      disorder: disorder(receiver.of('/ordered'), load.unanswered),
    },
    batch: aboutBatches(receiver.of('/batch'), saved, savedNow),
  }));
  const inFlight = await redeliveredAfterKill(server, receiver, headers);
  failed = report(load, names, seen, { seconds: (performance.now() - begin) / 1000, inFlight });
} finally {
  await server.stop();
  receiver.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
