// Takes webhook deliveries and notes when they came.

import { createServer } from 'node:http';
import { serveCalls } from '../child.mjs';

let arrivals = 0;
let awaited = Infinity;
let [first, last] = [0, 0];
let sample = null;
let reached = () => {};

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const now = performance.timeOrigin + performance.now();
    arrivals += 1;
    if (arrivals === 1) first = now;
    last = now;
    if (arrivals === 1) sample = { headers: request.headers, body: Buffer.concat(chunks) };
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 2 }).end('ok');
    if (arrivals >= awaited) reached();
  });
});

serveCalls({
  start: () =>
    new Promise((resolve, reject) =>
      server.once('error', reject).listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`)),
    ),
  reset: () => {
    arrivals = 0;
  },
  /** @returns times of the first and the last arrival (ms since the epoch), and the first delivery itself */
  wait: ({ count, timeoutMs }) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`Only ${arrivals} of ${count} deliveries came within ${timeoutMs / 1000} s.`)),
        timeoutMs,
      );
      awaited = count;
      reached = () => {
        awaited = Infinity;
        clearTimeout(timer);
        resolve({ first, last, sample });
      };
      if (arrivals >= count) reached();
    }),
});
