import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Order, Report } from './run-process.js';
import type { FuzzTarget } from './target.js';
import { targets } from './targets.js';

/** What an input of up to a megabyte may take: far more than any takes, so that no run fails by luck. */
const LIMITS = { seconds: 5, turn: 1, bytes: 500 * 2 ** 20 };

/** Far above the limits, the process is ended. The machine may be several times slower than usual. */
const MUCH = { seconds: 5, memory: 2 };

/** What an input took. */
export interface Outcome {
  readonly seconds: number;
  readonly longestTurn: number;
  readonly memory: number;
  readonly bytes: number;
  /** Whether it was ended because it was far above the limits. */
  readonly isStopped?: boolean;
  readonly fault: string | undefined;
}

const POLL_MS = 100;
const TICKS_PER_SECOND = 100;

/** Runs inputs one after the other in a process of its own. */
export class Runner {
  private child: ChildProcess | undefined;
  /** Reports that nobody has waited for yet; undefined when the process has ended. */
  private reports: (Report | undefined)[] = [];
  private take: (() => void) | undefined;

  /** @returns the fault if it took too much, or ended with an error that is no answer */
  async check(order: Order): Promise<{ readonly outcome: Outcome; readonly fault: string | undefined }> {
    const outcome = await this.run(order);
    const fault = faultIn(outcome, order);
    if (fault === undefined || outcome.isStopped) return { outcome, fault };
    // Once more, alone: another input may have left garbage, or code that was not compiled.
    this.stop();
    const again = await this.run(order);
    this.stop();
    return { outcome: again, fault: faultIn(again, order) };
  }

  /** Writes the files of an input to a folder. */
  async keep(order: Order, folder: string): Promise<void> {
    const child = this.started();
    child.send({ ...order, folder } satisfies Order);
    await this.next();
  }

  stop(): void {
    this.child?.kill('SIGKILL');
    this.child = undefined;
    this.reports.push(undefined);
    this.take?.();
  }

  private started(): ChildProcess {
    if (this.child !== undefined) return this.child;
    const child = fork(join(import.meta.dirname, 'run-process.ts'), { serialization: 'advanced' });
    this.reports = [];
    const add = (report: Report | undefined): void => {
      if (this.child !== child) return;
      this.reports.push(report);
      this.take?.();
    };
    child.on('message', add);
    child.once('exit', () => add(undefined));
    return (this.child = child);
  }

  private async next(): Promise<Report | undefined> {
    if (this.reports.length === 0) await new Promise<void>((resolve) => (this.take = resolve));
    return this.reports.shift();
  }

  private async run(order: Order): Promise<Outcome> {
    const [child, { seconds }] = [this.started(), targetOf(order)];
    child.send(order);
    const begun = await this.next();
    const bytes = begun?.ready === true ? begun.bytes : 0;
    const use = usageOf(child);
    let most: Outcome = { seconds: 0, longestTurn: 0, memory: 0, bytes, fault: undefined };
    const watch = setInterval(() => {
      const now = usageOf(child);
      if (now === undefined || use === undefined) return;
      most = { ...most, seconds: now.seconds - use.seconds, memory: Math.max(most.memory, now.memory - use.memory) };
      if (most.seconds > MUCH.seconds * (seconds ?? LIMITS.seconds) || most.memory > MUCH.memory * LIMITS.bytes)
        this.stop();
    }, POLL_MS);
    const report = begun?.ready === false ? begun : await this.next();
    clearInterval(watch);
    if (report?.ready === false) return { ...report, bytes };
    const isKilled = this.child !== child;
    this.child = undefined;
    return isKilled ? { ...most, isStopped: true } : { ...most, fault: 'the process ended' };
  }
}

function targetOf({ target }: Order): FuzzTarget {
  const found = targets.find(({ name }) => name === target);
  if (found === undefined) throw new Error(`There is no target ${target}`);
  return found;
}

function faultIn({ seconds, longestTurn, memory, fault }: Outcome, order: Order): string | undefined {
  const { inRequest = false, seconds: limit = LIMITS.seconds } = targetOf(order);
  if (seconds > limit) return `more than ${seconds.toFixed(1)} s of processor time`;
  if (inRequest && longestTurn > LIMITS.turn) return `other requests wait for ${longestTurn.toFixed(1)} s`;
  if (memory > LIMITS.bytes) return `more than ${Math.round(memory / 2 ** 20)} MB of memory`;
  return fault;
}

/** Processor time and resident memory; undefined where there is no `/proc`. */
function usageOf({ pid }: ChildProcess): { readonly seconds: number; readonly memory: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const memory = Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1024;
    return { seconds: (Number(stat[11]) + Number(stat[12])) / TICKS_PER_SECOND, memory };
  } catch {
    return undefined;
  }
}
