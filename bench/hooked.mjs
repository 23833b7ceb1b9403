// Shared by the sections about webhooks: a server with jobs, a receiver, and webhooks that subscribe to every change.

import { logIn } from './api.mjs';
import { startProgram } from './child.mjs';
import { median, percentile } from './measure.mjs';
import { seed } from './seed.mjs';
import { withTestDatabase } from './workplace.mjs';

export const SECRET = 'secret of the benchmark';

const ARRIVAL_MS = 60_000;

/**
 * @typedef {object} Hooked
 * @property {Awaited<ReturnType<typeof import('./server.mjs').startCairn>>} server with its worker
 * @property {(args?: string[], settings?: object) => Promise<Hooked['server']>} start starts another server
 * @property {() => Promise<{url: string, stop: () => Promise<void>}>} database joins the server's database
 * @property {Awaited<ReturnType<typeof logIn>>} api
 * @property {ReturnType<typeof startProgram>} client generates load
 * @property {ReturnType<typeof startProgram>} receiver
 * @property {string} receiverUrl
 * @property {number[]} jobs
 * @property {(target?: string, more?: object) => Promise<{id: number}>} subscribe subscribes a webhook to all jobs
 */

/**
 * @param {{cli: string, plan?: {tasks: number, jobsPerTask: number}}} options one job per task by default: a change
 *   locks the job's task, and changes should not wait for each other
 * @param {(hooked: Hooked) => Promise<object[]>} use
 */
export async function withHooks({ cli, tasks = 64, jobsPerTask = 1 }, use) {
  const programs = { client: startProgram('client'), receiver: startProgram('receiver') };
  try {
    return await withTestDatabase(cli, async ({ start, database }) => {
      const server = await start();
      const api = await logIn(server.url);
      const guest = await database();
      const { project, jobs } = await seed(api, guest.url, { tasks, jobsPerTask });
      await guest.stop();
      const receiverUrl = await programs.receiver.call('start');
      const subscribe = (target = `${receiverUrl}/cairn`, more = {}) =>
        api.post('/api/webhooks', {
          target_url: target,
          type: 'project',
          project_id: project,
          secret: SECRET,
          events: ['update:job'],
          ...more,
        });
      return await use({ ...programs, server, start, database, api, jobs, receiverUrl, subscribe });
    });
  } finally {
    for (const program of Object.values(programs)) await program.stop();
  }
}

const STATES = ['in progress', 'new'];

/** Requests that change one job each. */
export const changesOf = (jobs) =>
  STATES.flatMap((state) =>
    jobs.map((id) => ({ method: 'PATCH', path: `/api/jobs/${id}`, body: JSON.stringify({ state }) })),
  );

/** Requests that change all jobs, each in one commit. */
export const commonChangesOf = (jobs) =>
  STATES.map((state) => ({ method: 'PATCH', path: '/api/jobs', body: JSON.stringify({ ids: jobs, state }) }));

/**
 * Changes jobs at a steady rate.
 *
 * @param {Hooked} hooked
 * @param {{rate: number, seconds: number, each?: number}} options `each`: deliveries to the receiver per change
 * @returns milliseconds from each change, dated by its transaction before the commit, to the arrival of its delivery
 */
export async function delays({ client, receiver, server, api, jobs }, { rate, seconds, each = 1 }) {
  await receiver.call('reset', { delays: true });
  const load = { base: server.url, headers: api.headers, requests: changesOf(jobs) };
  const { count } = await client.call('pace', { ...load, rate, seconds });
  await receiver.call('wait', { count: each * count, timeoutMs: ARRIVAL_MS });
  return receiver.call('delays');
}

/** @param {readonly number[]} values as returned by {@link delays} */
export const inWords = (values) =>
  `median ${median(values).toFixed(1)} ms, 99 % within ${percentile(values, 0.99).toFixed(0)} ms`;
