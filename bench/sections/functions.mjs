// Functions of agents: how many frames per second the official client annotates with a function that takes no time, and
// the processor time of an idle server with 100 waiting agents.

import { spawn } from 'node:child_process';
import { get } from 'node:http';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { installedClients } from '../../test/clients/python.mjs';
import { logIn } from '../api.mjs';
import { startProgram } from '../child.mjs';
import { line } from '../measure.mjs';
import { processorTime } from '../processor-time.mjs';
import { ADMIN } from '../server.mjs';
import { withTestDatabase } from '../workplace.mjs';

const CLIENTS = fileURLToPath(new URL('../../test/clients/', import.meta.url));
const DETECTOR = fileURLToPath(new URL('../programs/instant_detector.py', import.meta.url));
const SIZE = { width: 320, height: 240 };
const BOXES = 20;
const FRAMES_PER_SECOND = 200;
const AGENTS = 100;
/** What they may cost: a hundredth of a processor. */
const MAX_IDLE_MS = 10;
const POLL_MS = 20;

/** @param {import('../bench.mjs').Run} run */
export function functions({ cli, plan, say }) {
  return withTestDatabase(cli, async ({ start }) => {
    const server = await start(undefined, { AGENT_STREAMS_PER_USER: String(2 * AGENTS) });
    const api = await logIn(server.url);
    const spec = { kind: 'detector', labels_v2: [{ name: 'car', type: 'rectangle', attributes: [] }] };
    const { id } = await api.post('/api/functions', { provider: 'native', name: 'instant', ...spec });
    const lines = [];
    const python = installedClients(CLIENTS);
    if (python === undefined) say('the official client is not installed: run `npm run test:clients` once');
    else lines.push(await annotated({ api, server, python, id, plan, say }));
    lines.push(await idle({ api, server, id, plan, say }));
    return lines;
  });
}

/** The time from the request to the saved annotations. */
async function annotated({ api, server, python, id, plan, say }) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-functions-'));
  const environment = { ...process.env, HOME: folder, PASS: ADMIN.password, PYTHONDONTWRITEBYTECODE: '1' };
  const common = ['-m', 'cvat_cli', '--server-host', server.url, '--auth', ADMIN.username];
  const agent = spawn(python, [...common, 'function', 'run-agent', String(id), '--function-file', DETECTOR], {
    env: environment,
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => agent.once('exit', resolve));
  try {
    const { frames, rounds } = plan.functions;
    const task = await taskOf({ api, folder, frames });
    while (!(await api.get(`/api/functions/${id}`)).has_agent) await pause(POLL_MS);
    const rates = [];
    for (let round = 0; round < rounds; round += 1) rates.push(frames / (await annotate(api, id, task)));
    const { shapes } = await api.get(`/api/tasks/${task}/annotations`);
    if (shapes.length !== frames * BOXES) throw new Error(`There are ${shapes.length} boxes.`);
    say(`${rates.map((rate) => rate.toFixed(0)).join(', ')} frames/s`);
    const name = `an agent annotates ${frames.toLocaleString('en')} images of ${SIZE.width}×${SIZE.height} with ${BOXES} boxes each`;
    return line({ name, unit: 'frames/s', cairn: rates, goal: FRAMES_PER_SECOND, remark: 'agent included' });
  } finally {
    agent.kill('SIGINT'); // so that it ends its worker process
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the time in seconds */
async function annotate(api, id, task) {
  const begin = performance.now();
  let request = await api.post('/api/lambda/requests', { function: String(id), task, cleanup: true });
  while (request.status === 'queued' || request.status === 'started') {
    await pause(POLL_MS);
    request = await api.get(`/api/lambda/requests/${encodeURIComponent(request.id)}`);
  }
  if (request.status !== 'finished') throw new Error(`The request has failed: ${request.exc_info}`);
  return (performance.now() - begin) / 1000;
}

/** A task of small images, each of one colour. */
async function taskOf({ api, folder, frames }) {
  const images = join(folder, 'images');
  await mkdir(images);
  const files = await Promise.all(
    Array.from({ length: frames }, async (_, number) => {
      const background = { r: number % 256, g: (number >> 3) % 256, b: 80 };
      const file = join(images, `${String(number).padStart(5, '0')}.jpg`);
      await writeFile(
        file,
        await sharp({ create: { ...SIZE, channels: 3, background } })
          .jpeg()
          .toBuffer(),
      );
      return file;
    }),
  );
  const { id: task } = await api.post('/api/tasks', {
    name: 'functions',
    labels: [{ name: 'car', type: 'rectangle' }],
  });
  const client = startProgram('client');
  try {
    await client.call('upload', { base: api.url, headers: api.headers, task, files, quality: 70 });
  } finally {
    await client.stop();
  }
  return task;
}

/** Processor time per second of the idle server and its database, with waiting agents and without. */
async function idle({ api, server, id, plan, say }) {
  const alone = await processorShare(server.pid, plan.idleSeconds);
  const streams = await Promise.all(Array.from({ length: AGENTS }, () => waiting(api, id)));
  await pause(2_000);
  const waited = await processorShare(server.pid, plan.idleSeconds);
  for (const stream of streams) stream.destroy();
  say(`idle: ${alone.toFixed(1)} ms/s, with ${AGENTS} agents ${waited.toFixed(1)} ms/s`);
  return line({
    name: `${AGENTS} waiting agents: additional processor time of an idle server per second`,
    unit: 'ms',
    cairn: [Math.max(0, waited - alone)],
    goal: MAX_IDLE_MS,
    remark: `without agents ${alone.toFixed(1)} ms`,
  });
}

async function processorShare(pid, seconds) {
  const before = processorTime(pid);
  await pause(seconds * 1000);
  return (processorTime(pid) - before) / seconds;
}

/** The stream of an agent. */
const waiting = (api, id) =>
  new Promise((resolve, reject) => {
    const { Authorization } = api.headers;
    get(`${api.url}/api/functions/queues/function%3A${id}/watch`, { headers: { Authorization } }, (response) => {
      response.resume().on('error', () => undefined);
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`A stream was answered with ${response.statusCode}.`));
    }).on('error', reject);
  });
