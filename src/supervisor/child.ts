import cluster, { type Worker } from 'node:cluster';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Link } from '../core/process-group/link.js';
import type { Pulse } from '../core/process-group/messages.js';
import { lowerPriority } from '../engines/processes/priority.js';
import { killedWithParent } from '../engines/processes/setpriv.js';
import { Silence } from './silence.js';

export interface ChildOptions {
  /** Default: `member.ts`. */
  readonly program?: string;
  /** What the process does: the arguments of `member.ts`. */
  readonly args: readonly string[];
  /** Environment variables that differ from those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Flags of Node.js in addition to those of this process. */
  readonly flags?: readonly string[];
  readonly niceness?: number;
  /** Whether the system should end this process before others when memory runs out. */
  readonly isExpendable?: boolean;
  /** A descriptor that the process gets as its descriptor 4. */
  readonly descriptor?: number;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The program has the same ending as this module: tests run it from the sources. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../member.ts' : '../member.js', import.meta.url),
);
/** Makes the process the first one that Linux ends when memory runs out, unless another one uses far more. */
const EXPENDABLE = '500';
const PULSE_MS = 1_000;

/** A process that this one has started. */
export class Child {
  readonly link: Link;
  readonly exited: Promise<Exit>;
  /** Set when the process is ready. */
  isReady = false;
  /** Its last sign of life. */
  pulse: Pulse = { memory: 0, lingers: false };
  private readonly silence = new Silence(performance.now());
  private exit: Exit | undefined;

  private constructor(private readonly worker: Worker) {
    this.link = new Link(worker);
    this.exited = new Promise((resolve) => {
      const end = (exit: Exit): void => {
        this.exit ??= exit;
        resolve(this.exit);
      };
      worker.once('exit', (code: number | null, signal: NodeJS.Signals | null) => end({ code, signal }));
      // It could not be started, or its channel is closed while it exits.
      worker.on('error', () => (worker.process.pid === undefined ? end({ code: 1, signal: null }) : undefined));
    });
    this.link.on('pulse', (pulse) => {
      this.pulse = pulse;
      this.silence.heard();
    });
  }

  static start({
    program = PROGRAM,
    args,
    env = {},
    flags = [],
    niceness = 0,
    isExpendable = false,
    descriptor,
  }: ChildOptions): Child {
    const [execPath, ...execArgv] = killedWithParent(process.execPath);
    cluster.setupPrimary({
      exec: program,
      args: [...args],
      execArgv: [...execArgv, ...process.execArgv, ...flags],
      serialization: 'advanced', // metrics may be NaN
      stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...(descriptor === undefined ? [] : [descriptor])],
    });
    const child = new Child(forkedWith(execPath, env));
    lowerPriority(child.pid, niceness);
    if (isExpendable && child.pid !== undefined) makeExpendable(child.pid);
    return child;
  }

  get pid(): number | undefined {
    return this.worker.process.pid;
  }

  get hasEnded(): boolean {
    return this.exit !== undefined;
  }

  /** How long its event loop has stood still, in milliseconds. Call it at short intervals. */
  silentMs(): number {
    return Math.max(0, this.silence.look(performance.now()) - PULSE_MS);
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    if (!this.hasEnded) this.worker.process.kill(signal);
  }
}

/** `cluster` starts the program that Node.js runs as, and has no option for another one. */
function forkedWith(execPath: string, env: Readonly<Record<string, string>>): Worker {
  const own = process.execPath;
  process.execPath = execPath;
  try {
    return cluster.fork(env);
  } finally {
    process.execPath = own;
  }
}

function makeExpendable(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, EXPENDABLE);
  } catch {
    // This system has no such file, or the process has already ended.
  }
}
