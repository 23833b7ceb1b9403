import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: { type: 'major'; execution: 'async' }) => Promise<void>;
setFlagsFromString('--no-expose-gc');

const PAUSE_MS = 1_000;
let last = -Infinity;

/**
 * Collects all garbage, at most once a second. After a large request V8 lets garbage grow to about twice the memory
 * that was in use, so the next large request would start on top of the last one. Stops the thread for about 70 ms with
 * 100 MB in use.
 */
export async function collectGarbage(): Promise<void> {
  if (performance.now() - last < PAUSE_MS) return;
  last = performance.now();
  await collect({ type: 'major', execution: 'async' });
}
