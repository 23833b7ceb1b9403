// Uploads photographs to a task and reads its chunks, as the official client does.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as requestTo } from 'node:http';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 20;
const TIMEOUT_MS = 120_000;
/** Maximum total size of the files in one request, as in the official client. */
const REQUEST_BYTES = 100 * 2 ** 20;

/**
 * Sends files in requests of up to 100 MB between "start" and "finish" and waits for the background request.
 *
 * @param {{base: string, headers: object, task: number, files: string[], quality: number}} options
 * @returns {Promise<{seconds: number, sent: number}>} from the first byte to the finished request, and from the first byte
 *   to the response that accepted everything
 */
export async function uploadPhotographs(options) {
  const begin = performance.now();
  const request = await sendPhotographs(options);
  const sent = (performance.now() - begin) / 1000;
  await untilFinished({ ...options, request });
  return { seconds: (performance.now() - begin) / 1000, sent };
}

/** @returns {Promise<string>} the id of the background request that prepares the task */
export async function sendPhotographs({ base, headers, task, files, quality }) {
  const address = `${base}/api/tasks/${task}/data/`;
  const { 'Content-Type': _, ...common } = headers;
  await send(address, { ...common, 'Upload-Start': 'true' });
  for await (const form of forms(files, quality))
    await sendParts(address, { ...common, ...FORM, 'Upload-Multiple': 'true' }, form);
  const answer = await send(
    address,
    { ...common, 'Upload-Finish': 'true', 'Content-Type': 'application/json' },
    JSON.stringify({ image_quality: quality }),
  );
  return (await answer.json()).rq_id;
}

/**
 * Request bodies as complete forms, so that the client, which shares the processors with the server, does no more work
 * than sending requires.
 */
async function* forms(files, quality) {
  let [parts, size, place] = [[], 0, 0];
  for (const file of files) {
    const bytes = await readFile(file);
    if (size > 0 && size + bytes.length > REQUEST_BYTES) {
      yield ended(parts, quality);
      [parts, size, place] = [[], 0, 0];
    }
    parts.push(head(`client_files[${place}]`, `; filename="${basename(file)}"\r\nContent-Type: image/jpeg`), bytes);
    size += bytes.length;
    place += 1;
  }
  yield ended(parts, quality);
}

const BOUNDARY = `----cairn-${'0123456789'.repeat(2)}`;
const FORM = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

const head = (name, more = '') =>
  Buffer.from(`\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`);

const ended = (parts, quality) => [...parts, head('image_quality'), Buffer.from(`${quality}\r\n--${BOUNDARY}--\r\n`)];

/** Waits for a background request. @throws when it fails */
export async function untilFinished({ base, headers, request }) {
  const address = `${base}/api/requests/${encodeURIComponent(request)}`;
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const response = await fetch(address, { headers });
    const { status, message } = await response.json();
    if (status === 'finished') return;
    if (status === 'failed') throw new Error(`The photographs could not be processed: ${message.trim()}`);
    await pause(POLL_MS);
  }
  throw new Error(`The photographs were not processed within ${TIMEOUT_MS / 1000} s.`);
}

/**
 * Reads all compressed chunks of a task, several at a time.
 *
 * @returns {Promise<{seconds: number, first: Buffer}>} `first` is chunk 0
 */
export async function readChunks({ base, headers, task, parallel }) {
  const begin = performance.now();
  const { size, chunk_size: chunkSize } = await (
    await fetch(`${base}/api/tasks/${task}/data/meta`, { headers })
  ).json();
  const numbers = Array.from({ length: Math.ceil(size / chunkSize) }, (_, number) => number).values();
  let first = Buffer.alloc(0);
  const lane = async () => {
    for (const number of numbers) {
      const response = await fetch(`${base}/api/tasks/${task}/data?type=chunk&quality=compressed&number=${number}`, {
        headers,
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      if (!response.ok) throw new Error(`Chunk ${number} was answered with ${response.status}.`);
      if (number === 0) first = bytes;
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  return { seconds: (performance.now() - begin) / 1000, first };
}

async function send(address, headers, body) {
  const response = await fetch(address, {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`POST ${address} was answered with ${response.status}: ${await response.text()}`);
  return response;
}

/** @param {readonly Buffer[]} parts of the body */
async function sendParts(address, headers, parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const sent = requestTo(address, { method: 'POST', headers: { ...headers, 'Content-Length': length } });
  const answered = once(sent, 'response');
  await Promise.all([pipeline(Readable.from(parts), sent), answered]);
  const [response] = await answered;
  const answer = await text(response);
  if (response.statusCode >= 300)
    throw new Error(`POST ${address} was answered with ${response.statusCode}: ${answer}`);
}
