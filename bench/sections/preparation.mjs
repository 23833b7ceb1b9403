// How slowly requests for a task respond while 1,000 photographs are processed. That takes a fraction of a second, so
// several tasks are created one after the other, and their response times are combined.

import { link, mkdtemp, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { line, median } from '../measure.mjs';
import { photographs } from '../photographs.mjs';

const QUALITY = 70;
const PARALLEL_READS = 2;
const PAUSE_MS = 10;
/** Gives the server time to remove the files of a deleted task. */
const PAUSE_BETWEEN_MS = 1000;
const IDLE_SAMPLES = 80;

/** @param {import('../bench.mjs').Run} run */
export async function preparation({ api, client, plan, say, seeded }) {
  const half = await photographs(plan.preparation / 2, say);
  const folder = await mkdtemp(join(dirname(half[0]), 'again-'));
  try {
    const again = half.map((file) => join(folder, `again-${basename(file)}`));
    await Promise.all(half.map((file, at) => link(file, again[at])));
    const path = `/api/tasks/${seeded.tasks[0]}`;
    await times(api, path, enough(IDLE_SAMPLES)); // warm-up
    const idle = await times(api, path, enough(IDLE_SAMPLES));
    const taken = { receiving: [], preparing: [], encoding: [] };
    for (let round = 0; round < plan.preparations; round += 1) {
      const { id: task } = await api.post('/api/tasks', { name: 'in preparation', labels: [{ name: 'car' }] });
      const common = { base: api.url, headers: api.headers, task };
      const sending = client.call('send', { ...common, files: [...half, ...again], quality: QUALITY });
      taken.receiving.push(...(await timesDuring(api, path, sending)));
      const finishing = client.call('finish', { ...common, request: await sending });
      taken.preparing.push(...(await timesDuring(api, path, finishing)));
      const reading = client.call('chunks', { ...common, parallel: PARALLEL_READS });
      taken.encoding.push(...(await timesDuring(api, path, reading)));
      await api.delete(`/api/tasks/${task}`);
      await pause(PAUSE_BETWEEN_MS);
      idle.push(...(await times(api, path, enough(IDLE_SAMPLES))));
    }
    const { receiving, preparing, encoding } = taken;
    const count = plan.preparation.toLocaleString('en');
    const lines = [
      compared(`GET one task while ${count} photographs are uploaded, compared with idle`, receiving, idle),
      compared('… while the task is created, compared with idle', preparing, idle, 0.5),
      compared('… while all their compressed chunks are created and read, compared with idle', encoding, idle, 0.5),
    ];
    say(
      `median of GET one task: idle ${median(idle).toFixed(1)} ms, then ${lines.map((l) => l.cairn.toFixed(1)).join(', ')}`,
    );
    return lines;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The baseline is the same request on the idle server; the limit is half its speed. */
const compared = (name, busy, idle, goal) =>
  line({ name, unit: 'ms', cairn: [median(busy)], baseline: [median(idle)], goal, remark: `${busy.length} requests` });

function enough(count) {
  let left = count;
  return () => left-- > 0;
}

async function timesDuring(api, path, work) {
  let running = true;
  const ended = work.finally(() => {
    running = false;
  });
  const [taken] = await Promise.all([times(api, path, () => running), ended]);
  return taken;
}

/** @returns milliseconds of consecutive requests, with pauses, as long as `goesOn` */
async function times(api, path, goesOn) {
  const taken = [];
  while (goesOn()) {
    const begin = performance.now();
    await api.get(path);
    taken.push(performance.now() - begin);
    await pause(PAUSE_MS);
  }
  return taken;
}
