// The process that generates load, for both the server and the baseline.

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

/** Sends one request. @returns the bytes of the response @throws for any status other than success */
async function send(pool, headers, { method, path, body }) {
  const response = await pool.request({ method, path, headers, body });
  const bytes = Buffer.from(await response.body.arrayBuffer());
  if (response.statusCode >= 300)
    throw new Error(`${method} ${path} was answered with ${response.statusCode}: ${bytes.toString('utf8', 0, 300)}`);
  return bytes;
}

/**
 * Sends `requests` in turn over a fixed number of connections, for a time or for a number of requests.
 *
 * @returns requests per second, and the time of the first response (ms since the epoch)
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
 * Sends `requests` in turn at a fixed rate, without waiting for responses.
 *
 * @returns the number of requests, and the number per second until the last response
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

/** Seconds and size of one exchange, including the complete response. */
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
