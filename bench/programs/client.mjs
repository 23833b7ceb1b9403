// The one process that makes load, for both sides.

import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { serveCalls } from '../child.mjs';
import { readChunks, sendPhotographs, untilFinished, uploadPhotographs } from '../upload.mjs';

const pools = new Map();

function poolOf(base, connections) {
  const key = `${base} ${connections}`;
  if (!pools.has(key)) pools.set(key, new Pool(base, { connections, bodyTimeout: 0, headersTimeout: 0 }));
  return pools.get(key);
}

/** One request; @returns the answer's bytes. @throws for any status that is no success */
async function send(pool, headers, { method, path, body }) {
  const response = await pool.request({ method, path, headers, body });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  if (response.statusCode >= 300)
    throw new Error(`${method} ${path} was answered with ${response.statusCode}: ${bytes.toString('utf8', 0, 300)}`);
  return bytes;
}

/**
 * Sends `requests` in turn over a fixed number of connections, for a time or a number of times.
 *
 * @returns requests per second; when the first answer was there (ms since the epoch)
 */
async function run({ base, headers, requests, connections, seconds = Infinity, count = Infinity }) {
  const pool = poolOf(base, connections);
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let [started, finished, firstAnswer] = [0, 0, 0];
  const lane = async () => {
    while (started < count && performance.now() < end) {
      const request = requests[started % requests.length];
      started += 1;
      await send(pool, headers, request);
      if (finished === 0) firstAnswer = performance.timeOrigin + performance.now();
      finished += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  return { rate: finished / ((performance.now() - begin) / 1000), firstAnswer };
}

/**
 * Sends `requests` in turn at a rate, whether or not those before have been answered.
 *
 * @returns how many were sent, and how many of them a second after the other until the last answer
 */
async function pace({ base, headers, requests, rate, seconds }) {
  const pool = poolOf(base, 64);
  const count = Math.round(rate * seconds);
  const begin = performance.now();
  const sent = [];
  for (let number = 0; number < count; number += 1) {
    const wait = begin + (number * 1000) / rate - performance.now();
    if (wait > 0) await pause(wait);
    sent.push(send(pool, headers, requests[number % requests.length]));
  }
  await Promise.all(sent);
  return { count, rate: count / ((performance.now() - begin) / 1000) };
}

/** Seconds and size of one exchange, the whole answer read. */
async function once({ base, headers, request }) {
  const begin = performance.now();
  const bytes = await send(poolOf(base, 1), headers, request);
  return { seconds: (performance.now() - begin) / 1000, bytes: bytes.length };
}

serveCalls({
  run,
  pace,
  once,
  upload: uploadPhotographs,
  send: sendPhotographs,
  finish: untilFinished,
  chunks: readChunks,
});
