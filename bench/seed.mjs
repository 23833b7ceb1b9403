// Seeds projects and tasks through the API, and their data and jobs by SQL, without images.

import { Client } from 'pg';

const FRAMES_PER_JOB = 20;

/**
 * @param {Awaited<ReturnType<import('./api.mjs').logIn>>} api
 * @param {string} databaseUrl
 * @param {{tasks: number, jobsPerTask: number}} sizes
 * @returns {Promise<{project: number, label: number, tasks: number[], jobs: number[]}>} ids, ascending
 */
export async function seed(api, databaseUrl, { tasks: taskCount, jobsPerTask }) {
  const project = await api.post('/api/projects', { name: 'Benchmark', labels: [{ name: 'car' }, { name: 'tree' }] });
  const labels = await api.get(`/api/labels?project_id=${project.id}`);
  const { id: self } = await api.get('/api/users/self');
  const tasks = [];
  for (let at = 0; at < taskCount; at += 1) {
    const task = { name: `Street ${at}`, project_id: project.id, assignee_id: self };
    tasks.push((await api.post('/api/tasks', task)).id);
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const task of tasks) await addData(client, task, jobsPerTask, self);
    const { rows } = await client.query('select id from job where task_id = any($1) order by id', [tasks]);
    await client.query('analyze');
    return { project: project.id, label: labels.results[0].id, tasks, jobs: rows.map((row) => row.id) };
  } finally {
    await client.end();
  }
}

async function addData(client, task, jobs, assignee) {
  const size = jobs * FRAMES_PER_JOB;
  await client.query(
    `with data as (
       insert into media_data (chunk_size, size, image_quality, stop_frame) values (36, $2, 70, $2 - 1) returning id
     )
     update task set data_id = data.id, mode = 'annotation', overlap = 0, segment_size = $3 from data where task.id = $1`,
    [task, size, FRAMES_PER_JOB],
  );
  await client.query(
    `with part as (
       insert into segment (task_id, start_frame, stop_frame, chunks_updated_date)
       select $1, place * $3, place * $3 + $3 - 1, now() from generate_series(0, $2 - 1) place order by place returning id
     )
     insert into job (segment_id, task_id, assignee_id, assignee_updated_date, created_date, updated_date)
     select id, $1, $4, now(), now(), now() from part order by id`,
    [task, jobs, FRAMES_PER_JOB, assignee],
  );
}

/** Requests that change the states of up to 64 jobs, and change them back. */
export const jobChanges = (jobs) =>
  ['in progress', 'new'].flatMap((state) =>
    jobs.slice(0, 64).map((id) => ({ method: 'PATCH', path: `/api/jobs/${id}`, body: JSON.stringify({ state }) })),
  );
