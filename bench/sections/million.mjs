// Reads and exports a task with a million shapes: how long it takes, and how much memory the server's process uses.

import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { logIn } from '../api.mjs';
import { line } from '../measure.mjs';
import { seed } from '../seed.mjs';
import { forgetLargest, residentMemory } from '../server.mjs';
import { withTestDatabase } from '../workplace.mjs';

const JOBS = 5;
const POLL_MS = 200;
const MAX_GROWTH_MB = 300;

const memory = (name, cairn) => line({ name, unit: 'MB', cairn: [cairn], goal: MAX_GROWTH_MB });

/** @param {import('../bench.mjs').Run} run */
export function million({ cli, plan, say }) {
  return withShapes({ cli, plan, say }, async ({ api, task, grown, many }) => {
    const read = await timed(() => drain(api, `/api/tasks/${task}/annotations`));
    const readGrowth = await grown();
    const written = await timed(() => exported(api, task));
    const growth = await grown();
    say(`read in ${read.toFixed(1)} s, exported in ${written.toFixed(1)} s, grown by ${growth.toFixed(0)} MB`);
    return [
      line({ name: `GET ${many} shapes of a task`, unit: 's', cairn: [read] }),
      memory('… memory growth of the process', readGrowth),
      line({ name: `COCO export of ${many} shapes`, unit: 's', cairn: [written] }),
      memory('… memory growth of the process, including the read', growth),
    ];
  });
}

/**
 * Exports the shapes in every format, each with a new server: first those for images, then those for point clouds.
 *
 * @param {import('../bench.mjs').Run} run
 */
export function millionFormats({ cli, plan, say }) {
  return withShapes({ cli, plan, say }, async ({ api, task, restart, databaseUrl, jobs, many }) => {
    const { exporters } = await api.get('/api/server/annotation/formats');
    const lines = [];
    for (const wanted of ['2d', '3d']) {
      if (wanted === '3d') await turnIntoCuboids(databaseUrl, task, jobs);
      for (const { name, dimension } of exporters) {
        if (dimension !== wanted || !plan.formats.test(name)) continue;
        const server = await restart();
        try {
          const seconds = await timed(() => exported(server.api, task, name));
          const growth = await server.grown();
          say(`${name}: ${seconds.toFixed(1)} s, ${growth.toFixed(0)} MB`);
          lines.push({
            ...memory(`${name}, ${many} shapes: memory growth`, growth),
            remark: `${seconds.toFixed(1)} s`,
          });
        } catch (error) {
          say(`${name}: ${error.message.trim()}`); // such as a format with a limit of objects in an image
        }
      }
    }
    return lines;
  });
}

/** Starts a server with a task that has the shapes. */
function withShapes({ cli, plan, say }, measure) {
  return withTestDatabase(cli, async ({ start, database }) => {
    let current = await start();
    const { url: databaseUrl } = await database();
    const api = await logIn(current.url);
    const seeded = await seed(api, databaseUrl, { tasks: 1, jobsPerTask: JOBS });
    await addShapes(databaseUrl, seeded, plan.shapes);
    const many = plan.shapes.toLocaleString('en');
    say(`seeded ${many} shapes`);
    const restart = async () => {
      await current.stop();
      current = await start();
      return { api: await logIn(current.url), grown: await growthOf(current) };
    };
    const grown = await growthOf(current);
    return measure({ api, grown, restart, task: seeded.tasks[0], databaseUrl, jobs: seeded.jobs, many });
  });
}

/** @returns how to find the growth of the largest memory of a server from now on, in MB */
async function growthOf({ pid }) {
  await forgetLargest(pid);
  const before = await residentMemory(pid);
  return async () => ((await residentMemory(pid)).largest - before.now) / 1e6;
}

/** Adds rectangles to the frames of the jobs, and the image rows that exports name. */
async function addShapes(databaseUrl, { tasks, jobs, label }, count) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into media_frame (data_id, frame, path, width, height)
       select data.id, frame, 'street/' || frame || '.jpg', 1920, 1080
       from task join media_data data on data.id = task.data_id, generate_series(0, data.size - 1) frame
       where task.id = $1`,
      tasks,
    );
    await client.query(
      `insert into annotation_shape (job_id, label_id, frame, z_order, occluded, outside, rotation, score, type, source,
         points, attributes)
       select job.id, $2, segment.start_frame + number % (segment.stop_frame - segment.start_frame + 1), 0, false, false, 0,
         1, 'rectangle', 'manual', '[' || number % 1800 || '.25,10.5,' || number % 1800 + 60 || ',100.75]', '[]'
       from job join segment on segment.id = job.segment_id, generate_series(1, $3) number
       where job.id = any($1)`,
      [jobs, label, Math.ceil(count / jobs.length)],
    );
    await client.query('analyze');
  } finally {
    await client.end();
  }
}

async function turnIntoCuboids(databaseUrl, task, jobs) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`update task set dimension = '3d' where id = $1`, [task]);
    await client.query(
      `update media_frame set path = replace(path, '.jpg', '.pcd')
       where data_id = (select data_id from task where id = $1)`,
      [task],
    );
    await client.query(
      `update annotation_shape set type = 'cuboid', points = '[1.5,2,0.25,0,0,0.75,4,2,1.5,0,0,0,0,0,0,0]'
       where job_id = any($1)`,
      [jobs],
    );
  } finally {
    await client.end();
  }
}

async function timed(work) {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}

async function drain(api, path) {
  const response = await fetch(api.url + path, { headers: api.headers });
  if (!response.ok) throw new Error(`GET ${path} was answered with ${response.status}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  return bytes;
}

async function exported(api, task, format = 'COCO 1.0') {
  const { rq_id: id } = await api.post(`/api/tasks/${task}/dataset/export?format=${encodeURIComponent(format)}`);
  for (;;) {
    const request = await api.get(`/api/requests/${encodeURIComponent(id)}`);
    if (request.status === 'failed') throw new Error(request.message);
    if (request.status === 'finished')
      return drain(api, new URL(request.result_url).pathname + new URL(request.result_url).search);
    await pause(POLL_MS);
  }
}
