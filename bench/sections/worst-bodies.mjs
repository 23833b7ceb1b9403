// The worst request bodies we know of: how long other requests wait while one is read, and how much memory it takes.

import { logIn } from '../api.mjs';
import { line } from '../measure.mjs';
import { seed } from '../seed.mjs';
import { residentMemory } from '../server.mjs';
import { waitsDuring } from '../waits.mjs';
import { withTestDatabase } from '../workplace.mjs';

const LONGEST_WAIT_MS = 250;
const MAX_MEMORY_MB = 700;

/** @param {import('../bench.mjs').Run} run */
export function worstBodies({ cli, plan, say }) {
  return withTestDatabase(cli, async ({ start, database }) => {
    const server = await start();
    const { url: databaseUrl } = await database();
    const api = await logIn(server.url);
    const { jobs, label, tasks, project } = await seed(api, databaseUrl, { tasks: 1, jobsPerTask: 1 });
    const lines = [];
    const annotations = `/api/jobs/${jobs[0]}/annotations`;
    const bodies = function* () {
      for (const [name, text] of worst(plan.bodyBytes, label)) yield [name, 'PUT', annotations, text];
      yield* otherWorstBodies({ job: jobs[0], task: tasks[0], project });
    };
    for (const [name, method, path, text] of bodies()) {
      const { waits } = await waitsDuring(api, jobs[0], () => send(api, method, path, text));
      say(`${name}: others waited ${Math.max(...waits).toFixed(0)} ms`);
      const size = `${Math.round(text.length / 1e6)} MB`;
      lines.push(
        line({
          name: `longest wait during ${size}: ${name}`,
          unit: 'ms',
          cairn: [Math.max(...waits)],
          goal: LONGEST_WAIT_MS,
        }),
      );
    }
    const { largest } = await residentMemory(server.pid);
    return [
      ...lines,
      line({ name: '… maximum memory of all bodies', unit: 'MB', cairn: [largest / 1e6], goal: MAX_MEMORY_MB }),
    ];
  });
}

/** Bodies of about equal size, generated one at a time, since all of them together would take a gigabyte. */
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

/** Maximum size of all other request bodies. */
const JSON_BYTES = 10 * 2 ** 20 - 1_000;

/** [name, method, path, body] */
function* otherWorstBodies({ job, task, project }) {
  const fill = (piece) => `[${piece.repeat(Math.floor(JSON_BYTES / piece.length) - 1)}${piece.slice(0, -1)}]`;
  const list = (count, item) => JSON.stringify(Array.from({ length: count }, (_, index) => item(index)));
  const data = `/api/tasks/${task}/data`;
  const labels = (text) => `{"name":"x","labels":${text}}`;
  yield ['deleted frames', 'PATCH', `${data}/meta`, `{"deleted_frames":${fill('1,')}}`];
  yield ['deleted frames of a job', 'PATCH', `/api/jobs/${job}/data/meta`, `{"deleted_frames":${fill('1,')}}`];
  yield ['files of one job', 'POST', data, `{"image_quality":70,"job_file_mapping":[${fill('"a",')}]}`];
  yield ['files of many jobs', 'POST', data, `{"image_quality":70,"job_file_mapping":${fill('["a"],')}}`];
  yield [
    'as many files as a mapping takes',
    'POST',
    data,
    `{"image_quality":70,"job_file_mapping":${list(50_000, (index) => [`a${index}`, `b${index}`])}}`,
  ];
  yield ['remote files', 'POST', data, `{"image_quality":70,"remote_files":${fill('"x",')}}`];
  yield [
    'numbers of an issue',
    'POST',
    '/api/issues',
    `{"frame":0,"job":${job},"message":"x","position":${fill('1,')}}`,
  ];
  yield ['a list in place of a name', 'POST', '/api/projects', `{"name":${fill('1,')}}`];
  yield ['a list in place of a choice', 'PATCH', `/api/jobs/${job}`, `{"state":${fill('1,')}}`];
  yield ['a list for an unknown key', 'POST', '/api/projects', `{"name":"x","unknown":${fill('1,')}}`];
  yield ['empty labels', 'POST', '/api/projects', labels(fill('{},'))];
  yield ['numbers in place of labels', 'POST', '/api/projects', labels(fill('1,'))];
  yield ['4,900 labels', 'POST', '/api/projects', labels(list(4_900, (index) => ({ name: `label ${index}` })))];
  yield [
    '4,900 labels of an existing project',
    'PATCH',
    `/api/projects/${project}`,
    labels(list(4_900, (index) => ({ name: `label ${index}` }))),
  ];
  const skeleton = (index) => ({ name: `s${index}`, type: 'skeleton', svg: '', sublabels: [{ name: 'a' }] });
  yield ['2,400 skeletons', 'POST', '/api/projects', labels(list(2_400, skeleton))];
  const attribute = (index) => ({ name: `a${index}`, mutable: false, input_type: 'text', values: [] });
  yield ['4,900 attributes', 'POST', '/api/projects', labels(`[{"name":"x","attributes":${list(4_900, attribute)}}]`)];
  yield [
    'values of an attribute',
    'POST',
    '/api/projects',
    labels(`[{"name":"x","attributes":[{"name":"x","mutable":false,"input_type":"select","values":${fill('"x",')}}]}]`),
  ];
  yield ['jobs', 'PATCH', '/api/jobs', `{"ids":${fill('1,')},"state":"new"}`];
  yield [
    'events of a webhook',
    'POST',
    '/api/webhooks',
    `{"type":"project","project_id":${project},"target_url":"http://127.0.0.1:9","events":${fill('"x",')}}`,
  ];
  yield [
    'a filter of a webhook',
    'POST',
    '/api/webhooks',
    `{"type":"project","project_id":${project},"target_url":"http://127.0.0.1:9","events":["create:task"],"filter":{"in":["x",${fill('"x",')}]}}`,
  ];
  yield ['a contact', 'POST', '/api/organizations', `{"slug":"x","contact":${fill('1,')}}`];
  yield ['a contact of texts', 'POST', '/api/organizations', `{"slug":"x","contact":${fill('"x",')}}`];
  yield [
    'a long text',
    'POST',
    '/api/issues',
    `{"frame":0,"job":${job},"position":[1,2],"message":"${'x'.repeat(JSON_BYTES)}"}`,
  ];
}

async function send({ url, headers }, method, path, body) {
  const options = { method, headers: { ...headers, 'Content-Type': 'application/json' }, body };
  const response = await fetch(url + path, options);
  for await (const _ of response.body);
}
