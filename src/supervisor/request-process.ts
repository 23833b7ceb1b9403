import { mkdtempSync, utimes } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { AbortOrder, Assignment, EndCause, Outcome } from '../core/process-group/messages.js';
import { temporaryPath } from '../engines/media/temporary.js';
import { Child } from './child.js';
import { causeOfEnd, excess, type RequestLimits } from './limits.js';
import { ownMemory } from './process-memory.js';

/** Lower than that of servers, so that API responses get a processor immediately. */
const NICENESS = 10;
/** Time for loading the program and connecting to the database, on a busy machine. */
const START_MS = 300_000;
/** Temporary files whose folder has not been touched for an hour are removed. */
const TOUCH_MS = 600_000;
/** The part of the memory for the heap. The rest is for buffers and images. */
const HEAP_SHARE = 0.75;

interface Running {
  readonly assignment: Assignment;
  /** Monotonic milliseconds. */
  readonly since: number;
  abort?: { readonly reason: AbortOrder['reason']; readonly since: number };
  /** Why the process was ended. */
  cause?: EndCause;
}

/**
 * A process that executes one background request at a time, within limits. It runs code of formats on files of strangers, so
 * whatever happens to it must not matter to others. Its temporary files are removed when it ends.
 */
export class RequestProcess {
  readonly child: Child;
  /** Whether it can execute requests; false if it ended before. */
  readonly ready: Promise<boolean>;
  private readonly startedAt = performance.now();
  private readonly folder = mkdtempSync(`${temporaryPath()}-`);
  private touchedAt = this.startedAt;
  private running: Running | undefined;

  /** @param program default: `member.ts` */
  constructor(
    private readonly limits: RequestLimits,
    program?: string,
  ) {
    this.child = Child.start({
      ...(program !== undefined && { program }),
      args: ['requests'],
      env: { TMPDIR: this.folder, TEMP: this.folder, TMP: this.folder },
      flags: [`--max-old-space-size=${Math.floor((limits.memory * HEAP_SHARE) / 2 ** 20)}`],
      niceness: NICENESS,
      isExpendable: true,
    });
    const { link, exited } = this.child;
    const ready = new Promise<boolean>((resolve) => {
      link.on('ready', () => {
        this.child.isReady = true;
        resolve(true);
      });
    });
    this.ready = Promise.race([ready, exited.then(() => false)]);
    void exited.then(() => rm(this.folder, { recursive: true, force: true }).catch(() => undefined));
  }

  /** What it executes. */
  get assignment(): Assignment | undefined {
    return this.running?.assignment;
  }

  get isEmployed(): boolean {
    return this.running !== undefined || this.child.pulse.lingers;
  }

  /** In bytes. */
  memory(): number {
    const { pid, pulse } = this.child;
    return (pid === undefined ? undefined : ownMemory(pid)) ?? pulse.memory;
  }

  /** Executes a request. Never rejects. */
  async execute(assignment: Assignment): Promise<Outcome> {
    const running: Running = { assignment, since: performance.now() };
    this.running = running;
    const { link, exited } = this.child;
    try {
      const outcome = await Promise.race([link.ask('execute', { value: assignment }), exited]);
      if (outcome !== undefined && 'kind' in outcome) return outcome;
      if (outcome === undefined) return { kind: 'done', isRecorded: false };
      return { kind: 'ended', cause: running.cause ?? causeOfEnd(outcome.signal) };
    } finally {
      this.running = undefined;
    }
  }

  abort(reason: AbortOrder['reason']): void {
    const { running } = this;
    if (running === undefined || running.abort !== undefined) return;
    running.abort = { reason, since: performance.now() };
    this.child.link.tell('abort', { rowId: running.assignment.rowId, reason });
  }

  /** Call it at short intervals. @returns why it was ended, if it exceeded a limit */
  watch(): EndCause | undefined {
    const now = performance.now();
    this.touch(now);
    const { running } = this;
    if (!this.child.isReady) return now - this.startedAt > START_MS ? this.end('frozen') : undefined;
    const silentMs = this.child.silentMs();
    const condition = {
      memory: this.memory(),
      silentMs,
      runningMs: running === undefined ? 0 : now - running.since,
      ...(running?.abort && { abort: { reason: running.abort.reason, ageMs: now - running.abort.since } }),
    };
    const cause = excess(this.limits, condition);
    return cause === undefined ? undefined : this.end(cause);
  }

  /** Ends it as soon as it has nothing to do. */
  stop(): void {
    if (this.child.isReady) this.child.link.tell('stop');
    else this.child.kill();
  }

  private end(cause: EndCause): EndCause {
    if (this.running !== undefined) this.running.cause ??= cause;
    this.child.kill();
    return cause;
  }

  private touch(now: number): void {
    if (now - this.touchedAt < TOUCH_MS) return;
    this.touchedAt = now;
    utimes(this.folder, new Date(), new Date(), () => undefined);
  }
}
