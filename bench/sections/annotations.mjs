// Saves and reads many rectangles of a job, compared with COPY of the same rows and one prepared query.

import { startProgram } from '../child.mjs';
import { interleave, line } from '../measure.mjs';
import { difference } from '../same.mjs';

const FRAMES = 20;
const APPENDED = 1000;
const APPENDS = 9;
/** Minimum speed relative to COPY (a third) and to a prepared query (half). */
const GOALS = { put: 1 / 3, get: 1 / 2, from: 100_000 };
const APPEND_GOAL_S = 0.1;

/** @param {import('../bench.mjs').Run} run */
export async function annotations({ api, databaseUrl, seeded, client, plan, say }) {
  const job = seeded.jobs[0];
  const path = `/api/jobs/${job}/annotations`;
  if (!(await api.serves(path))) {
    say('this server does not have annotations');
    return [];
  }
  const baseline = startProgram('baseline-annotations');
  try {
    const baselineUrl = await baseline.call('start', { databaseUrl });
    const send = async (base, request) => (await client.call('once', { base, headers: api.headers, request })).seconds;
    const lines = [];
    for (const { count, rounds } of plan.rectangles) {
      const body = JSON.stringify({ version: 0, tags: [], shapes: rectangles(count, seeded.label), tracks: [] });
      const put = () => send(api.url, { method: 'PUT', path, body });
      const get = () => send(api.url, { method: 'GET', path });
      const baselineGet = () => send(baselineUrl, { method: 'GET', path: `/${job}` });
      await put(); // the first save replaces nothing
      await baseline.call('take', { job });
      await baseline.call('write');
      const written = await interleave(rounds, put, () => baseline.call('write'));
      const theirs = await (await fetch(`${baselineUrl}/${job}`)).text();
      const found = difference((await api.call('GET', path)).text, theirs);
      const read = await interleave(rounds, get, baselineGet);
      const remark = found === '' ? '' : `responses differ, ${found}`;
      const many = count.toLocaleString('en');
      const isMany = count >= GOALS.from;
      lines.push(
        line({ name: `PUT ${many} rectangles`, unit: 's', ...written, ...(isMany && { goal: GOALS.put }) }),
        line({ name: `GET ${many} rectangles`, unit: 's', ...read, remark, ...(isMany && { goal: GOALS.get }) }),
      );
      say(`${many} rectangles: PUT ${lines.at(-2).cairn.toFixed(2)} s, GET ${lines.at(-1).cairn.toFixed(2)} s`);
    }
    const largest = plan.rectangles.at(-1).count.toLocaleString('en');
    const more = JSON.stringify({ shapes: rectangles(APPENDED, seeded.label) });
    const appended = [];
    for (let round = 0; round < APPENDS; round += 1) {
      appended.push(await send(api.url, { method: 'PATCH', path: `${path}?action=create`, body: more }));
    }
    const name = `${APPENDED.toLocaleString('en')} more rectangles in a job of ${largest}`;
    lines.push(line({ name, unit: 's', cairn: appended, goal: APPEND_GOAL_S }));
    say(`appending: ${(lines.at(-1).cairn * 1000).toFixed(0)} ms`);
    return lines;
  } finally {
    await baseline.stop();
  }
}

/** The same rectangles in each run, spread over the job's frames, with two-digit coordinates as people draw them. */
function rectangles(count, label) {
  let state = 1;
  const next = (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit * 100) / 100;
  };
  return Array.from({ length: count }, (_, at) => {
    const [x, y] = [next(1800), next(1000)];
    const points = [x, y, x + 5 + next(100), y + 5 + next(75)].map((value) => Math.round(value * 100) / 100);
    return { type: 'rectangle', frame: at % FRAMES, label_id: label, occluded: at % 10 === 0, points };
  });
}
