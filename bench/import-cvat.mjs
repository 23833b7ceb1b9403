// npm run bench:import: time and peak memory of an import from CVAT.
//
//   npm run bench:import -- --from dumpdata.json --tasks 10000 --shapes 1000000
//
// --from is a dump of a small CVAT, one of whose tasks is copied (see programs/cvat-dump.mjs).

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const SAMPLE_EVERY_MS = 200;

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    tasks: { type: 'string', default: '10000' },
    shapes: { type: 'string', default: '1000000' },
  },
});
if (values.from === undefined) throw new Error('Pass --from, a dump of a small CVAT');

const folder = await mkdtemp(join(tmpdir(), 'cairn-import-'));
try {
  const dump = join(folder, 'dump.json');
  const generator = join(import.meta.dirname, 'programs/cvat-dump.mjs');
  const sizes = ['--tasks', values.tasks, '--shapes', values.shapes];
  await run([generator, '--from', values.from, '--to', dump, ...sizes]);
  await mkdir(join(folder, 'media'));
  const cli = join(import.meta.dirname, '../dist/cli.js');
  const source = ['--dump', dump, '--data', join(folder, 'media'), '--allow-missing'];
  const { seconds, peak } = await run([cli, 'import-cvat', ...source], { DATA_DIR: join(folder, 'data') });
  const megabytes = ((await stat(dump)).size / 1e6).toFixed(0);
  console.log(
    `${values.tasks} tasks, ${values.shapes} shapes, dump of ${megabytes} MB: ${seconds.toFixed(0)} s, ${(peak / 1e6).toFixed(0)} MB`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Runs a program of Node. @returns its time, and its peak memory without that of the database, in bytes */
async function run(args, env = {}) {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const timer = setInterval(() => {
    void readFile(`/proc/${child.pid}/status`, 'utf8').then(
      (text) => {
        peak = Math.max(peak, Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1] ?? 0) * 1024);
      },
      () => undefined,
    );
  }, SAMPLE_EVERY_MS);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args[0]} failed with ${code}`);
  return { seconds: (performance.now() - began) / 1000, peak };
}
