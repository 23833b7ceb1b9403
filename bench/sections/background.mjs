// How long other requests wait while a background request computes without a pause, and while it takes all memory that it
// may have; and what happens to it.

import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { logIn } from '../api.mjs';
import { line, percentile } from '../measure.mjs';
import { seed } from '../seed.mjs';
import { processesOf, residentMemory } from '../server.mjs';
import { waitsDuring, watchMemory } from '../waits.mjs';
import { withTestDatabase } from '../workplace.mjs';

const LONGEST_WAIT_MS = 250;
const LOOK_MS = 100;
const MEMORY_MB = 1024;

/** @param {import('../bench.mjs').Run} run */
export function background({ cli, plan, say }) {
  return withTestDatabase(cli, async ({ start, database, folder }) => {
    const extension = join(folder, 'burning.mjs');
    await writeFile(extension, burning(dirname(cli)));
    const settings = { CAIRN_EXTENSIONS: extension, REQUEST_MAX_MEMORY: `${MEMORY_MB}M` };
    const server = await start(['serve'], settings);
    const { url: databaseUrl } = await database();
    const api = await logIn(server.url);
    const { jobs } = await seed(api, databaseUrl, { tasks: 1, jobsPerTask: 1 });
    const [job] = jobs;
    const { waits: idle } = await waitsDuring(api, job, () => pause(plan.burnSeconds * 1000));
    const lines = [];
    for (const { deed, what, seconds = 0, ends = 'finished' } of [
      { deed: 'nothing', what: 'starts its process' },
      { deed: 'compute', what: `computes for ${plan.burnSeconds} s without a pause`, seconds: plan.burnSeconds },
      { deed: 'hoard', what: `takes ${MEMORY_MB} MB of memory`, ends: 'failed' },
    ]) {
      const mostMemory = watchMemory(server.pid);
      const { waits, result: outcome } = await waitsDuring(api, job, () => request(databaseUrl, deed, seconds));
      const memory = mostMemory();
      if (outcome.status !== ends) throw new Error(`The request is ${outcome.status}: ${outcome.message}`);
      const remark = `${percentile(waits, 0.99).toFixed(0)} ms for 99 %; idle: ${Math.max(...idle).toFixed(0)} and ${percentile(idle, 0.99).toFixed(0)} ms`;
      const name = `longest wait while a background request ${what}`;
      lines.push(line({ name, unit: 'ms', cairn: [Math.max(...waits)], goal: LONGEST_WAIT_MS, remark }));
      lines.push(line({ name: '… maximum memory of all processes', unit: 'MB', cairn: [memory / 1e6] }));
      say(`${what}: ${Math.max(...waits).toFixed(0)} ms, ${remark}; ${outcome.status} ${outcome.message}`);
    }
    const servers = processesOf(server.pid).length;
    say(`${servers} processes at the end, ${((await residentMemory(server.pid)).now / 1e6).toFixed(0)} MB`);
    return lines;
  });
}

/** An extension with a background request that does what its parameters say. */
const burning = (dist) => `
  import { HandlesRequests, declareRequestEvents } from ${JSON.stringify(pathToFileURL(join(dist, 'modules/requests/index.js')).href)};
  class Burning {
    successTtlMs = 600_000;
    failureTtlMs = 600_000;
    async run(request) {
      request.signal.throwIfAborted();
      const { deed, seconds } = request.parameters;
      const end = performance.now() + seconds * 1000;
      if (deed === 'compute') while (performance.now() < end) JSON.parse(JSON.stringify(Array.from({ length: 1000 }, (_, a) => ({ a }))));
      const kept = [];
      while (deed === 'hoard') {
        kept.push(Buffer.alloc(2 ** 24, 1));
        await new Promise(setImmediate);
      }
    }
  }
  HandlesRequests('import:burning')(Burning);
  declareRequestEvents(['import:burning']);
  class BurningModule {}
  export const extension = { name: 'burning', module: { module: BurningModule, providers: [Burning] } };`;

/** Queues a background request. @returns its row when it has ended */
async function request(databaseUrl, deed, seconds) {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `insert into background_request (id, type, target, parameters, created_date)
       values ($1, 'import:burning', 'task', $2, now())`,
      [`${deed}=1`, JSON.stringify({ deed, seconds })],
    );
    for (;;) {
      const { rows } = await client.query('select status, message from background_request where id = $1', [
        `${deed}=1`,
      ]);
      if (['finished', 'failed'].includes(rows[0]?.status)) return rows[0];
      await pause(LOOK_MS);
    }
  } finally {
    await client.end();
  }
}
