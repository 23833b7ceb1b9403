// npm run test:chaos: kills the server and its database at random moments under load, and counts the arrivals. Clients save
// annotations, leave before half of the responses, and repeat every save until they know its outcome.
//   --servers N    number of servers; two or more are behind HAProxy (default 1, which also does the background work)
//   --workers N    number of workers beside two or more servers (default 2)
//   --server N     kills of a server or worker process (default 6)
//   --database N   kills of the database (default 2)
//   --uploads      also create tasks from images and upload assets, and check that none is lost
//   --media        the same, and keep all files in an S3 bucket; each of several servers and workers has a data folder of its own
//   --seed N       of the random moments (default: the time)
// A listener of an extension fails at every tenth new task. What is in quarantine is retried at the end.
// Finally, it kills the server during a delivery, and reports how long after the restart the delivery arrives.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Load } from './load.mjs';
import { MediaLoad } from './media.mjs';
import { BalancedInstallation, HAPROXY } from './installation.mjs';
import { report } from './report.mjs';
import { aboutListener } from './listener.mjs';
import { HELD, startReceiver } from './receiver.mjs';
import { RepeatedSaves } from './saves.mjs';
import { ADMIN, KillableServer } from './server.mjs';
import { aboutBatches, aboutTasks, disorder } from './verdict.mjs';

const root = join(import.meta.dirname, '..', '..');
const WRITERS = 4;
const MEDIA_WRITERS = 2;
/** The pause before a database is started again doubles with each crash in a minute, so one run of the server gets no more. */
const DATABASE_DEATHS_IN_A_LIFE = 3;
const DRAIN_MS = 180_000;

const { values } = parseArgs({
  options: {
    servers: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    server: { type: 'string', default: '6' },
    database: { type: 'string', default: '2' },
    uploads: { type: 'boolean', default: false },
    media: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    cli: { type: 'string' },
  },
});
const counts = { server: count('server'), database: count('database') };
const processes = { servers: count('servers'), workers: count('workers') };
const isBalanced = processes.servers > 1;
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

/** Ids of all existing tasks of a project, by name. */
async function committed(url, headers, projectId) {
  const names = new Map();
  for (let next = `${url}/api/tasks?page_size=500&project_id=${projectId}`; next !== null;) {
    const page = await call(next, 'GET', headers);
    for (const task of page.results) names.set(task.name, task.id);
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

/**
 * The calm after every so many kills. A server needs some seconds to notice that the one before it has died, so that no
 * save or request that died with it comes to an end while servers live for a second only.
 */
const KILLS_BEFORE_CALM = 20;
const CALM_MS = 6_000;

async function killAtRandomMoments(server) {
  let deaths = 0;
  for (const [index, kill] of plan().entries()) {
    if (index > 0 && index % KILLS_BEFORE_CALM === 0) await pause(CALM_MS);
    await pause(50 + random() * (isBalanced ? 2950 : 950));
    if (kill === 'server') {
      await server.killOne(random);
      await server.start();
      if (!isBalanced) deaths = 0; // of several servers, none runs the database
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
  const guide = await post('guides', { project_id: saved.id });
  return { headers, token: key, projectId: project.id, saved, guideId: guide.id };
}

/**
 * Starts an S3 server, which is not killed. @returns the settings of a server that stores its files there; undefined if
 * no S3 server is installed
 */
async function startBucket() {
  await import('../runner/typescript-hooks.js');
  const { findProgram } = await import('../external/support/programs.ts');
  if (findProgram('moto_server') === null) return undefined;
  const { startS3 } = await import('../external/support/s3-server.ts');
  const s3 = await startS3();
  const settings = { ...(await s3.settings('chaos')), MEDIA_TIMEOUT_MS: '10000' };
  return { settings, stop: () => s3.stop() };
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

if (isBalanced && HAPROXY === undefined) {
  console.log('Skipped: HAProxy is not installed (Debian: apt-get install haproxy).');
  process.exit(0);
}
const s3 = values.media ? await startBucket() : null;
if (s3 === undefined) {
  console.log('Skipped: moto_server is not installed (.ci/install-servers installs it).');
  process.exit(0);
}
if (values.cli === undefined) {
  const built = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs')], { stdio: 'inherit' });
  if (built.status !== 0) process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'cairn-chaos-'));
chmodSync(folder, 0o711); // as root, the database's own user passes here
const begin = performance.now();
const receiver = await startReceiver();
const cli = resolve(values.cli ?? join(root, 'dist', 'cli.js'));
const bucket = s3?.settings ?? null;
const server = await (isBalanced
  ? BalancedInstallation.on(cli, folder, { ...processes, bucket })
  : KillableServer.on(cli, folder, bucket ?? {}));
let failed = true;
try {
  const { headers, token, projectId, saved, guideId } = await setUp(server, receiver);
  const load = new Load(server.url, headers, projectId, saved.id, WRITERS);
  const media = new MediaLoad(
    server.url,
    token,
    { project: saved.id, guide: guideId },
    values.uploads || values.media ? MEDIA_WRITERS : 0,
  );
  const saves = await RepeatedSaves.start(server.url, headers, generator(count('seed') + 1));
  try {
    await killAtRandomMoments(server);
  } finally {
    await Promise.all([load.stop(), media.stop(), saves.stop()]);
  }
  const names = await committed(server.url, headers, projectId);
  const savedNow = await call(`${server.url}/api/projects/${saved.id}`, 'GET', headers);
  const seen = await allArrived(() => ({
    plain: aboutTasks(receiver.of('/plain'), names),
    ordered: {
      ...aboutTasks(receiver.of('/ordered'), names),
      disorder: disorder(receiver.of('/ordered'), load.unanswered),
    },
    batch: aboutBatches(receiver.of('/batch'), saved, savedNow),
  }));
  const listener = await aboutListener(server, headers, names, load.unanswered, DRAIN_MS);
  const lost = [...(await media.losses()), ...(await saves.losses())];
  const inFlight = await redeliveredAfterKill(server, receiver, headers);
  const seconds = (performance.now() - begin) / 1000;
  const settings = { ...processes, isBalanced, counts, place: values.media ? 'bucket' : 'folder', seed: values.seed };
  failed = report(settings, load, names, { ...seen, listener }, { media, saves, lost }, { seconds, inFlight });
} finally {
  await server.stop();
  await s3?.stop();
  receiver.close();
  if (failed) console.log(`The logs of the processes are in ${folder}.`);
  else rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
