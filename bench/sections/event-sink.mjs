// Events per second that one process publishes to a broker: a backlog, from the start of the worker to the last event.

import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { logIn } from '../api.mjs';
import { line } from '../measure.mjs';
import { processorTime } from '../processor-time.mjs';
import { seed } from '../seed.mjs';
import { withTestDatabase } from '../workplace.mjs';

const LOOK_MS = 100;
/** The worker needs time to start, and its first events are slow. */
const WARM_UP = 2_000;

/** @param {import('../bench.mjs').Run} run */
export function eventSink({ cli, plan, say }) {
  const sink = process.env.BENCH_EVENT_SINK;
  if (sink === undefined) {
    say('BENCH_EVENT_SINK is not set');
    return [];
  }
  return withTestDatabase(cli, async ({ start, database }) => {
    const server = await start(['serve', '--no-worker'], { EVENT_SINK: sink });
    const { url } = await database();
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      await addEvents(await logIn(server.url), url, client, plan.events + WARM_UP);
      const worker = await start(['worker', '--only', 'events'], { EVENT_SINK: sink });
      const first = await pendingEvents(client, plan.events);
      const begin = { clock: performance.now(), processor: processorTime(worker.pid) };
      await pendingEvents(client, 0);
      const used = processorTime(worker.pid) - begin.processor;
      const rate = first / ((performance.now() - begin.clock) / 1000);
      say(`${plan.events} events to ${new URL(sink).protocol}//…: ${Math.round(rate)}/s`);
      return [
        line({ name: `${plan.events} events of a backlog to the event sink`, unit: 'events/s', cairn: [rate] }),
        line({ name: '… processor time of the worker', unit: 'ms/event', cairn: [used / first] }),
      ];
    } finally {
      await client.end();
    }
  });
}

/** Copies of an event of a job. */
async function addEvents(api, url, client, count) {
  const { jobs } = await seed(api, url, { tasks: 2, jobsPerTask: 5 });
  await api.patch(`/api/jobs/${jobs[0]}`, { state: 'in progress' });
  await client.query(
    `with written as (
       insert into outbox_event (name, object_id, organization_id, project_id, sender, before, after, occurred_at)
       select name, (number % 1000)::text, organization_id, project_id, sender, before, after, now()
       from (select * from outbox_event where name = 'update:job' order by id desc limit 1) event
         cross join generate_series(1, $1::int) number returning id
     )
     insert into outbox_pending select id from written`,
    [count],
  );
}

/** Waits until at most `limit` events are to be published. @returns their number */
async function pendingEvents(client, limit) {
  for (;;) {
    const { rows } = await client.query(`
      select ((select count(*) from outbox_pending) + (select count(*) from event_sink_pending) + (
        select count(*) from outbox_order
        where position > coalesce((select position from outbox_listener where name = 'event sink'), 0)))::int as count`);
    if (rows[0].count <= limit) return rows[0].count;
    await pause(LOOK_MS);
  }
}
