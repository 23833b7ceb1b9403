// Everyday requests from 8 connections, including many users in one task. The baseline is node:http alone for reads,
// equivalent statements in one transaction for writes, and saves in tasks of separate projects for saves in one task.

import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../child.mjs';
import { interleave, line } from '../measure.mjs';
import { seed } from '../seed.mjs';

const CONNECTIONS = 8;
const USERS = 32;
/** Changes are spread over this many jobs of different tasks. */
const SPREAD = 64;
const JOBS_OF_ONE = 16;
const SHAPES = 10;
/** Fraction of the baseline's rate. */
const WRITE_GOAL = 0.5;
const ONE_TASK_GOAL = 0.8;
/** Pause between changes on an idle server. */
const IDLE_MS = 40;
const IDLE_CHANGES = 25;

const json = JSON.stringify;
const get = (path) => ({ method: 'GET', path });

/** Sets each job to each of the two states, so that every request changes something. */
const stateChanges = (jobs) =>
  ['in progress', 'new'].flatMap((state) =>
    jobs.map((id) => ({ method: 'PATCH', path: `/api/jobs/${id}`, body: json({ state }) })),
  );

const saves = (jobs, label) =>
  jobs.map((id) => ({
    method: 'PATCH',
    path: `/api/jobs/${id}/annotations?action=create`,
    body: json({ shapes: Array.from({ length: SHAPES }, (_, at) => shape(label, at)) }),
  }));

const shape = (label, at) => ({
  type: 'rectangle',
  frame: at,
  label_id: label,
  points: [10.5 * at, 20.25, 10.5 * at + 100, 220.75],
});

function cases({ tasks, jobs }, crowd, issues) {
  const perTask = jobs.length / tasks.length;
  const ofDifferent = jobs.filter((_, at) => at % perTask === 0).slice(0, SPREAD);
  const issue = { frame: 0, position: [1.5, 2.5, 3.5, 4.5], message: 'The box is too wide.' };
  return [
    { name: 'GET about', requests: [get('/api/server/about')] },
    { name: 'GET one task', requests: tasks.map((id) => get(`/api/tasks/${id}`)) },
    { name: 'GET 10 tasks', requests: [get('/api/tasks')] },
    { name: 'GET 50 jobs', requests: [get('/api/jobs?page_size=50')] },
    { name: 'PATCH job state, different tasks', requests: stateChanges(ofDifferent) },
    {
      name: `PATCH job state, ${JOBS_OF_ONE} jobs of one task`,
      requests: stateChanges(crowd.jobs.slice(0, JOBS_OF_ONE)),
    },
    {
      name: 'POST issue',
      requests: ofDifferent.map((job) => ({ method: 'POST', path: '/api/issues', body: json({ job, ...issue }) })),
    },
    {
      name: 'POST comment',
      requests: issues.map((id) => ({
        method: 'POST',
        path: '/api/comments',
        body: json({ issue: id, message: 'The box is too wide.' }),
      })),
    },
  ].map((entry) => (entry.requests[0].method === 'GET' ? entry : { ...entry, goal: WRITE_GOAL }));
}

/** @param {import('../bench.mjs').Run} run */
export async function workloads({ api, databaseUrl, seeded, client, plan, say }) {
  const baseline = startProgram('baseline-transactions');
  try {
    const { id: ownerId } = await api.get('/api/users/self');
    const baselineUrl = await baseline.call('start', { base: api.url, databaseUrl, ownerId });
    const crowd = await seed(api, databaseUrl, { tasks: 1, jobsPerTask: USERS });
    const issues = [];
    for (const job of seeded.jobs.slice(0, SPREAD)) {
      const issue = { job, frame: 0, position: [1.5, 2.5, 3.5, 4.5], message: 'Look here.' };
      issues.push((await api.post('/api/issues', issue)).id);
    }
    const rate = (base, requests, connections, seconds) => async () =>
      (await client.call('run', { base, headers: api.headers, requests, connections, seconds })).rate;
    const lines = [];
    const add = (measured) => {
      lines.push(line(measured));
      const { name, cairn, ratio, unit } = lines.at(-1);
      say(`${name}: ${cairn.toFixed(1)} ${unit}${ratio === null ? '' : `, ${(ratio * 100).toFixed(0)} %`}`);
    };
    for (const { name, requests, goal } of cases(seeded, crowd, issues)) {
      const run = (base, seconds) => rate(base, requests, CONNECTIONS, seconds);
      await run(api.url, plan.warmUpSeconds)();
      await run(baselineUrl, plan.warmUpSeconds)();
      const numbers = await interleave(
        plan.rounds,
        run(api.url, plan.roundSeconds),
        run(baselineUrl, plan.roundSeconds),
      );
      add({ name, unit: 'req/s', ...numbers, goal });
    }
    const separate = [];
    for (let user = 0; user < USERS; user += 1)
      separate.push(await seed(api, databaseUrl, { tasks: 1, jobsPerTask: 1 })); // each in a project of its own
    const together = saves(crowd.jobs, crowd.label);
    const apart = separate.flatMap(({ jobs, label }) => saves(jobs, label));
    await rate(api.url, together, USERS, plan.warmUpSeconds)();
    await rate(api.url, apart, USERS, plan.warmUpSeconds)();
    const numbers = await interleave(
      plan.rounds,
      rate(api.url, together, USERS, plan.roundSeconds),
      rate(api.url, apart, USERS, plan.roundSeconds),
    );
    const name = `${USERS} users save ${SHAPES} shapes each in ${USERS} jobs of one task`;
    add({ name, unit: 'req/s', ...numbers, goal: ONE_TASK_GOAL, remark: 'compared with tasks of separate projects' });
    const changes = stateChanges(seeded.jobs.slice(0, IDLE_CHANGES)).slice(0, IDLE_CHANGES);
    const single = async (base) => {
      const seconds = [];
      for (const request of changes) {
        await pause(IDLE_MS);
        seconds.push((await client.call('once', { base, headers: api.headers, request })).seconds);
      }
      return seconds;
    };
    const idle = { cairn: await single(api.url), baseline: await single(baselineUrl) };
    const milliseconds = (values) => values.map((value) => value * 1000);
    add({
      name: 'one PATCH on an idle server',
      unit: 'ms',
      cairn: milliseconds(idle.cairn),
      baseline: milliseconds(idle.baseline),
    });
    return lines;
  } finally {
    await baseline.stop();
  }
}
