// Receives webhook deliveries and records their arrival times. `/hang` never responds, `/fail` responds 500; neither
// counts.

import { createServer } from 'node:http';
import { serveCalls } from '../child.mjs';

const CHANGED = '"updated_date":"';

let arrivals = 0;
let awaited = Infinity;
let [first, last] = [0, 0];
/** The number of the arrival to time, and its time. */
let marked = { arrival: Infinity, time: 0 };
let sample = null;
let reached = () => {};
/** Milliseconds from the change, dated by its transaction before the commit, to the arrival; null: not recorded. */
let delays = null;

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    if (request.url === '/hang') return;
    if (request.url === '/fail') return void response.writeHead(500).end();
    const now = performance.timeOrigin + performance.now();
    arrivals += 1;
    if (arrivals === 1) first = now;
    last = now;
    if (arrivals === marked.arrival) marked.time = now;
    const body = Buffer.concat(chunks);
    if (arrivals === 1) sample = { headers: request.headers, body };
    delays?.push(now - changedAt(body));
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': 2 }).end('ok');
    if (arrivals >= awaited) reached();
  });
});

/** Dates of whole seconds are shorter than others. */
function changedAt(body) {
  const at = body.indexOf(CHANGED) + CHANGED.length;
  return Date.parse(body.toString('latin1', at, body.indexOf('"', at)));
}

serveCalls({
  start: () =>
    new Promise((resolve, reject) =>
      server.once('error', reject).listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`)),
    ),
  /**
   * @param {{delays?: boolean, mark?: number}} options whether to record delays from the change, and the number of the
   * arrival to time
   */
  reset: ({ delays: note = false, mark = Infinity } = {}) => {
    arrivals = 0;
    marked = { arrival: mark, time: 0 };
    delays = note ? [] : null;
  },
  delays: () => delays,
  /** @returns times of the first, the marked and the last arrival (ms since the epoch), and the first delivery */
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
        resolve({ first, marked: marked.time, last, sample });
      };
      if (arrivals >= count) reached();
    }),
});
