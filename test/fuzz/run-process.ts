import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random } from './random.js';
import { type FuzzInput, REFUSALS } from './target.js';
import { targets } from './targets.js';

/** An input, which its seed determines. */
export interface Order {
  readonly target: string;
  readonly seed: number;
  /** How much larger its sizes are than usual. */
  readonly scale: number;
  /** Where to write the files of the input instead of running it. */
  readonly folder?: string;
}

/** The first report says that the input is made, the second one that it has been run. */
export type Report =
  | { readonly ready: true; readonly bytes: number }
  | {
      readonly ready: false;
      /** Processor time in seconds. */
      readonly seconds: number;
      /** The most processor time between two turns of the event loop, in which nobody else was served. */
      readonly longestTurn: number;
      /** Growth of the resident memory at its peak, in bytes. */
      readonly memory: number;
      /** Text of an error that is no answer. */
      readonly fault: string | undefined;
    };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function run({ target: name, seed, scale, folder }: Order): Promise<void> {
  const target = targets.find((each) => each.name === name);
  if (target === undefined) throw new Error(`There is no target ${name}`);
  const input = await target.make(new Random(seed, scale));
  const bytes = [...input.files.values()].reduce((sum, { length }) => sum + length, 0);
  if (folder !== undefined) return await keep(input, folder);
  collectGarbage();
  const before = peakMemory(true);
  send({ ready: true, bytes });
  const speed = slowness();
  const turns = new TurnWatch();
  const start = processorTime();
  const fault = await faultOf(input, [...REFUSALS, ...(target.refusals ?? [])]);
  const taken = processorTime() - start;
  const longestTurn = turns.stop();
  const slow = Math.max(speed, slowness());
  send({
    ready: false,
    seconds: taken / slow,
    longestTurn: longestTurn / slow,
    memory: Math.max(0, peakMemory(false) - before),
    fault,
  });
}

/** In seconds. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** What the loop of {@link slowness} takes on a usual machine, in seconds. */
const USUAL = 0.02;

/** How much longer this machine takes than a usual one at the moment, also if others use its processors; at least 1. */
function slowness(): number {
  const start = processorTime();
  let sum = 0;
  for (let at = 0; at < 2e7; at++) sum = (sum + at) | 0;
  if (sum === 1) send({ ready: true, bytes: 0 }); // the loop has to have a use
  return Math.max(1, (processorTime() - start) / USUAL);
}

/** Measures the turns of the event loop. */
class TurnWatch {
  private longest = 0;
  private last = { processor: processorTime(), wall: performance.now() / 1000 };
  private readonly timer = setInterval(() => this.turn(), 1);

  stop(): number {
    clearInterval(this.timer);
    this.turn();
    return this.longest;
  }

  private turn(): void {
    const now = { processor: processorTime(), wall: performance.now() / 1000 };
    // The processor time has that of other threads as well, the wall time that of other processes.
    const taken = Math.min(now.processor - this.last.processor, now.wall - this.last.wall);
    this.longest = Math.max(this.longest, taken);
    this.last = now;
  }
}

async function faultOf(input: FuzzInput, refusals: readonly string[]): Promise<string | undefined> {
  try {
    await input.run();
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    return refusals.includes(error.name) ? undefined : (error.stack ?? error.message).slice(0, 2000);
  }
}

/** Of this process, in bytes; only Linux can forget an earlier peak. */
function peakMemory(forget: boolean): number {
  try {
    if (forget) writeFileSync('/proc/self/clear_refs', '5');
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) * 1024;
  } catch {
    return process.memoryUsage.rss();
  }
}

async function keep({ files }: FuzzInput, folder: string): Promise<void> {
  for (const [path, content] of files) {
    const target = join(folder, path.length > 200 ? path.slice(-200) : path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
  send({ ready: true, bytes: 0 });
}

const send = (report: Report): unknown => process.send?.(report);

process.on('message', (order: Order) => {
  run(order).catch((error: unknown) => {
    send({
      ready: false,
      seconds: 0,
      longestTurn: 0,
      memory: 0,
      fault: `the fuzzer failed: ${(error as Error).stack ?? ''}`,
    });
  });
});
process.on('disconnect', () => process.exit());
