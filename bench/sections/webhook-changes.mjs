// How much webhooks slow down the requests that cause events.

import { changesOf, withHooks } from '../hooked.mjs';
import { line } from '../measure.mjs';

const CONNECTIONS = 16;
const SUBSCRIBED = [0, 1, 10];
const TIMEOUT_MS = 120_000;

/** @param {import('../bench.mjs').Run} run */
export function webhookChanges({ cli, plan, say }) {
  return withHooks({ cli }, async ({ client, receiver, server, api, jobs, subscribe }) => {
    const ids = [];
    for (let number = 0; number < Math.max(...SUBSCRIBED); number += 1) ids.push((await subscribe()).id);
    const requests = changesOf(jobs);
    const base = { base: server.url, headers: api.headers, requests };
    /** Rates with this many active webhooks. All deliveries have arrived before the next round begins. */
    const round = async (active) => {
      for (const [index, id] of ids.entries()) await api.patch(`/api/webhooks/${id}`, { is_active: index < active });
      await receiver.call('reset');
      const one = await client.call('run', { ...base, connections: 1, count: plan.changesAlone });
      const many = await client.call('run', { ...base, connections: CONNECTIONS, count: plan.changes });
      const count = active * (plan.changesAlone + plan.changes);
      if (count > 0) await receiver.call('wait', { count, timeoutMs: TIMEOUT_MS });
      return { one: 1000 / one.rate, many: many.rate };
    };
    const rounds = new Map(SUBSCRIBED.map((active) => [active, []]));
    await round(1); // warms up
    for (let number = 0; number < plan.changeRounds; number += 1)
      for (const active of SUBSCRIBED) rounds.get(active).push(await round(active));
    return SUBSCRIBED.flatMap((active) => {
      const name = `PATCH a job, ${active} webhook${active === 1 ? '' : 's'} subscribed`;
      const lines = [
        line({ name: `${name}, sequential`, unit: 'ms', cairn: rounds.get(active).map(({ one }) => one) }),
        line({
          name: `… from ${CONNECTIONS} connections`,
          unit: 'req/s',
          cairn: rounds.get(active).map(({ many }) => many),
        }),
      ];
      say(`${name}: ${lines[0].cairn.toFixed(1)} ms, ${Math.round(lines[1].cairn)}/s`);
      return lines;
    });
  });
}
