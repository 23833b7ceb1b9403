// Loaded into a server: writes the processor time of each long turn of its event loop, in milliseconds, to a file of BENCH_TURNS.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const LONG_MS = 5;

const file = join(process.env.BENCH_TURNS, String(process.pid));
const now = () => {
  const { user, system } = process.cpuUsage();
  return { processor: (user + system) / 1000, wall: performance.now() };
};
let last = now();
setInterval(() => {
  const next = now();
  // The processor time has that of other threads as well, the wall time that of other processes.
  const turn = Math.min(next.processor - last.processor, next.wall - last.wall);
  if (turn > LONG_MS) appendFileSync(file, `${turn}\n`);
  last = next;
}, 1).unref();
