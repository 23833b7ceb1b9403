// Large amounts of data: images that stay in a shared folder, images in one archive, one very large file.

import { link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { ZipFile } from 'yazl';
import { logIn } from '../api.mjs';
import { line } from '../measure.mjs';
import { photographs } from '../photographs.mjs';
import { residentMemory } from '../server.mjs';
import { withTestDatabase } from '../workplace.mjs';

const POLL_MS = 100;
const TIMEOUT_MS = 600_000;
const PICTURES = 50;
const PER_FOLDER = 1000;
/** Size of one request, as in the official client. */
const PIECE_BYTES = 10 * 2 ** 20;

/** Size of an image in the archive. */
const SMALL = { width: 480, height: 270 };

/** @param {import('../bench.mjs').Run} run */
export function upload({ cli, plan, say }) {
  return withTestDatabase(cli, async ({ start }) => {
    const server = await start();
    const api = await logIn(server.url);
    await pause(plan.idleSeconds * 1000);
    const idle = await residentMemory(server.pid);
    const { id } = await api.post('/api/tasks', { name: 'large', labels: [{ name: 'car' }] });
    const begin = performance.now();
    await send(api, id, repeated(plan.uploadBytes), plan.uploadBytes);
    const seconds = (performance.now() - begin) / 1000;
    say(`${plan.uploadBytes} bytes: ${seconds.toFixed(1)} s`);
    const name = `a file of ${(plan.uploadBytes / 1e9).toFixed(1)} GB, uploaded in chunks`;
    return [line({ name, unit: 's', cairn: [seconds] }), ...(await growth(server.pid, idle))];
  });
}

function* repeated(length) {
  const piece = Buffer.alloc(PIECE_BYTES, 7);
  for (let at = 0; at < length; at += piece.length) yield piece.subarray(0, Math.min(piece.length, length - at));
}

/** @param {import('../bench.mjs').Run} run */
export async function sources({ cli, plan, say }) {
  const files = await photographs(PICTURES, say);
  const share = await mkdtemp(join(tmpdir(), 'cairn-bench-share-'));
  try {
    await fill(share, files, plan.shared);
    say(`${plan.shared} images lie in ${share}`);
    return await withTestDatabase(cli, async ({ start }) => {
      const server = await start(['serve'], { SHARE_DIR: share });
      const api = await logIn(server.url);
      await pause(plan.idleSeconds * 1000);
      const idle = await residentMemory(server.pid);
      const lines = await sent(api, server.pid, idle, files, plan.archived);
      say(lines.map(({ name, cairn, unit }) => `${name}: ${cairn.toFixed(1)} ${unit}`).join('; '));
      const seconds = await registered(api, { server_files: ['/'] });
      say(`${plan.shared} images of the shared folder: ${seconds.toFixed(1)} s`);
      const name = `${plan.shared.toLocaleString('en')} images of a shared folder`;
      return [
        ...lines,
        line({ name: `${name} registered`, unit: 's', cairn: [seconds], goal: 180 }),
        ...(await growth(server.pid, idle)),
      ];
    });
  } finally {
    await rm(share, { recursive: true, force: true });
  }
}

/** Hard links to copies of some photographs: one file would exceed the file system's limit of links. */
async function fill(share, files, count) {
  const copies = [];
  for (const [at, file] of files.entries()) {
    copies.push(join(share, `copy-${at}.jpg`));
    await writeFile(copies[at], await readFile(file));
  }
  for (let first = 0; first < count; first += PER_FOLDER) {
    const folder = join(share, `part-${String(first / PER_FOLDER).padStart(3, '0')}`);
    await mkdir(folder);
    const numbers = Array.from({ length: Math.min(PER_FOLDER, count - first) }, (_, at) => first + at);
    await Promise.all(numbers.map((at) => link(copies[at % copies.length], join(folder, `${at}.jpg`))));
  }
  for (const copy of copies) await rm(copy);
}

/** Sends an archive while creating it, and waits for the task. */
async function sent(api, pid, idle, files, count) {
  const images = await Promise.all(files.map((file) => sharp(file).resize(SMALL).jpeg().toBuffer()));
  const zip = new ZipFile();
  for (let at = 0; at < count; at += 1) {
    const image = images[at % images.length];
    const name = `${String(at).padStart(6, '0')}.jpg`;
    // Entries are created on demand, so that the client holds a part of the archive and not all of it.
    zip.addReadStreamLazy(name, { compress: false, size: image.length }, (use) => use(null, Readable.from([image])));
  }
  const length = await new Promise((resolve) => zip.end({ forceZip64Format: true }, resolve));
  const { id } = await api.post('/api/tasks', { name: 'archive', labels: [{ name: 'car' }] });
  const begin = performance.now();
  await send(api, id, zip.outputStream, length);
  const uploaded = (performance.now() - begin) / 1000;
  const seconds = await finished(api, id, {});
  const what = `an archive of ${count.toLocaleString('en')} images, ${(length / 1e9).toFixed(2)} GB`;
  return [
    line({ name: `${what}, uploaded in chunks`, unit: 's', cairn: [uploaded] }),
    line({ name: '… task created from it', unit: 's', cairn: [seconds] }),
    ...(await growth(pid, idle)),
  ];
}

/** Growth of the largest resident memory since the start; empty where there is no /proc. */
async function growth(pid, idle) {
  const memory = await residentMemory(pid);
  if (memory === null || idle === null) return [];
  const name = '… maximum memory above the idle server';
  return [line({ name, unit: 'MB', cairn: [(memory.largest - idle.now) / 1e6], goal: 300 })];
}

async function send(api, task, stream, length) {
  const address = `${api.url}/api/tasks/${task}/data/`;
  const { 'Content-Type': _, ...headers } = api.headers;
  await call(address, { method: 'POST', headers: { ...headers, 'Upload-Start': '' } });
  const announced = {
    ...headers,
    'Upload-Length': String(length),
    'Upload-Metadata': `filename ${Buffer.from('photographs.zip').toString('base64')}`,
  };
  const place = (await call(address, { method: 'POST', headers: announced })).headers.get('location');
  let offset = 0;
  const append = async (body) => {
    const type = 'application/offset+octet-stream';
    const piece = { ...headers, 'Content-Type': type, 'Upload-Offset': String(offset) };
    await call(place, { method: 'PATCH', headers: piece, body });
    offset += body.length;
  };
  let waiting = [];
  let bytes = 0;
  for await (const part of stream) {
    waiting.push(part);
    bytes += part.length;
    if (bytes < PIECE_BYTES) continue;
    await append(Buffer.concat(waiting));
    [waiting, bytes] = [[], 0];
  }
  if (bytes > 0) await append(Buffer.concat(waiting));
  if (offset !== length) throw new Error(`${offset} bytes were sent instead of ${length}.`);
}

async function registered(api, parameters) {
  const { id } = await api.post('/api/tasks', { name: 'shared folder', labels: [{ name: 'car' }], segment_size: 1000 });
  return finished(api, id, parameters);
}

/** @returns {Promise<number>} seconds from the last request of the client to the end of the background request */
async function finished(api, task, parameters) {
  const begin = performance.now();
  const headers = { ...api.headers, 'Upload-Finish': '' };
  const body = JSON.stringify({ image_quality: 70, ...parameters });
  const { rq_id: id } = await (
    await call(`${api.url}/api/tasks/${task}/data/`, { method: 'POST', headers, body })
  ).json();
  while (performance.now() - begin < TIMEOUT_MS) {
    const { status, message } = await api.get(`/api/requests/${encodeURIComponent(id)}`);
    if (status === 'finished') return (performance.now() - begin) / 1000;
    if (status === 'failed') throw new Error(`The task could not be created: ${message.trim()}`);
    await pause(POLL_MS);
  }
  throw new Error(`The task was not created within ${TIMEOUT_MS / 1000} s.`);
}

async function call(address, options) {
  const response = await fetch(address, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok)
    throw new Error(`${options.method} ${address} was answered with ${response.status}: ${await response.text()}`);
  return response;
}
