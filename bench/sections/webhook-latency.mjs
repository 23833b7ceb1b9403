// How long a delivery takes from its change, without and with a large backlog.

import { Client } from 'pg';
import { delays, inWords, withHooks } from '../hooked.mjs';
import { line, median, percentile } from '../measure.mjs';

const RATE = 200;
const WARM_UP_SECONDS = 8;

/** @param {import('../bench.mjs').Run} run */
export function webhookLatency({ cli, plan, say }) {
  return withHooks({ cli }, async (hooked) => {
    await hooked.subscribe();
    const measured = async () => {
      await delays(hooked, { rate: RATE, seconds: WARM_UP_SECONDS });
      return delays(hooked, { rate: RATE, seconds: plan.latencySeconds });
    };
    const alone = await measured();
    say(`at ${RATE} events/s: ${inWords(alone)}`);
    await fill(hooked, plan.pending);
    say(`${plan.pending} more deliveries wait`);
    const behind = await measured();
    say(`behind them: ${inWords(behind)}`);
    const among = `among ${plan.pending} pending deliveries of another webhook`;
    return [
      line({
        name: `from a change to its arrival, ${RATE} events/s, median`,
        unit: 'ms',
        cairn: [median(alone)],
        goal: 20,
      }),
      line({ name: '… 99 % within', unit: 'ms', cairn: [percentile(alone, 0.99)] }),
      line({ name: `… ${among}, median`, unit: 'ms', cairn: [median(behind)], goal: 20 }),
      line({ name: '… 99 % within', unit: 'ms', cairn: [percentile(behind, 0.99)] }),
    ];
  });
}

/** Creates due deliveries of a webhook whose receiver accepts one per second. */
async function fill({ database, subscribe, receiverUrl }, count) {
  const slow = await subscribe(`${receiverUrl}/fail`, {
    rate_limit: 1,
    events: ['delete:job'],
    retry_schedule: [0, 86_400],
  });
  const guest = await database();
  const client = new Client({ connectionString: guest.url });
  await client.connect();
  try {
    await client.query(
      `insert into webhook_delivery (webhook_id, event_id, event, message_id, payload, changed_fields, status,
         next_attempt_at, created_date, updated_date)
       select $1, -number, 'delete:job', gen_random_uuid(), '{"event":"delete:job"}', '', 'pending', now(), now(), now()
       from generate_series(1, $2::int) number`,
      [slow.id, count],
    );
    await client.query('analyze webhook_delivery');
  } finally {
    await client.end();
    await guest.stop();
  }
}
