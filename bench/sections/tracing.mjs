// Processor time per request of a server that exports traces. The baseline is a server without them, on the same database,
// which runs in the process tree of a third one. The collector only reads what it gets.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { logIn } from '../api.mjs';
import { startProgram } from '../child.mjs';
import { interleave, line } from '../measure.mjs';
import { processorTime } from '../processor-time.mjs';
import { jobChanges, seed } from '../seed.mjs';
import { withTestDatabase } from '../workplace.mjs';

const CONNECTIONS = 16;
/** Per round. The kernel counts processor time in steps of 10 ms. */
const REQUESTS = 400;
/** The parts of all requests that are exported. */
const RATIOS = ['0', '0.05', '1'];

const cases = ({ tasks, jobs }) => [
  { name: 'GET one task', requests: tasks.map((id) => ({ method: 'GET', path: `/api/tasks/${id}` })) },
  { name: 'GET 10 tasks', requests: [{ method: 'GET', path: '/api/tasks' }] },
  { name: 'PATCH a job', requests: jobChanges(jobs) },
];

/** @param {import('../bench.mjs').Run} run */
export function tracing({ cli, plan, say }) {
  return withTestDatabase(cli, async ({ start, database }) => {
    const first = await start(['serve']); // runs the database
    const { url: databaseUrl } = await database();
    const api = await logIn(first.url);
    const seeded = await seed(api, databaseUrl, plan);
    const client = startProgram('client');
    const collector = createServer((request, response) => request.resume().on('end', () => response.end()));
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.address().port}`,
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    };
    const lines = [];
    try {
      const plain = await start(['serve', '--no-worker']);
      for (const ratio of RATIOS) {
        const traced = await start(['serve', '--no-worker'], { ...settings, OTEL_TRACES_SAMPLER_ARG: ratio });
        for (const { name, requests } of cases(seeded)) {
          const time =
            ({ url: base, pid }) =>
            async () => {
              const begin = processorTime(pid);
              await client.call('run', {
                base,
                headers: api.headers,
                requests,
                connections: CONNECTIONS,
                count: REQUESTS,
              });
              return (processorTime(pid) - begin) / REQUESTS;
            };
          await time(traced)();
          await time(plain)();
          const numbers = await interleave(plan.rounds, time(traced), time(plain));
          lines.push(line({ name: `${name}, ${ratio * 100} % exported`, unit: 'ms', ...numbers }));
          const { cairn, baseline } = lines.at(-1);
          say(`${name}: ${cairn.toFixed(2)} ms with ${ratio * 100} % of traces, ${baseline.toFixed(2)} ms without`);
        }
        await traced.stop();
      }
    } finally {
      await client.stop();
      collector.close();
      collector.closeAllConnections();
    }
    return lines;
  });
}
