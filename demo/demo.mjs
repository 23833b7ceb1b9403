// The main workflow: upload photographs, annotate them, and receive signed webhooks.
//
//   npm run demo                                                     with a temporary server
//   npm run demo -- --url http://localhost:8080 --user admin --password …     with a running server
//
// It is written to be read: all API requests are below.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startTemporaryServer } from '../tools/temporary-server.mjs';
import { ApiClient } from './api-client.mjs';
import { labels, readPhotographs, toAnnotations } from './photographs.mjs';
import { WebhookReceiver } from './webhook-receiver.mjs';

const PROCESSING_TIMEOUT_MS = 120_000;
const HELP = `Usage: npm run demo [-- --url URL --user NAME --password PASSWORD]

Without --url a temporary server is started and removed afterwards. A server given with --url must run on
this computer and be allowed to send webhooks to it (WEBHOOK_ALLOW_PRIVATE=true).
`;

const steps = [];

/** Runs one step and prints its result and duration. `work` returns the text to print and the results. */
async function step(title, work) {
  const start = performance.now();
  try {
    const { done, ...results } = await work();
    const ms = performance.now() - start;
    steps.push({ title, done, ms });
    console.log(`${String(steps.length).padStart(2)}. ${title}\n    ${done} (${ms.toFixed(0)} ms)`);
    return results;
  } catch (error) {
    throw new Error(`Step "${title}" failed: ${error.message}`, { cause: error });
  }
}

/** @throws Error with `sentence` if `fact` is false */
function expect(fact, sentence) {
  if (!fact) throw new Error(sentence);
}

async function main() {
  const options = readOptions();
  const secret = randomBytes(16).toString('hex');
  const receiver = new WebhookReceiver(secret);
  const cleanUps = [];
  try {
    const server = await reachServer(options, cleanUps);
    const api = new ApiClient(server.url);
    const photographs = await readPhotographs();

    await logIn(api, server);
    const { project } = await createProject(api, cleanUps);
    const { webhook } = await subscribe(api, project, receiver, secret, cleanUps);
    const { task } = await createTask(api, project, photographs);
    const { jobs } = await readTask(api, task, receiver);
    await readMedia(api, task, photographs);
    await annotate(api, project, jobs, photographs);
    const { arrival } = await finishJob(api, jobs[0], receiver);
    await checkDeliveries(api, webhook, receiver);

    printTable();
    console.log(`\nThe last webhook delivery has ${arrival.bytes.length} bytes, signed with the secret:`);
    console.log(`  X-Signature-256: ${arrival.signature}`);
    console.log(
      `  ${arrival.payload.event}, job ${arrival.payload.job.id}: state "${arrival.payload.before_update.state}" -> "${arrival.payload.job.state}"`,
    );
    console.log('  verified');
  } finally {
    await cleanUp(cleanUps);
  }
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      user: { type: 'string', default: 'admin' },
      password: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  if (values.url !== undefined && values.password === undefined) {
    throw new Error('--url requires --password.');
  }
  return values;
}

async function reachServer(options, cleanUps) {
  return step(options.url === undefined ? 'Start a temporary server' : 'Connect to the server', async () => {
    if (options.url !== undefined) {
      const { version } = await new ApiClient(options.url).get('/api/server/about');
      return {
        done: `version ${version} at ${options.url}`,
        url: options.url,
        username: options.user,
        password: options.password,
      };
    }
    const server = await startTemporaryServer();
    cleanUps.push(server.stop);
    const { version } = await new ApiClient(server.url).get('/api/server/about');
    return { done: `version ${version} at ${server.url}`, ...server };
  });
}

async function logIn(api, { username, password }) {
  await step('Log in', async () => {
    await api.login(username, password);
    const self = await api.get('/api/users/self');
    return { done: `${self.username}, groups: ${self.groups.join(', ')}` };
  });
}

async function createProject(api, cleanUps) {
  return step('Create a project with labels', async () => {
    const project = await api.post('/api/projects', { name: `Demo ${new Date().toISOString()}`, labels });
    cleanUps.push(() => api.delete(`/api/projects/${project.id}`));
    return { done: `project ${project.id} with ${labels.length} labels`, project };
  });
}

async function subscribe(api, project, receiver, secret, cleanUps) {
  return step('Create a webhook with a secret', async () => {
    const targetUrl = await receiver.start();
    cleanUps.push(() => receiver.stop());
    const webhook = await api.post('/api/webhooks', {
      target_url: targetUrl,
      description: 'receiver of the demo',
      type: 'project',
      project_id: project.id,
      secret,
      events: ['create:task', 'update:task', 'create:job', 'update:job'],
      api_version: '2.1',
    });
    const ping = await api.post(`/api/webhooks/${webhook.id}/ping`);
    expect(
      ping.status_code === 200,
      `the ping received ${ping.status_code} instead of 200. A server needs WEBHOOK_ALLOW_PRIVATE=true to send webhooks to this machine.`,
    );
    return { done: `webhook ${webhook.id} to ${targetUrl}, pinged: ${ping.status_code}`, webhook };
  });
}

async function createTask(api, project, photographs) {
  return step(`Create a task from ${photographs.length} photographs`, async () => {
    const task = await api.post('/api/tasks', { name: 'Seven photographs', project_id: project.id, segment_size: 4 });
    const form = new FormData();
    form.append('image_quality', '70');
    photographs.forEach(({ name, bytes }, index) => form.append(`client_files[${index}]`, new Blob([bytes]), name));
    const { rq_id: requestId } = await api.post(`/api/tasks/${task.id}/data`, form);

    await untilFinished(api, requestId);
    const megabytes = photographs.reduce((sum, { bytes }) => sum + bytes.length, 0) / 1e6;
    return { done: `task ${task.id}: ${megabytes.toFixed(1)} MB uploaded and processed`, task };
  });
}

/** Polls the background request until it is finished. */
async function untilFinished(api, requestId) {
  const deadline = performance.now() + PROCESSING_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const request = await api.get(`/api/requests/${encodeURIComponent(requestId)}`);
    if (request.status === 'finished') return request;
    expect(request.status !== 'failed', `the server could not process the photographs: ${request.message.trim()}`);
    await pause(100);
  }
  throw new Error(`the request ${requestId} did not finish within ${PROCESSING_TIMEOUT_MS / 1000} s.`);
}

async function readTask(api, { id }, receiver) {
  return step('Read the task and its jobs', async () => {
    const task = await api.get(`/api/tasks/${id}`);
    const jobs = (await api.list(`/api/jobs?task_id=${id}`)).sort((a, b) => a.start_frame - b.start_frame);
    await receiver.waitFor(
      'webhook about the new task',
      (payload) => payload.event === 'create:task' && payload.task.id === id,
    );
    await receiver.waitFor(
      'webhook about the finished task',
      (payload) => payload.event === 'update:task' && payload.task.mode === 'annotation',
    );
    const ranges = jobs.map((job) => `${job.start_frame}-${job.stop_frame}`).join(', ');
    return { done: `${task.size} frames, jobs with frames ${ranges}, and webhook deliveries for both`, jobs };
  });
}

async function readMedia(api, { id }, photographs) {
  await step('Read the photographs back', async () => {
    const data = `/api/tasks/${id}/data`;
    const meta = await api.get(`${data}/meta`);
    expect(
      meta.frames.map((frame) => frame.name).join() === photographs.map(({ name }) => name).join(),
      `the frames are ${meta.frames.map((frame) => frame.name).join(', ')}.`,
    );
    // Chunks are zip archives without compression, so they contain the uploaded bytes unchanged.
    const chunk = await api.getBytes(`${data}?type=chunk&number=0&quality=original`);
    const inChunk = photographs.slice(0, meta.chunk_size);
    for (const { name, bytes } of inChunk)
      expect(chunk.includes(bytes), `${name} is not in the original chunk as uploaded.`);

    for (const [frame, { name, bytes }] of photographs.entries()) {
      const original = await api.getBytes(`${data}?type=frame&number=${frame}&quality=original`);
      expect(original.equals(bytes), `frame ${frame} is not ${name} as uploaded.`);
    }
    const compressed = await api.getBytes(`${data}?type=chunk&number=0&quality=compressed`);
    const preview = await api.getBytes(`/api/tasks/${id}/preview`);
    expect(preview.readUInt16BE(0) === 0xffd8, 'the preview is not a JPEG.');
    return {
      done:
        `${photographs.length} frames and a chunk equal to the upload; ` +
        `chunk ${kilobytes(chunk)} original, ${kilobytes(compressed)} compressed; preview ${kilobytes(preview)}`,
    };
  });
}

async function annotate(api, project, jobs, photographs) {
  await step('Annotate the photographs', async () => {
    const projectLabels = await api.list(`/api/labels?project_id=${project.id}`);
    const frames = photographs.map(({ name }, frame) => ({ name, frame }));
    let count = 0;
    for (const job of jobs) {
      const own = frames.filter(({ frame }) => frame >= job.start_frame && frame <= job.stop_frame);
      const sent = toAnnotations(own, projectLabels);
      await api.put(`/api/jobs/${job.id}/annotations`, sent);
      const read = await api.get(`/api/jobs/${job.id}/annotations`);
      expect(
        read.tags.length === sent.tags.length && read.shapes.length === sent.shapes.length,
        `job ${job.id} has ${read.shapes.length} shapes and ${read.tags.length} tags instead of ${sent.shapes.length} and ${sent.tags.length}.`,
      );
      for (const shape of sent.shapes) {
        const same = read.shapes.some(
          (other) =>
            other.frame === shape.frame && other.type === shape.type && other.points.join() === shape.points.join(),
        );
        expect(same, `the ${shape.type} on frame ${shape.frame} did not come back as uploaded.`);
      }
      count += sent.tags.length + sent.shapes.length;
    }
    return { done: `${count} tags and shapes saved in ${jobs.length} jobs and read back unchanged` };
  });
}

async function finishJob(api, { id }, receiver) {
  return step('Complete a job and receive its event', async () => {
    const job = await api.patch(`/api/jobs/${id}`, { state: 'completed' });
    expect(job.state === 'completed', `the job's state is ${job.state}.`);
    const arrival = await receiver.waitFor(
      'webhook about the finished job',
      (payload) => payload.event === 'update:job' && payload.job.id === id && payload.job.state === 'completed',
    );
    expect(arrival.verified, 'the webhook about the finished job has a wrong signature.');
    return { done: `job ${id} is ${job.state}; update:job was delivered with a valid signature`, arrival };
  });
}

async function checkDeliveries(api, { id }, receiver) {
  await step('Verify all deliveries', async () => {
    const { arrivals } = receiver;
    const wrong = arrivals.filter(({ verified }) => !verified);
    expect(wrong.length === 0, `${wrong.length} of ${arrivals.length} deliveries have an invalid signature.`);
    const webhook = await api.get(`/api/webhooks/${id}`);
    expect(webhook.last_status === 200, `the webhook's last status is ${webhook.last_status}.`);
    const counts = new Map();
    for (const { payload } of arrivals) counts.set(payload.event, (counts.get(payload.event) ?? 0) + 1);
    const kinds = [...counts].map(([event, count]) => `${count} ${event}`).join(', ');
    return { done: `${arrivals.length} deliveries, all signatures valid: ${kinds}` };
  });
}

function kilobytes(bytes) {
  return `${Math.round(bytes.length / 1024)} KB`;
}

function printTable() {
  const width = Math.max(...steps.map(({ title }) => title.length));
  const total = steps.reduce((sum, { ms }) => sum + ms, 0);
  console.log();
  for (const { title, ms } of steps) console.log(`${title.padEnd(width)}  ${ms.toFixed(0).padStart(7)} ms`);
  console.log(`${'total'.padEnd(width)}  ${total.toFixed(0).padStart(7)} ms`);
}

/** Deletes what was created, newest first. An error is printed and does not stop the rest. */
async function cleanUp(cleanUps) {
  for (const undo of cleanUps.reverse()) {
    await undo().catch((error) => {
      console.error(`Cleanup failed: ${error.message}`);
      process.exitCode = 1;
    });
  }
}

try {
  await main();
} catch (error) {
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
