// npm run bench:annotators: simulated annotators with real pauses against a real server. It measures the processor time of
// one annotator, and compares it with the load model of docs/scale.md: the costs of single steps, measured one after the
// other, times their numbers in an hour.
//
//   npm run bench:annotators -- --annotators 10,100,500 --seconds 120
//   npm run bench:annotators -- --speed 10          pauses of a tenth: the requests of ten times as many annotators

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { Agent } from 'undici';
import { createTask } from '../web/test/annotated-task.mjs';
import { caller } from './api.mjs';
import { startProgram } from './child.mjs';
import { percentile } from './measure.mjs';
import { photographs } from './photographs.mjs';
import { processorTime } from './processor-time.mjs';
import { databaseOnServer, residentMemory, startCairn } from './server.mjs';

/** How an annotator works, in the editor as docs/scale.md records it. */
const WORK = {
  frames: 50,
  framesPerChunk: 36,
  secondsPerFrame: 45,
  objectsPerFrame: 8,
  autosaveSeconds: 30,
  reportSeconds: 60,
  /** Messages about drawing and about changes of frames. */
  eventsPerReport: 12,
};
const JOBS_PER_TASK = 50;
const ACCOUNTS_AT_ONCE = 8;
/** Opening a job reads megabytes, so people begin one after the other. */
const OPEN_EVERY_MS = 750;
const CALIBRATION_ROUNDS = 40;
const CALIBRATION_LANES = 2;
const WARM_UP_ROUNDS = 10;
const SETTLE_MS = 3_000;

const { values } = parseArgs({
  options: {
    annotators: { type: 'string', default: '10,100,500' },
    seconds: { type: 'string', default: '120' },
    speed: { type: 'string', default: '1' },
    cli: { type: 'string' },
    out: { type: 'string' },
  },
});
const counts = values.annotators.split(',').map(Number);
const [seconds, speed] = [Number(values.seconds), Number(values.speed)];
const cli = resolve(values.cli ?? join(import.meta.dirname, '..', 'dist', 'cli.js'));
const say = (text) => console.error(text);

const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-annotators-'));
const stops = [() => rm(folder, { recursive: true, force: true })];
const clean = async () => {
  for (const stop of stops.reverse()) await stop();
};
process.once('SIGINT', () => void clean().finally(() => process.exit(130)));
async function main() {
  const database = await startDatabase();
  const server = await startCairn({
    cli,
    folder,
    settings: {
      DATABASE_URL: database.url,
      ANONYMOUS_PER_MINUTE: '1000000',
      EVENT_STREAMS: '100000',
      DATABASE_POOL_SIZE: '10',
    },
  });
  stops.push(server.stop);
  const place = await seed(server, database);
  const model = await calibrate(place);
  const results = [];
  for (const count of counts) results.push(await simulate(place, count, model));
  await place.client.query('analyze');
  const sizes = await rowSizes(place.client);
  print(model, results, sizes);
  if (values.out !== undefined)
    await writeFile(values.out, JSON.stringify({ work: WORK, model, results, sizes }, null, 2));
}

/** The server of BENCH_DATABASE_URL, or PostgreSQL as Cairn runs it. */
async function startDatabase() {
  const { url, stop } = (await databaseOnServer()) ?? (await startEmbedded());
  stops.push(stop);
  const client = new Client({ connectionString: url });
  await client.connect();
  stops.push(() => client.end());
  const { rows } = await client.query('select pg_backend_pid() as pid');
  // Statistics of statements need the extension, a setting of the server and a superuser.
  const hasStatements = await client
    .query('create extension if not exists pg_stat_statements')
    .then(() => client.query('select from pg_stat_statements limit 1'))
    .then(() => true)
    .catch(() => false);
  return { url, client, postmaster: parentOf(rows[0].pid), hasStatements };
}

async function startEmbedded() {
  const module = join(dirname(cli), 'core', 'database', 'embedded', 'start-embedded.js');
  const embedded = await import(pathToFileURL(module).href);
  const silent = { info() {}, warn() {}, error() {} };
  return embedded.startEmbedded({ dataDir: join(folder, 'data'), log: silent });
}

/** The process whose children are the connections. */
function parentOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

/** Tasks of photographs, and a job and an account for every annotator. */
async function seed(server, database) {
  const { client } = database;
  const call = await caller(server.url);
  const receiver = startProgram('receiver');
  stops.push(() => receiver.stop());
  const project = await call('POST', '/projects', { name: 'Simulation', labels: [{ name: 'car' }] });
  await call('POST', '/webhooks', {
    target_url: `${await receiver.call('start')}/cairn`,
    type: 'project',
    project_id: project.id,
    events: ['update:job', 'update:task', 'update:annotations'],
  });
  const most = Math.max(...counts, CALIBRATION_LANES);
  const files = await photographs(WORK.frames, say);
  const jobs = [];
  for (let task = 0; task < Math.ceil(most / JOBS_PER_TASK); task += 1) {
    const more = { name: `Street ${task}`, project_id: project.id, labels: undefined };
    const { taskId, jobId } = await createTask(call, { url: server.url, key: call.key }, files, more);
    jobs.push(...(await moreJobs(client, taskId, jobId)).map((id) => ({ id, taskId })));
  }
  const { results: labels } = await call('GET', `/labels?project_id=${project.id}`);
  const annotators = [];
  for (let first = 0; first < most; first += ACCOUNTS_AT_ONCE) {
    const batch = Array.from({ length: Math.min(ACCOUNTS_AT_ONCE, most - first) }, (_, index) =>
      account(server, first + index, jobs[first + index], labels[0].id),
    );
    annotators.push(...(await Promise.all(batch)));
  }
  await client.query(
    `update job set assignee_id = app_user.id from app_user, unnest($1::int[], $2::text[]) as given(job, name)
     where job.id = given.job and username = given.name`,
    [annotators.map(({ job }) => job.id), annotators.map(({ username }) => username)],
  );
  await client.query('analyze');
  say(`${annotators.length} accounts and jobs, ${jobs.length / JOBS_PER_TASK} tasks`);
  return { server, database, client, receiver, annotators };
}

/** Gives a task further jobs with the frames of its first one. */
async function moreJobs(client, taskId, jobId) {
  await client.query(
    `with part as (
       insert into segment (task_id, start_frame, stop_frame, chunks_updated_date)
       select $1, start_frame, stop_frame, chunks_updated_date from segment
         cross join generate_series(2, $2::int) where id = (select segment_id from job where id = $3) returning id
     )
     insert into job (segment_id, task_id, created_date, updated_date) select id, $1, now(), now() from part`,
    [taskId, JOBS_PER_TASK, jobId],
  );
  const { rows } = await client.query('select id from job where task_id = $1 order by id', [taskId]);
  return rows.map(({ id }) => id);
}

async function account({ url }, index, job, label) {
  const [username, password] = [`annotator${index}`, 'stones piled high'];
  const body = { username, email: `${username}@example.org`, password1: password, password2: password };
  const registered = await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { key } = await registered.json();
  if (key === undefined) throw new Error(`${username} could not be registered.`);
  return { username, key, job, label };
}

/** One person with one job: what the editor sends, and how long it took. */
class Annotator {
  times = new Map();
  bytes = 0;
  requests = 0;
  /** Objects that were drawn since the last save. */
  drawn = 0;
  frame = 0;

  constructor({ server, agent }, { key, job, label }) {
    Object.assign(this, { url: server.url, agent, job, label });
    this.headers = { Authorization: `Token ${key}`, Accept: 'application/vnd.cvat+json; version=2.2' };
  }

  /** What the page of a job requests. */
  async open() {
    const { id, taskId } = this.job;
    this.frame = 0;
    await Promise.all([
      ...['/api/users/self', '/api/organizations?page_size=500&sort=name&page=1', `/api/jobs/${id}`].map((path) =>
        this.send('open', 'GET', path),
      ),
      ...[`/api/jobs/${id}/data/meta`, `/api/labels?page_size=500&job_id=${id}&page=1`, `/api/tasks/${taskId}`].map(
        (path) => this.send('open', 'GET', path),
      ),
      ...[`/api/jobs/${id}/annotations/`, `/api/issues?page_size=500&job_id=${id}&sort=id&page=1`].map((path) =>
        this.send('open', 'GET', path),
      ),
      this.send('open', 'GET', '/api/lambda/functions'),
      this.send('first frame', 'GET', `/api/jobs/${id}/data?type=frame&number=0&quality=compressed`),
      this.chunk(0),
    ]);
  }

  /** The stream of people in the job, which stays open. @returns a function that ends it */
  async attend() {
    const ending = new AbortController();
    const path = `/api/jobs/${this.job.id}/presence?window=${randomUUID()}`;
    const response = await fetch(this.url + path, {
      headers: { ...this.headers, Accept: 'text/event-stream' },
      signal: ending.signal,
      dispatcher: this.agent,
    });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    const reading = (async () => {
      for await (const chunk of response.body) this.bytes += chunk.length;
    })().catch(() => undefined);
    return async () => {
      ending.abort();
      await reading;
    };
  }

  async nextFrame() {
    this.frame = (this.frame + 1) % WORK.frames;
    if (this.frame > 0 && this.frame % WORK.framesPerChunk === 0) await this.chunk(this.frame / WORK.framesPerChunk);
  }

  chunk(index) {
    return this.send('chunk', 'GET', `/api/jobs/${this.job.id}/data?type=chunk&index=${index}&quality=compressed`);
  }

  /** The automatic save sends only what is new. Then the editor asks whether others have changed something. */
  async save() {
    if (this.drawn === 0) return;
    const shapes = Array.from({ length: this.drawn }, (_, index) => {
      const [x, y] = [40 + 90 * (index % 16), 40 + 70 * (index >> 4)];
      const points = [x, y, x + 60.5, y + 50.25];
      return {
        type: 'rectangle',
        frame: this.frame,
        label_id: this.label,
        points,
        attributes: [],
        occluded: false,
        z_order: 0,
        group: 0,
        source: 'manual',
      };
    });
    this.drawn = 0;
    await this.send('save', 'PATCH', `/api/jobs/${this.job.id}/annotations/?action=create`, {
      version: 0,
      tags: [],
      shapes,
      tracks: [],
    });
    await this.send('newer', 'GET', `/api/jobs/${this.job.id}/annotations/`);
  }

  report() {
    const timestamp = new Date().toISOString();
    const events = Array.from({ length: WORK.eventsPerReport }, () => ({
      scope: 'draw:object',
      timestamp,
      job_id: this.job.id,
      task_id: this.job.taskId,
      count: 2,
      duration: 900,
    }));
    return this.send('report', 'POST', '/api/events', { events, timestamp });
  }

  /** Completes the job and begins again, as with the next one. */
  async complete() {
    await this.send('complete', 'PATCH', `/api/jobs/${this.job.id}`, { state: 'completed' });
    await this.send('complete', 'PATCH', `/api/jobs/${this.job.id}`, { state: 'in progress' });
  }

  /** Every job begins without annotations. */
  clear() {
    return this.send('clear', 'DELETE', `/api/jobs/${this.job.id}/annotations`);
  }

  async send(kind, method, path, body) {
    const begin = performance.now();
    const headers = {
      ...this.headers,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }),
    };
    const response = await fetch(this.url + path, {
      method,
      headers,
      dispatcher: this.agent,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.bytes += (await response.arrayBuffer()).byteLength;
    // The editor also asks for the task, which assignees of jobs may not see.
    if (!response.ok && response.status !== 403) throw new Error(`${method} ${path}: ${response.status}`);
    this.requests += 1;
    this.times.set(kind, [...(this.times.get(kind) ?? []), performance.now() - begin]);
  }

  /** Works until `isOver`. Begins somewhere in the job, so that people do not open the next one at the same time. */
  async work(isOver, delay) {
    const think = (mean) => pause((1000 * mean * (0.5 + Math.random())) / speed);
    await pause(delay);
    await this.open();
    const leave = await this.attend();
    this.frame = Math.floor(Math.random() * WORK.frames);
    const timers = [
      this.every(WORK.autosaveSeconds, isOver, () => this.save()),
      this.every(WORK.reportSeconds, isOver, () => this.report()),
    ];
    while (!isOver()) {
      for (let object = 0; object < WORK.objectsPerFrame && !isOver(); object += 1) {
        await think(WORK.secondsPerFrame / WORK.objectsPerFrame);
        this.drawn += 1;
      }
      if (isOver()) break;
      await this.nextFrame();
      if (this.frame > 0) continue;
      await this.save();
      await this.complete();
      await this.clear();
      await this.open();
    }
    await Promise.all(timers);
    await leave();
  }

  async every(period, isOver, step) {
    await pause((1000 * period * Math.random()) / speed);
    while (!isOver()) {
      await step();
      await pause((1000 * period) / speed);
    }
  }
}

/** The steps of the model, and how often one annotator takes them in an hour. */
function stepsPerHour() {
  const frames = 3600 / WORK.secondsPerFrame;
  const jobs = frames / WORK.frames;
  return {
    open: jobs,
    chunk: jobs * (Math.ceil(WORK.frames / WORK.framesPerChunk) - 1),
    save: Math.min(3600 / WORK.autosaveSeconds, frames * WORK.objectsPerFrame) + jobs,
    report: 3600 / WORK.reportSeconds,
    complete: jobs,
  };
}

/** Processor time of server and database for one step of each kind, in milliseconds. */
async function calibrate(place) {
  const agent = new Agent({ connections: 8 });
  const people = place.annotators
    .slice(0, CALIBRATION_LANES)
    .map((each) => new Annotator({ server: place.server, agent }, each));
  const perSave = (WORK.objectsPerFrame * WORK.autosaveSeconds) / WORK.secondsPerFrame;
  const steps = {
    open: (one) => one.open(),
    chunk: (one) => one.chunk(1),
    save: (one) => ((one.drawn = Math.round(perSave)), one.save()),
    report: (one) => one.report(),
    complete: (one) => one.complete(),
  };
  const costs = {};
  for (const [kind, step] of Object.entries(steps)) {
    const lanes = (rounds) =>
      Promise.all(
        people.map(async (one) => {
          for (let round = 0; round < rounds; round += 1) await step(one);
        }),
      );
    await lanes(WARM_UP_ROUNDS); // also prepares the chunks
    await pause(SETTLE_MS);
    const used = await usage(place, () => lanes(CALIBRATION_ROUNDS));
    const idle = await usage(place, () => pause(used.milliseconds));
    const each = (key) => Math.max(0, (used[key] - idle[key]) / (CALIBRATION_ROUNDS * people.length));
    costs[kind] = { server: each('server'), database: each('database') };
    say(`${kind}: ${costs[kind].server.toFixed(1)} + ${costs[kind].database.toFixed(1)} ms`);
  }
  for (const one of people) await one.clear();
  await agent.close();
  const idle = await usage(place, () => pause(10_000));
  return { costs, idlePerSecond: { server: idle.server / 10, database: idle.database / 10 } };
}

/** What server and database use while `work` runs and until their background work is done. */
async function usage({ server, database }, work) {
  const look = () => ({
    server: processorTime(server.pid),
    database: processorTime(database.postmaster),
    at: performance.now(),
  });
  const before = look();
  await work();
  await pause(500);
  const after = look();
  return {
    server: after.server - before.server,
    database: after.database - before.database,
    milliseconds: after.at - before.at,
  };
}

async function simulate(place, count, model) {
  const { server, client, receiver } = place;
  const agent = new Agent({ connections: 256, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });
  const people = place.annotators.slice(0, count).map((each) => new Annotator({ server, agent: agent }, each));
  let over = false;
  const failures = [];
  const rampMs = count * OPEN_EVERY_MS;
  const working = people.map((one, index) =>
    one.work(() => over, index * OPEN_EVERY_MS).catch((error) => failures.push(error)),
  );
  await pause(rampMs + (1000 * WORK.secondsPerFrame) / speed);
  for (const one of people) Object.assign(one, { times: new Map(), bytes: 0, requests: 0 });
  await receiver.call('reset');
  if (place.database.hasStatements) await client.query('select pg_stat_statements_reset()');
  const before = await counters(client);
  const used = await usage(place, () => pause(seconds * 1000));
  const after = await counters(client);
  const [requests, bytes] = ['requests', 'bytes'].map((key) => people.reduce((sum, one) => sum + one[key], 0));
  const times = new Map();
  for (const one of people)
    for (const [kind, list] of one.times) times.set(kind, [...(times.get(kind) ?? []), ...list]);
  const statements = place.database.hasStatements ? await dominating(client) : [];
  over = true;
  await Promise.all(working);
  await agent.close();
  if (failures.length > 0) throw failures[0];
  const delta = Object.fromEntries(Object.keys(before).map((key) => [key, after[key] - before[key]]));
  const result = {
    count,
    speed,
    seconds: used.milliseconds / 1000,
    load: loadavg()[0],
    server: used.server,
    database: used.database,
    requests,
    bytes,
    ...delta,
    memory: (await residentMemory(server.pid))?.now ?? 0,
    latencies: Object.fromEntries(
      [...times].map(([kind, list]) => [kind, [0.5, 0.95, 0.99].map((share) => percentile(list, share))]),
    ),
    statements,
    predicted: predicted(model, count, used.milliseconds / 1000),
  };
  say(
    `${count} annotators: ${((used.server + used.database) / used.milliseconds).toFixed(2)} processors, predicted ${((result.predicted.server + result.predicted.database) / used.milliseconds).toFixed(2)}`,
  );
  return result;
}

/** Processor time in milliseconds that the model predicts for a time. */
function predicted({ costs, idlePerSecond }, count, time) {
  const hours = (time / 3600) * speed;
  const of = (part) =>
    idlePerSecond[part] * time +
    Object.entries(stepsPerHour()).reduce((sum, [kind, number]) => sum + count * hours * number * costs[kind][part], 0);
  return { server: of('server'), database: of('database') };
}

async function counters(client) {
  const { rows } = await client.query(`
    select (select coalesce(max(id), 0) from outbox_event)::float8 as events, (select count(*) from webhook_delivery)::float8 as deliveries,
      pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal, pg_database_size(current_database())::float8 as size,
      (select xact_commit from pg_stat_database where datname = current_database())::float8 as commits`);
  return rows[0];
}

/** Bytes per row of the tables that grow with the work, with their indexes. */
async function rowSizes(client) {
  const { rows } = await client.query(`
    select relname as table, n_live_tup::int as rows, round(pg_total_relation_size(relid) / n_live_tup)::int as bytes
    from pg_stat_user_tables where n_live_tup > 500 order by pg_total_relation_size(relid) desc`);
  return rows;
}

async function dominating(client) {
  const { rows } = await client.query(`
    select regexp_replace(left(query, 110), '\\s+', ' ', 'g') as text, calls::int, round(total_exec_time)::int as milliseconds,
      round((100 * total_exec_time / sum(total_exec_time) over ())::numeric, 1)::float8 as share
    from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
    order by total_exec_time desc limit 12`);
  return rows;
}

function print(model, results, sizes) {
  console.log(
    `\n${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}, pauses divided by ${speed}\n`,
  );
  console.log('| step | per hour | server | database |\n| --- | --- | --- | --- |');
  for (const [kind, number] of Object.entries(stepsPerHour())) {
    const { server, database } = model.costs[kind];
    console.log(`| ${kind} | ${number.toFixed(1)} | ${server.toFixed(1)} ms | ${database.toFixed(1)} ms |`);
  }
  const { server, database } = model.idlePerSecond;
  console.log(`| idle, per second | | ${server.toFixed(1)} ms | ${database.toFixed(1)} ms |`);
  const columns = [
    'annotators',
    'requests/s',
    'events/s',
    'deliveries/s',
    'commits/s',
    'processors: server',
    'database',
    'of the model',
    'per annotator',
    'received',
    'WAL/s',
    'memory',
  ];
  console.log(`\n| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}`);
  for (const one of results) {
    const [used, expected] = [one.server + one.database, one.predicted.server + one.predicted.database];
    const perHour = (used / one.count / one.seconds / speed) * 3.6;
    const per = (value) => (value / one.seconds).toFixed(1);
    console.log(
      `| ${[one.count, per(one.requests), per(one.events), per(one.deliveries), per(one.commits), (one.server / one.seconds / 1000).toFixed(3), (one.database / one.seconds / 1000).toFixed(3), `${Math.round((100 * used) / expected)} %`, `${perHour.toFixed(1)} s/h`, `${(one.bytes / one.seconds / 1e6).toFixed(2)} MB/s`, `${(one.wal / one.seconds / 1e3).toFixed(0)} kB`, `${Math.round(one.memory / 1e6)} MB`].join(' | ')} |`,
    );
  }
  console.log('\n| annotators | step | median | 95 % | 99 % |\n| --- | --- | --- | --- | --- |');
  for (const { count, latencies } of results)
    for (const [kind, list] of Object.entries(latencies))
      console.log(`| ${count} | ${kind} | ${list.map((value) => `${value.toFixed(1)} ms`).join(' | ')} |`);
  console.log('\n| table | rows | bytes per row, with indexes |\n| --- | --- | --- |');
  for (const { table, rows, bytes } of sizes) console.log(`| ${table} | ${rows} | ${bytes} |`);
  if (results.at(-1).statements.length === 0) return;
  console.log('\n| statement | calls | time | share |\n| --- | --- | --- | --- |');
  for (const { text, calls, milliseconds, share } of results.at(-1).statements)
    console.log(`| ${text} | ${calls} | ${milliseconds} ms | ${share} % |`);
}

try {
  await main();
} finally {
  await clean();
}
