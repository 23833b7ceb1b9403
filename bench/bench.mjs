// npm run bench: the server's throughput, compared with baselines that do the same work in the same run.
//
//   npm run bench -- --quick                 under a minute, rough
//   npm run bench -- --only requests,webhooks
//   npm run bench -- --only exports --formats 'COCO|YOLO 1.1'
//
// docs/benchmarks.md explains how each number is measured.

import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { logIn } from './api.mjs';
import { startProgram } from './child.mjs';
import { circumstances, machine, replaceRun, table, writeResults } from './report.mjs';
import { annotations } from './sections/annotations.mjs';
import { background } from './sections/background.mjs';
import { eventSink } from './sections/event-sink.mjs';
import { exports } from './sections/exports.mjs';
import { functions } from './sections/functions.mjs';
import { million, millionFormats } from './sections/million.mjs';
import { preparation } from './sections/preparation.mjs';
import { processes } from './sections/processes.mjs';
import { quality } from './sections/quality.mjs';
import { requests } from './sections/requests.mjs';
import { sources, upload } from './sections/sources.mjs';
import { startup } from './sections/startup.mjs';
import { taskData } from './sections/task-data.mjs';
import { tracing } from './sections/tracing.mjs';
import { video } from './sections/video.mjs';
import { webhookChanges } from './sections/webhook-changes.mjs';
import { webhookLatency } from './sections/webhook-latency.mjs';
import { webhookNeighbours } from './sections/webhook-neighbours.mjs';
import { webhooks } from './sections/webhooks.mjs';
import { workloads } from './sections/workloads.mjs';
import { worstBodies } from './sections/worst-bodies.mjs';
import { worstFiles } from './sections/worst-files.mjs';
import { seed } from './seed.mjs';
import { withTestDatabase } from './workplace.mjs';

/**
 * The parameters of a section.
 *
 * @typedef {object} Run
 * @property {string} cli path of the server's command line
 * @property {typeof FULL & {formats: RegExp}} plan
 * @property {(text: string) => void} say progress
 * @property {Awaited<ReturnType<typeof logIn>>} api of the running server
 * @property {string} databaseUrl of the running server
 * @property {Awaited<ReturnType<typeof seed>>} seeded
 * @property {ReturnType<typeof startProgram>} client the process that generates load
 */

const FULL = {
  idleSeconds: 10,
  warmUpSeconds: 2,
  roundSeconds: 0.7,
  rounds: 7,
  tasks: 200,
  jobsPerTask: 5,
  photographs: [
    { count: 100, rounds: 3, goal: 0.6 },
    { count: 500, rounds: 3, goal: 0.85 },
    { count: 72, rounds: 1, noise: 10 },
  ],
  exports: { photographs: 1_000, rounds: 3 },
  preparation: 1_000,
  preparations: 5,
  rectangles: [
    { count: 10_000, rounds: 3 },
    { count: 100_000, rounds: 2 },
  ],
  shapes: 1_000_000,
  videoFrames: 101,
  changes: 2_000,
  changesAlone: 200,
  changeRounds: 3,
  deliveries: 100_000,
  events: 50_000,
  pending: 1_000_000,
  latencySeconds: 20,
  neighbourSeconds: 20,
  shared: 100_000,
  archived: 20_000,
  uploadBytes: 5e9,
  bodyBytes: 50e6,
  burnSeconds: 30,
  quality: { frames: 1_000, rounds: 3, matrix: 1_000, canvases: { frames: 3, shapes: 30 } },
  functions: { frames: 1_000, rounds: 3 },
};

const QUICK = {
  ...FULL,
  idleSeconds: 3,
  warmUpSeconds: 0.3,
  roundSeconds: 0.3,
  rounds: 3,
  tasks: 50,
  photographs: [
    { count: 24, rounds: 2, goal: 0.6 },
    { count: 14, rounds: 1, noise: 10 },
  ],
  exports: { photographs: 100, rounds: 2 },
  preparation: 100,
  preparations: 2,
  rectangles: [{ count: 10_000, rounds: 2 }],
  shapes: 100_000,
  videoFrames: 21,
  changes: 300,
  changesAlone: 50,
  changeRounds: 1,
  deliveries: 5_000,
  events: 10_000,
  pending: 50_000,
  latencySeconds: 4,
  neighbourSeconds: 5,
  shared: 10_000,
  archived: 1_000,
  uploadBytes: 2e8,
  bodyBytes: 10e6,
  burnSeconds: 5,
  quality: { frames: 100, rounds: 2, matrix: 500, canvases: { frames: 1, shapes: 30 } },
  functions: { frames: 200, rounds: 2 },
};

/** In order of execution. Sections with `alone` start their own server. */
const SECTIONS = {
  startup: { measure: startup, alone: true },
  requests: { measure: requests },
  workloads: { measure: workloads },
  annotations: { measure: annotations },
  million: { measure: million, alone: true },
  'million-formats': { measure: millionFormats, alone: true },
  photographs: { measure: taskData },
  exports: { measure: exports },
  video: { measure: video },
  preparation: { measure: preparation },
  sources: { measure: sources, alone: true },
  upload: { measure: upload, alone: true },
  webhooks: { measure: webhooks, alone: true },
  'webhook-latency': { measure: webhookLatency, alone: true },
  'webhook-changes': { measure: webhookChanges, alone: true },
  'webhook-neighbours': { measure: webhookNeighbours, alone: true },
  'event-sink': { measure: eventSink, alone: true },
  'worst-bodies': { measure: worstBodies, alone: true },
  background: { measure: background, alone: true },
  'worst-files': { measure: worstFiles, alone: true },
  quality: { measure: quality, alone: true },
  functions: { measure: functions, alone: true },
  processes: { measure: processes, alone: true },
  tracing: { measure: tracing, alone: true },
};

const root = resolve(import.meta.dirname, '..');

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: Object.keys(SECTIONS).join() },
      formats: { type: 'string', default: '' },
      out: { type: 'string' },
      cli: { type: 'string' },
      document: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(`Usage: npm run bench -- [options]

  --quick        fewer and shorter rounds, under a minute
  --only NAMES   comma-separated: ${Object.keys(SECTIONS).join(', ')}
  --formats TEXT exports only formats whose name matches this regular expression, in any case
  --out FILE     the JSON with every round; by default bench/results/<date>.json
  --cli FILE     measure this build (…/dist/cli.js) instead of this checkout's
  --document     put the table into docs/benchmarks.md`);
    process.exit(0);
  }
  const names = values.only.split(',');
  const unknown = names.filter((name) => !Object.hasOwn(SECTIONS, name));
  if (unknown.length > 0)
    throw new Error(`There is no benchmark "${unknown[0]}", only ${Object.keys(SECTIONS).join(', ')}.`);
  const results = join(root, 'bench', 'results', `${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
  const plan = { ...(values.quick ? QUICK : FULL), formats: new RegExp(values.formats, 'i') };
  return { ...values, names, out: resolve(values.out ?? results), plan };
}

async function main() {
  const { cli: other, names, out, plan, quick, document } = readOptions();
  const where = machine();
  const begin = performance.now();
  const say = (text) => console.error(`${((performance.now() - begin) / 1000).toFixed(0).padStart(4)} s  ${text}`);
  const cli = other === undefined ? build() : resolve(other);
  const lines = [];
  const failures = [];
  const measure = async (name, run) => {
    say(`— ${name}`);
    try {
      lines.push(...(await SECTIONS[name].measure(run)).map((entry) => ({ section: name, ...entry })));
    } catch (error) {
      failures.push(name);
      console.error(error); // the other sections still run
    }
  };
  const basic = { cli, plan, say };
  const shared = names.filter((name) => !SECTIONS[name].alone);
  if (shared.length > 0) {
    await withServer(basic, async (run) => {
      for (const name of shared) await measure(name, run);
    });
  }
  for (const name of names) if (SECTIONS[name].alone) await measure(name, basic);
  const seconds = Math.round((performance.now() - begin) / 1000);
  await writeResults(out, { machine: where, quick, seconds, lines });
  console.log(`\n${circumstances(where)}\n\n${table(lines)}\n\n${seconds} s in all; every round is in ${out}`);
  if (document) await replaceRun(join(root, 'docs', 'benchmarks.md'), `${circumstances(where)}\n\n${table(lines)}`);
  if (failures.length > 0) throw new Error(`Not measured: ${failures.join(', ')}.`);
}

function build() {
  const result = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs')], { stdio: 'inherit' });
  if (result.status !== 0) throw new Error('The build failed.');
  return join(root, 'dist', 'cli.js');
}

/** Starts a server with seeded rows and a process that generates load. */
function withServer({ cli, plan, say }, use) {
  return withTestDatabase(cli, async ({ start, database }) => {
    const server = await start();
    const { url: databaseUrl } = await database();
    const api = await logIn(server.url);
    const seeded = await seed(api, databaseUrl, plan);
    say(`seeded ${seeded.tasks.length} tasks and ${seeded.jobs.length} jobs`);
    const client = startProgram('client');
    try {
      await use({ cli, plan, say, api, databaseUrl, seeded, client });
    } finally {
      await client.stop();
    }
  });
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
