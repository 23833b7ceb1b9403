// Requests per second of a server with several processes. The baseline is a server with one process, on the same
// database. Load generator and database use the same cores, so the gain is smaller than on a machine of their own.

import { availableParallelism } from 'node:os';
import { logIn } from '../api.mjs';
import { startProgram } from '../child.mjs';
import { interleave, line } from '../measure.mjs';
import { jobChanges, seed } from '../seed.mjs';
import { withTestDatabase } from '../workplace.mjs';

const CONNECTIONS = 32;

/** Numbers of processes up to that of the cores, at least two. */
const COUNTS = [2, 4, 8].filter((count) => count === 2 || count <= availableParallelism());

const cases = ({ tasks, jobs }) => [
  { name: 'GET about', requests: [{ method: 'GET', path: '/api/server/about' }] },
  { name: 'GET one task', requests: tasks.map((id) => ({ method: 'GET', path: `/api/tasks/${id}` })) },
  { name: 'GET 100 jobs', requests: [{ method: 'GET', path: '/api/jobs?page_size=100' }] },
  { name: 'PATCH a job', requests: jobChanges(jobs) },
];

/** @param {import('../bench.mjs').Run} run */
export function processes({ cli, plan, say }) {
  return withTestDatabase(cli, async ({ start, database }) => {
    const single = await start(['serve']);
    const { url: databaseUrl } = await database();
    const api = await logIn(single.url);
    const seeded = await seed(api, databaseUrl, plan);
    const client = startProgram('client');
    const lines = [];
    try {
      for (const count of COUNTS) {
        const several = await start(['serve', '--no-worker', '--processes', String(count)]);
        for (const { name, requests } of cases(seeded)) {
          const rate = (base, seconds) => async () =>
            (await client.call('run', { base, headers: api.headers, requests, connections: CONNECTIONS, seconds }))
              .rate;
          await rate(several.url, plan.warmUpSeconds)();
          await rate(single.url, plan.warmUpSeconds)();
          const numbers = await interleave(
            plan.rounds,
            rate(several.url, plan.roundSeconds),
            rate(single.url, plan.roundSeconds),
          );
          lines.push(line({ name: `${name}, ${count} processes`, unit: 'req/s', ...numbers }));
          say(
            `${name}: ${Math.round(lines.at(-1).cairn)}/s with ${count} processes, ${Math.round(lines.at(-1).baseline)}/s with one`,
          );
        }
        await several.stop();
      }
    } finally {
      await client.stop();
    }
    return lines;
  });
}
