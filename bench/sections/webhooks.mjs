// Deliveries of recorded changes to a local receiver, compared with a loop that only posts the same bytes.

import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../child.mjs';
import { changesOf, commonChangesOf, SECRET, withHooks } from '../hooked.mjs';
import { line, median } from '../measure.mjs';
import { residentMemory } from '../server.mjs';

const CONNECTIONS = 16;
const TIMEOUT_MS = 300_000;
/**
 * A new process is slow, so the first posts of the loop and of a worker are not timed. A worker has more code to warm
 * up.
 */
const BARE_WARM_UP = 2_000;
const WORKER_WARM_UP = 10_000;
/** The machine's speed changes by the minute, so loops and backlogs alternate. */
const ROUNDS = 2;
const LOOK_MS = 250;
/**
 * Memory is a sawtooth: the garbage of 60,000 to 80,000 deliveries is collected at once, and only the minima of several
 * teeth show whether it grows. All deliveries are repeated in several rounds: some to warm up, two to compare.
 */
const MEMORY_ROUNDS = { warmUp: 4, compared: 2 };

/** How two processes share the work of two processors. */
const SHARED = [
  ['--only', 'webhooks'],
  ['--only', 'events', 'upkeep'],
];

/** @param {import('../bench.mjs').Run} run */
export function webhooks({ cli, plan, say }) {
  return withHooks({ cli, tasks: 100, jobsPerTask: 5 }, async (hooked) => {
    const baseline = startProgram('baseline-posts');
    try {
      return await measure(hooked, baseline, plan, say);
    } finally {
      await baseline.stop();
    }
  });
}

async function measure(hooked, baseline, { changes, deliveries }, say) {
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
    await baseline.call('run', { url, body: sample.body, secret: SECRET, count: posts, by });
    const { first, last: end } = await receiver.call('wait', { count: posts, timeoutMs: TIMEOUT_MS });
    return (posts - 1) / ((end - first) / 1000);
  };
  await postAlone(BARE_WARM_UP);
  const alone = [await postAlone(deliveries)];
  say(`the baseline: ${Math.round(alone[0])}/s`);

  await receiver.call('reset');
  const begin = performance.timeOrigin + performance.now();
  const commits = Math.round(deliveries / jobs.length);
  const [, sustained] = await Promise.all([
    load(server.url, commonChangesOf(jobs), commits, 1),
    arrivals(commits * jobs.length),
  ]);
  const rate = (commits * jobs.length) / ((sustained.last - begin) / 1000);
  say(`${deliveries} deliveries, from the first change on: ${Math.round(rate)}/s`);
  alone.push(await postAlone(deliveries));
  await server.stop();

  const accepting = await start(['serve', '--no-worker']);
  let expected = changes + commits * jobs.length;
  const warmUp = Math.round(WORKER_WARM_UP / jobs.length) * jobs.length;
  const backlog = warmUp + commits * jobs.length;
  /**
   * Creates changes without deliveries, then starts `workers`.
   * @returns deliveries per second, for all of them (`cold`) and for those after the warm-up
   */
  const drain = async (workers) => {
    await load(accepting.url, commonChangesOf(jobs), backlog / jobs.length, 1);
    await receiver.call('reset', { mark: warmUp });
    const running = [];
    // Starts one after the other: senders wait for the first event, so nothing is done before the first arrival.
    for (const args of workers) running.push(await start(['worker', ...args]));
    const drained = await arrivals(backlog);
    const cold = (backlog - 1) / ((drained.last - drained.first) / 1000);
    const warm = (backlog - warmUp) / ((drained.last - drained.marked) / 1000);
    say(
      `${deliveries} deliveries of a backlog, by ${workers.length}: ${Math.round(warm)}/s, ${Math.round(cold)}/s in all`,
    );
    expected += backlog;
    const remark = await recorded(accepting.url, api.headers, webhook.id, expected);
    for (const worker of running) await worker.stop();
    alone.push(await postAlone(deliveries));
    return { cold, warm, remark };
  };
  const byOne = [];
  const byTwo = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    byOne.push(await drain([[]]));
    byTwo.push(await drain(SHARED));
  }
  await postAlone(BARE_WARM_UP, 'axios');
  const byAxios = await postAlone(deliveries, 'axios');
  say(`a baseline with axios: ${Math.round(byAxios)}/s`);

  const lasting = await start(['serve']);
  const lows = [];
  for (let round = 0; round < MEMORY_ROUNDS.warmUp + 2 * MEMORY_ROUNDS.compared; round += 1) {
    await receiver.call('reset');
    const memory = watchMemory(lasting.pid);
    await Promise.all([load(lasting.url, commonChangesOf(jobs), commits, 1), arrivals(commits * jobs.length)]);
    lows.push(memory.lowest());
  }
  await lasting.stop();
  const warm = lows.slice(MEMORY_ROUNDS.warmUp);
  const growth = Math.min(...warm.slice(MEMORY_ROUNDS.compared)) - Math.min(...warm.slice(0, MEMORY_ROUNDS.compared));
  say(`${deliveries} deliveries again and again, lowest memory of each time: ${lows.map(Math.round).join(', ')} MB`);

  return [
    line({
      name: `${changes} deliveries, one for each change`,
      unit: DELIVERIES_A_SECOND,
      cairn: [live],
      baseline: [median(alone)],
    }),
    line({
      name: `${deliveries} deliveries while ${commits} commits run`,
      unit: DELIVERIES_A_SECOND,
      cairn: [rate],
      baseline: [median(alone)],
    }),
    ofBacklog(`${deliveries} deliveries of a committed backlog, by one process`, byOne, { baseline: alone, goal: 0.2 }),
    ofBacklog('… compared with a baseline with axios', byOne, { baseline: [byAxios], goal: 1 }),
    ofBacklog(`… after ${WORKER_WARM_UP} others, from the start of the process`, byOne, {
      baseline: alone,
      rate: 'cold',
    }),
    ofBacklog('… by two processes: one for events, one for webhooks', byTwo, { baseline: alone, goal: 0.2 }),
    ofBacklog(`… after ${WORKER_WARM_UP} others, from the start of both`, byTwo, { baseline: alone, rate: 'cold' }),
    line({
      name: `… memory growth of a warm server after ${lows.length} times as many`,
      unit: 'MB',
      cairn: [growth],
      goal: 50,
    }),
  ];
}

const DELIVERIES_A_SECOND = 'deliveries/s';

/** A table row for drained backlogs. */
const ofBacklog = (name, drains, { baseline, goal, rate = 'warm' }) =>
  line({
    name,
    unit: DELIVERIES_A_SECOND,
    cairn: drains.map((drained) => drained[rate]),
    baseline: [median(baseline)],
    goal,
    remark: drains.find(({ remark }) => remark !== '')?.remark,
  });

/** Samples the memory of a process until `lowest` is called, which returns the minimum in MB. */
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
    lowest() {
      ending.abort();
      void watching;
      return Math.min(...seen);
    },
  };
}

/** @returns a remark unless every delivery is in the webhook's list */
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
