// Gives everything that reads strangers' files damaged and malicious inputs, and fails when one takes far more processor time
// or memory than its size explains, or ends with an error that is no answer. See docs/development.md.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Order } from './run-process.js';
import { type Outcome, Runner } from './runner.js';
import { targets } from './targets.js';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    climb: { type: 'string', default: '20' },
    inputs: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '0' },
    processes: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
  },
});

const [seed, inputs, seconds] = [Number(options.seed), Number(options.inputs), Number(options.seconds)];
/** How much larger the next input is. */
const GROWTH = 4;
const processes = Number(options.processes);
const wanted = targets.filter(({ name }) => new RegExp(options.only, 'i').test(name));
const begun = performance.now();
/** Of each target, the input with the longest turn. */
const worst = new Map<string, { readonly order: Order; readonly outcome: Outcome }>();
let [count, failed] = [0, 0];

/** Round by round, so that every target gets as many inputs as the others. A target has one process, which makes its valid files. */
function* ordersOf(process: number): Generator<Order> {
  const own = wanted.filter((_, at) => at % processes === process);
  for (let round = 0; seconds > 0 ? performance.now() - begun < seconds * 1000 : round < inputs; round++)
    for (const { name } of own) yield { target: name, seed: seed + round, scale: Number(options.scale) };
}

async function work(process: number): Promise<void> {
  const runner = new Runner();
  for (const order of ordersOf(process)) await climb(runner, order);
  runner.stop();
}

/** Enlarges an input that takes time until it does not grow any more: what is worse than linear takes too long at the end. */
async function climb(runner: Runner, order: Order): Promise<void> {
  const outcome = await check(runner, order);
  if (outcome === undefined || outcome.seconds * 1000 < Number(options.climb)) return;
  let { bytes } = outcome;
  for (let scale = order.scale * GROWTH; ; scale *= GROWTH) {
    const larger = await check(runner, { ...order, scale });
    if (larger === undefined || larger.bytes <= bytes) return;
    ({ bytes } = larger);
  }
}

/** @returns undefined if it failed */
async function check(runner: Runner, order: Order): Promise<Outcome | undefined> {
  const { outcome, fault } = await runner.check(order);
  const { target, seed: own, scale } = order;
  count++;
  if (outcome.longestTurn >= (worst.get(target)?.outcome.longestTurn ?? 0)) worst.set(target, { order, outcome });
  if (fault === undefined) return outcome;
  failed++;
  const folder = join(tmpdir(), `cairn-fuzz-${target.replaceAll(/\W+/g, '-')}-${own}-${scale}`);
  await runner.keep(order, folder);
  console.log(`${target}, seed ${own}, scale ${scale}: ${fault}\n  files: ${folder}`);
  console.log(`  again: npm run test:fuzz-formats -- --only '^${target}$' --inputs 1 --seed ${own} --scale ${scale}`);
  return undefined;
}

await Promise.all(Array.from({ length: processes }, (_, process) => work(process)));
const rows = [...worst].toSorted(([, a], [, b]) => b.outcome.longestTurn - a.outcome.longestTurn);
console.log('turn ms   all ms   MB       bytes  target, seed, scale');
for (const [name, { order, outcome }] of options.all ? rows : rows.slice(0, 10)) {
  const { longestTurn, seconds: all, memory, bytes } = outcome;
  const numbers = [longestTurn * 1000, all * 1000, memory / 2 ** 20].map((value) => value.toFixed(0));
  const columns = [...numbers, String(bytes)].map((text, at) => text.padStart([7, 9, 5, 12][at] ?? 0));
  console.log(`${columns.join('')}  ${name}, ${order.seed}, ${order.scale}`);
}
console.log(`${count} inputs, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
