import { ftruncateSync, openSync, unlinkSync } from 'node:fs';
import { devNull } from 'node:os';
import type { GroupMetrics } from '../core/process-group/group-metrics.js';
import type { MemberDatabase, Ready } from '../core/process-group/messages.js';
import { readSlots } from '../core/process-group/slots.js';
import type { Logger } from '../core/logging/plain-logger.js';
import { temporaryPath } from '../engines/media/temporary.js';
import { Child, type Exit } from './child.js';
import { RestartPauses } from './restart-pauses.js';

export interface MemberOptions {
  /** Default: `member.ts`. */
  readonly program?: string;
  /** In the log. */
  readonly name: string;
  /** The arguments of `member.ts`. */
  readonly args: readonly string[];
  readonly flags: readonly string[];
  /** How long it may stand still before it is restarted; 0: for ever. */
  readonly frozenMs: number;
  /** Whether it does at its first start what a group does once. */
  readonly isFirst: boolean;
}

/** What a member gets from the group. */
export interface MemberParts {
  readonly metrics: GroupMetrics;
  readonly log: Logger;
  /** The URL of the embedded database, as soon as it runs; null if there is none. */
  database(): Promise<MemberDatabase['embeddedUrl']>;
  /** Prepares a new process of the member. */
  welcome(child: Child): void;
}

/** A process that runs as long as the group does: it is restarted whenever it ends or freezes. */
export class Member {
  private child: Child | undefined;
  private isStopping = false;
  private restart: NodeJS.Timeout | undefined;
  private startedAt = 0;
  private starts = 0;
  private readonly pauses = new RestartPauses();
  /** Says what the process is working on. */
  private readonly slots = unnamedFile();

  constructor(
    private readonly options: MemberOptions,
    private readonly parts: MemberParts,
  ) {}

  get name(): string {
    return this.options.name;
  }

  /** Starts it for the first time. @returns undefined if it ended before it was ready; it has said why */
  async start(): Promise<Ready | undefined> {
    const child = this.run();
    const ready = new Promise<Ready>((resolve) => {
      child.link.on('ready', (value) => {
        child.isReady = true;
        resolve(value);
      });
    });
    const first = await Promise.race([ready, child.exited]);
    if (!('url' in first)) return this.sayEnd(first);
    void child.exited.then((exit) => this.ended(exit));
    return first;
  }

  /** Restarts it if it stands still. Call it at short intervals. */
  watch(): void {
    const { child, options } = this;
    if (child === undefined || child.hasEnded) return;
    const silentMs = child.silentMs();
    if (!child.isReady || options.frozenMs === 0 || silentMs <= options.frozenMs) return;
    this.parts.log.error(
      { process: options.name, seconds: Math.round(silentMs / 1000), open: readSlots(this.slots) },
      'a process does not react, and is ended',
    );
    child.kill();
  }

  /** @returns when it has ended */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.restart);
    const { child } = this;
    if (child !== undefined && !child.hasEnded) {
      if (child.isReady) child.link.tell('stop');
      else child.kill('SIGTERM'); // it does not listen yet, so the signal ends it
      await child.exited;
    }
  }

  kill(): void {
    this.child?.kill();
  }

  private run(): Child {
    const { program, args, flags } = this.options;
    const { metrics, log } = this.parts;
    this.startedAt = performance.now();
    this.starts += 1;
    const isFirst = this.options.isFirst && this.starts === 1;
    clearFile(this.slots);
    const child = Child.start({ ...(program !== undefined && { program }), args, flags, descriptor: this.slots });
    this.child = child;
    metrics.add(child.link);
    child.link
      .answer('metrics of the group', () => metrics.text())
      .answer('database', async () => ({ embeddedUrl: await this.parts.database(), isFirst }))
      .on('ready', () => (child.isReady = true));
    this.parts.welcome(child);
    void child.exited.then(() => metrics.remove(child.link));
    log.debug({ process: this.options.name, pid: child.pid }, 'a process is started');
    return child;
  }

  private ended({ code, signal }: Exit): void {
    if (this.isStopping) return;
    this.parts.log.error({ process: this.options.name, code, signal }, 'a process ended and is restarted');
    const again = (): void => {
      void this.run().exited.then((exit) => this.ended(exit));
    };
    this.restart = setTimeout(again, this.pauses.after(performance.now() - this.startedAt));
  }

  private sayEnd({ code, signal }: Exit): undefined {
    if (signal !== null && !this.isStopping)
      this.parts.log.error({ process: this.options.name, code, signal }, 'a process ended during its start');
  }
}

function clearFile(descriptor: number): void {
  try {
    ftruncateSync(descriptor);
  } catch {
    // It is not a file.
  }
}

/** A file that vanishes with the last process that has opened it. Without a folder for it, what is written there is lost. */
function unnamedFile(): number {
  try {
    const path = temporaryPath();
    const descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return descriptor;
  } catch {
    return openSync(devNull, 'r+');
  }
}
