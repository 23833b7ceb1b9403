// Deliveries of recorded changes to a local receiver, beside a loop that just posts the same bytes.

import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../child.mjs';
import { changesOf, commonChangesOf, SECRET, withHooks } from '../hooked.mjs';
import { line, median } from '../measure.mjs';
import { residentMemory } from '../server.mjs';

const CONNECTIONS = 16;
const TIMEOUT_MS = 300_000;
const BARE_WARM_UP = 2_000;
const LOOK_MS = 250;
/** Of the time under load: memory has settled by then. */
const SETTLED = 0.3;

/** @param {import('../bench.mjs').Run} run */
export function webhooks({ cli, plan, say }) {
  return withHooks({ cli, tasks: 100, jobsPerTask: 5 }, async (hooked) => {
    const bare = startProgram('bare-posts');
    try {
      return await measure(hooked, bare, plan, say);
    } finally {
      await bare.stop();
    }
  });
}

async function measure(hooked, bare, { changes, deliveries }, say) {
  const { client, receiver, server, api, jobs, start } = hooked;
  const webhook = await hooked.subscribe();
  const load = (base, requests, count, connections) =>
    client.call('run', { base, headers: api.headers, requests, connections, count });
  const arrivals = (count) => receiver.call('wait', { count, timeoutMs: TIMEOUT_MS });

  await receiver.call('reset');
  const changing = load(server.url, changesOf(jobs), changes, CONNECTIONS);
  const { last, sample } = await arrivals(changes);
  const live = changes / ((last - (await changing).firstAnswer) / 1000);
  say(`${changes} deliveries of as many changes: ${Math.round(live)}/s`);

  const postAlone = async (posts, by = 'undici') => {
    await receiver.call('reset');
    const url = `${hooked.receiverUrl}/cairn`;
    await bare.call('run', { url, body: sample.body, secret: SECRET, count: posts, by });
    const { first, last: end } = await receiver.call('wait', { count: posts, timeoutMs: TIMEOUT_MS });
    return (posts - 1) / ((end - first) / 1000);
  };
  await postAlone(BARE_WARM_UP);
  const alone = [await postAlone(deliveries)];
  say(`the bare loop: ${Math.round(alone[0])}/s`);

  await receiver.call('reset');
  const memory = watchMemory(server.pid);
  const begin = performance.timeOrigin + performance.now();
  const commits = Math.round(deliveries / jobs.length);
  const [, sustained] = await Promise.all([
    load(server.url, commonChangesOf(jobs), commits, 1),
    arrivals(commits * jobs.length),
  ]);
  const rate = (commits * jobs.length) / ((sustained.last - begin) / 1000);
  const growth = memory.end();
  say(
    `${deliveries} deliveries, from the first change on: ${Math.round(rate)}/s; memory grew by ${Math.round(growth)} MB`,
  );
  alone.push(await postAlone(deliveries));
  await server.stop();

  const accepting = await start(['serve', '--no-worker']);
  await load(accepting.url, commonChangesOf(jobs), commits, 1);
  await receiver.call('reset');
  const worker = await start(['worker']);
  const drained = await arrivals(commits * jobs.length);
  const backlog = (commits * jobs.length - 1) / ((drained.last - drained.first) / 1000);
  say(`${deliveries} deliveries of a backlog: ${Math.round(backlog)}/s`);
  const expected = changes + 2 * commits * jobs.length;
  const remark = await recorded(accepting.url, api.headers, webhook.id, expected);
  await worker.stop();
  alone.push(await postAlone(deliveries));
  await postAlone(BARE_WARM_UP, 'axios');
  const byAxios = await postAlone(deliveries, 'axios');
  say(`a bare loop of axios: ${Math.round(byAxios)}/s`);

  const unit = 'deliveries/s';
  return [
    line({
      name: `${changes} deliveries of as many changes by themselves`,
      unit,
      cairn: [live],
      bare: [median(alone)],
    }),
    line({
      name: `${deliveries} deliveries while ${commits} commits are made`,
      unit,
      cairn: [rate],
      bare: [median(alone)],
    }),
    line({ name: '… the process has grown by, once warm', unit: 'MB', cairn: [growth], goal: 50 }),
    line({
      name: `${deliveries} deliveries of a committed backlog`,
      unit,
      cairn: [backlog],
      bare: [median(alone)],
      goal: 0.2,
      remark,
    }),
    line({ name: '… beside a bare loop of axios', unit, cairn: [backlog], bare: [byAxios], goal: 1 }),
  ];
}

/** Looks at the memory of a process until `end`, which answers how much it grew after it had settled, in MB. */
function watchMemory(pid) {
  const seen = [];
  const ending = new AbortController();
  const watching = (async () => {
    while (!ending.signal.aborted) {
      const memory = await residentMemory(pid);
      if (memory !== null) seen.push(memory.now / 1e6);
      await pause(LOOK_MS);
    }
  })();
  return {
    end() {
      ending.abort();
      void watching;
      const settled = seen.slice(Math.floor(seen.length * SETTLED));
      const part = Math.max(1, Math.floor(settled.length / 4));
      return median(settled.slice(-part)) - median(settled.slice(0, part));
    },
  };
}

/** @returns a remark when not every delivery is in the webhook's list */
async function recorded(url, headers, webhook, expected) {
  const list = `${url}/api/webhooks/${webhook}/deliveries?status=delivered&page_size=1`;
  for (let tries = 0; tries < 50; tries += 1) {
    const answer = await fetch(list, { headers });
    const { count } = await answer.json();
    if (count === expected) return '';
    if (tries === 49) return `${count} deliveries are recorded, not ${expected}`;
    await pause(200);
  }
  return '';
}
