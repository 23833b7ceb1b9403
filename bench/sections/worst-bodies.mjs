// The worst bodies of annotations that we could think of: how long do others wait while one is read, and what does it take?

import { setTimeout as pause } from 'node:timers/promises';
import { logIn } from '../api.mjs';
import { line } from '../measure.mjs';
import { seed } from '../seed.mjs';
import { residentMemory } from '../server.mjs';
import { withWorkplace } from '../workplace.mjs';

const LONGEST_WAIT_MS = 250;
const MAX_MEMORY_MB = 700;
const PROBE_MS = 10;

/** @param {import('../bench.mjs').Run} run */
export function worstBodies({ cli, plan, say }) {
  return withWorkplace(cli, async ({ start, database }) => {
    const server = await start();
    const { url: databaseUrl } = await database();
    const api = await logIn(server.url);
    const { jobs, label } = await seed(api, databaseUrl, { tasks: 1, jobsPerTask: 1 });
    const lines = [];
    for (const [name, text] of worst(plan.bodyBytes, label)) {
      const waits = await waitsBeside(api, jobs[0], () => put(api, jobs[0], text));
      say(`${name}: others waited ${Math.max(...waits).toFixed(0)} ms`);
      const size = `${Math.round(text.length / 1e6)} MB`;
      lines.push(
        line({
          name: `longest wait beside ${size}: ${name}`,
          unit: 'ms',
          cairn: [Math.max(...waits)],
          goal: LONGEST_WAIT_MS,
        }),
      );
    }
    const { largest } = await residentMemory(server.pid);
    return [
      ...lines,
      line({ name: '… most memory of them all', unit: 'MB', cairn: [largest / 1e6], goal: MAX_MEMORY_MB }),
    ];
  });
}

/** Bodies of about as many bytes, one at a time, since all of them would take a gigabyte. */
function* worst(bytes, label) {
  const fill = (piece) => piece.repeat(Math.floor(bytes / piece.length));
  const shapes = (text) => `{"shapes":[${text}]}`;
  const polygon = (points) => shapes(`{"type":"polygon","frame":0,"label_id":${label},"points":[${points}]}`);
  const polygonOf = (numbers) =>
    `{"type":"polygon","frame":0,"label_id":${label},"points":[${'1,'.repeat(numbers - 1)}1]}`;
  const shape = `{"type":"rectangle","frame":0,"label_id":${label},"points":[1,2,3,4]}`;
  yield ['no objects', shapes(`${fill('1,')}1`)];
  yield ['empty objects', shapes(`${fill('{},')}{}`)];
  yield ['nested lists', shapes(fill('['))];
  yield ['a polygon of numbers', polygon(`${fill('1,')}1`)];
  yield ['polygons of numbers', shapes(`${polygonOf(1_000_000)},`.repeat(bytes / 2e6 - 1) + polygonOf(1_000_000))];
  yield ['a polygon of texts', polygon(`${fill('"x",')}1`)];
  yield ['a long number', polygon('1'.repeat(bytes))];
  yield ['a long key', shapes(`{"${'k'.repeat(bytes)}":1}`)];
  yield ['many keys', shapes(`{${Array.from({ length: bytes / 13 }, (_, index) => `"k${index}":1`).join()}}`)];
  yield ['a long text', shapes(`{"type":"${fill(String.raw`\u0041`)}"}`)];
  yield ['unknown keys', shapes(`${fill('{"a":1,"b":2,"c":3},')}{"a":1}`)];
  yield [
    'a track of many keyframes',
    `{"tracks":[{"frame":0,"label_id":${label},"shapes":[${fill(`${shape},`)}${shape}]}]}`,
  ];
  yield ['many shapes', shapes(`${fill(`${shape},`)}${shape}`)];
}

async function put({ url, headers }, job, body) {
  const response = await fetch(`${url}/api/jobs/${job}/annotations`, {
    method: 'PUT',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  });
  for await (const _ of response.body);
}

/** @returns {Promise<number[]>} milliseconds of small requests while the work is done */
async function waitsBeside({ url, headers }, job, work) {
  const waits = [];
  const state = { isDone: false };
  const done = work().finally(() => (state.isDone = true));
  while (!state.isDone) {
    const begin = performance.now();
    await (await fetch(`${url}/api/jobs/${job}`, { headers })).text();
    waits.push(performance.now() - begin);
    await pause(PROBE_MS);
  }
  await done;
  return waits;
}
