// Loaded into all processes of an installation: the server writes the processor time of each long turn of its event loop, in
// milliseconds, to the file BENCH_TURNS.

import { appendFileSync } from 'node:fs';

const LONG_MS = 5;

const [, program = '', role] = process.argv;
if (program.endsWith('member.js') && role === 'all') watch(process.env.BENCH_TURNS);

function watch(file) {
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
}
