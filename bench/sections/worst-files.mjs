// Small files and annotations that ask for far more work than their size: how long other requests wait, the memory, and
// what becomes of the request.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { logIn } from '../api.mjs';
import { parquetOfRun, parquetOfValues, pdfOfOnePage, pngOfZeros, yamlOfKeys, zipOf } from '../malicious-files.mjs';
import { line } from '../measure.mjs';
import { waitsDuring, watchMemory } from '../waits.mjs';
import { withTestDatabase } from '../workplace.mjs';

const LONGEST_WAIT_MS = 250;
const TIMEOUT_MS = 300_000;
const SIZE = { width: 640, height: 480 };
const FRAMES = 9;

/** @param {import('../bench.mjs').Run} run */
export async function worstFiles({ cli, say }) {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-turns-'));
  try {
    return await withTestDatabase(cli, async ({ start }) => {
      const { href } = pathToFileURL(join(import.meta.dirname, '..', 'programs', 'turn-watch.mjs'));
      const turns = join(folder, 'turns');
      const server = await start(['serve'], { NODE_OPTIONS: `--import=${href}`, BENCH_TURNS: turns });
      return await measured({ server, turns, say });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measured({ server, turns, say }) {
  const api = await logIn(server.url);
  const subject = await subjectOf(api);
  const lines = [];
  for (const { name, prepare, work } of worst(api, subject)) {
    await prepare?.();
    await rm(turns, { force: true });
    const stop = watchMemory(server.pid);
    const withAnswer = () => work().catch((error) => `no response: ${error.message}`);
    const { waits, result } = await waitsDuring(api, subject.jobs[0], withAnswer);
    const turn = Math.max(0, ...(await readFile(turns, 'utf8').catch(() => '')).split('\n').map(Number));
    const numbers = `longest turn ${turn === 0 ? 'under 5' : turn.toFixed(0)} ms, ${Math.round(stop() / 1e6)} MB`;
    say(`${name}: others waited ${Math.max(...waits).toFixed(0)} ms, ${numbers}: ${result}`);
    const remark = `${numbers}; ${result}`.replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`);
    const row = { name: `longest wait during ${name}`, unit: 'ms', cairn: [Math.max(...waits)] };
    lines.push(line({ ...row, goal: LONGEST_WAIT_MS, remark }));
  }
  return lines;
}

/** Every case: `work` returns what became of the request. */
function worst(api, { task, jobs, labels }) {
  const importing = (format, files) => async () => importFile(api, task, { format, archive: await zipOf(files) });
  const masks = (png) => ({
    'labelmap.txt': 'car:255,0,0::\n',
    'ImageSets/Segmentation/default.txt': '0\n',
    'SegmentationClass/0.png': png,
  });
  const replaced = async (shapes, targets = jobs) => {
    for (const job of targets) await replaceAnnotations(api, job, shapes);
  };
  const shape = (type, points) => ({ type, points, frame: 4, label_id: labels[0] });
  const read = async () => {
    const response = await fetch(`${api.url}/api/tasks/${task}/annotations`, { headers: api.headers });
    const text = await response.text();
    return response.ok ? `${response.status}, ${JSON.parse(text).shapes.length} shapes` : `${response.status}: ${text.slice(0, 200)}`; // prettier-ignore
  };
  const exported = (format) => () => exportTask(api, task, format);
  const polygon = Array.from({ length: 200 }, (_, at) => [320 + 200 * Math.cos((at * Math.PI) / 100), 240 + 200 * Math.sin((at * Math.PI) / 100)]).flat(); // prettier-ignore
  return [
    { name: '142 bytes of Parquet: 400,000,000 values', work: importing('Hugging Face Parquet 1.0', { 'metadata.parquet': parquetOfValues() }) }, // prettier-ignore
    { name: '126 bytes of Parquet: a run of 400,000,000 values', work: importing('Hugging Face Parquet 1.0', { 'metadata.parquet': parquetOfRun() }) }, // prettier-ignore
    { name: '620 KB of YAML: 60,000 keys', work: importing('Ultralytics YOLO Detection 1.0', { 'data.yaml': yamlOfKeys() }) }, // prettier-ignore
    { name: '2.9 MB of PNG: a mask of 3 GB', work: importing('Segmentation mask 1.1', masks(pngOfZeros(60_000, 50_000))) }, // prettier-ignore
    { name: '2.9 MB of PNG: 3 GB for a mask of 640×480', work: importing('Segmentation mask 1.1', masks(pngOfZeros(640, 480))) }, // prettier-ignore
    { name: '2.9 MB of PNG: an image of 3 GB', work: () => newTask(api, 'a.png', pngOfZeros(60_000, 50_000)) },
    { name: '2.9 MB of PNG: 3 GB for an image of 640×480', work: () => newTask(api, 'a.png', pngOfZeros(640, 480)) },
    { name: '300 KB of PDF: 50,000 pages that are one', work: () => newTask(api, 'a.pdf', pdfOfOnePage()) },
    ...['Segmentation mask 1.1', 'COCO 1.0', 'CVAT for images 1.1'].map((format) => ({
      name: `export of an ellipse with a radius of 1e9: ${format}`,
      prepare: () => replaced([shape('ellipse', [0, 0, 1e9, -1e9])], jobs.slice(0, 1)),
      work: exported(format),
    })),
    {
      name: 'GET annotations: 1,000 equal polygons in the overlap',
      prepare: () => replaced(Array.from({ length: 1000 }, () => shape('polygon', polygon))),
      work: read,
    },
    {
      name: 'GET annotations: 3,000 rectangles in the overlap',
      prepare: () => replaced(Array.from({ length: 3000 }, (_, at) => shape('rectangle', [at / 100, at / 100, 600, 400]))), // prettier-ignore
      work: read,
    },
  ];
}

/** A task whose two jobs share frames. */
async function subjectOf(api) {
  const { id: task } = await api.post('/api/tasks', { name: 'Overlap', labels: [{ name: 'car' }], segment_size: 6, overlap: 3 }); // prettier-ignore
  const image = await sharp({ create: { ...SIZE, channels: 3, background: 'grey' } })
    .jpeg()
    .toBuffer();
  const outcome = await sendData(
    api,
    task,
    Array.from({ length: FRAMES }, (_, at) => [`${at}.jpg`, image]),
  );
  if (!outcome.startsWith('finished')) throw new Error(`The images could not be processed: ${outcome}`);
  const ids = async (path) => (await api.get(path)).results.map(({ id }) => id).toSorted((a, b) => a - b);
  return { task, jobs: await ids(`/api/jobs?task_id=${task}`), labels: await ids(`/api/labels?task_id=${task}`) };
}

async function newTask(api, name, content) {
  const { id: task } = await api.post('/api/tasks', { name, labels: [{ name: 'car' }] });
  return sendData(api, task, [[name, content]]);
}

function sendData(api, task, files) {
  const form = new FormData();
  form.append('image_quality', '70');
  for (const [at, [name, content]] of files.entries()) form.append(`client_files[${at}]`, new Blob([content]), name);
  return requested(api, `/api/tasks/${task}/data`, form);
}

function importFile(api, task, { format, archive }) {
  const form = new FormData();
  form.append('annotation_file', new Blob([archive]), 'a.zip');
  return requested(api, `/api/tasks/${task}/annotations?format=${encodeURIComponent(format)}`, form);
}

const exportTask = (api, task, format) =>
  requested(api, `/api/tasks/${task}/dataset/export?format=${encodeURIComponent(format)}&save_images=false`);

/** Sends a form and waits for the background request. @returns {Promise<string>} how it ended */
async function requested({ url, headers: all }, path, body) {
  const { 'Content-Type': _, ...headers } = all;
  const response = await fetch(url + path, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== 202) return `${response.status}: ${text.slice(0, 200)}`;
  const { rq_id: id } = JSON.parse(text);
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const { status, message } = await (
      await fetch(`${url}/api/requests/${encodeURIComponent(id)}`, { headers })
    ).json();
    if (status === 'finished') return 'finished';
    if (status === 'failed') return `failed: ${message.trim().slice(0, 200)}`;
    await pause(50);
  }
  return `not finished within ${TIMEOUT_MS / 1000} s`;
}

async function replaceAnnotations({ url, headers }, job, shapes) {
  const path = `/api/jobs/${job}/annotations`;
  const response = await fetch(url + path, { method: 'PUT', headers, body: JSON.stringify({ shapes }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${text.slice(0, 300)}`);
}
