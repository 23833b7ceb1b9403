import type { GroupMetrics } from '../core/process-group/group-metrics.js';
import type { AbortOrder, Assignment, MemberDatabase, Outcome } from '../core/process-group/messages.js';
import type { Logger } from '../core/logging/plain-logger.js';
import type { Child } from './child.js';
import type { RequestLimits } from './limits.js';
import { RequestProcess } from './request-process.js';

/** Memory may grow by hundreds of megabytes in this time. */
const WATCH_MS = 250;
/** The process exits after this time without a request; the next request starts another. */
const IDLE_MS = 300_000;
/** A process that has used more than this part of its memory is not used again: its next request would have less. */
const WORN_SHARE = 0.5;
/** An idle process has this much time to stop in order. */
const EXIT_MS = 3_000;

interface RequestProcessesParts {
  readonly limits: RequestLimits;
  readonly metrics: GroupMetrics;
  readonly log: Pick<Logger, 'error'>;
  /** Default: `member.ts`. */
  readonly program?: string;
  database(): Promise<MemberDatabase['embeddedUrl']>;
}

/**
 * The processes that execute background requests: started when there are requests, and ended when they are idle, exceed a
 * limit, or do not stop.
 */
export class RequestProcesses {
  private readonly all = new Set<RequestProcess>();
  /** The process that was used last comes last. */
  private readonly idle: { readonly process: RequestProcess; since: number }[] = [];
  /** Which process has claimed the request. */
  private readonly owners = new Map<RequestProcess, Child>();
  private watcher: NodeJS.Timeout | undefined;
  private isStopping = false;

  constructor(private readonly parts: RequestProcessesParts) {}

  /** Executes what a process has claimed. Never rejects. */
  async execute(assignment: Assignment, owner: Child): Promise<Outcome> {
    if (this.isStopping || owner.hasEnded) return { kind: 'not started' };
    const process = this.idle.pop()?.process ?? this.start();
    if (process === undefined) return { kind: 'not started' };
    this.owners.set(process, owner);
    try {
      if (!(await process.ready)) return { kind: 'not started' };
      if (this.isStopping || owner.hasEnded) return { kind: 'not started' };
      return await process.execute(assignment);
    } finally {
      this.owners.delete(process);
      this.release(process);
    }
  }

  abort({ rowId, reason }: AbortOrder): void {
    for (const process of this.all) if (process.assignment?.rowId === rowId) process.abort(reason);
  }

  /** A process that has claimed requests has ended: others may claim them soon. */
  ownerEnded(owner: Child): void {
    for (const [process, of] of this.owners) if (of === owner) process.abort('orphaned');
  }

  /** Stops all, at most as long as a shutdown may take. @returns when all have ended */
  async stop(): Promise<void> {
    this.isStopping = true;
    const ended = [...this.all].map((process) => process.child.exited);
    for (const process of this.all) {
      process.abort('stopping');
      process.stop();
    }
    await Promise.all(ended);
  }

  kill(): void {
    for (const { child } of this.all) child.kill();
  }

  /** @returns undefined if the system lacks a folder, memory or processes for it */
  private start(): RequestProcess | undefined {
    try {
      return this.attended(new RequestProcess(this.parts.limits, this.parts.program));
    } catch (error) {
      this.parts.log.error({ err: error }, 'a request process cannot be started');
      return undefined;
    }
  }

  private attended(process: RequestProcess): RequestProcess {
    const { metrics, log, database } = this.parts;
    const { child } = process;
    this.all.add(process);
    metrics.add(child.link);
    child.link.answer('database', async () => ({ embeddedUrl: await database(), isFirst: false }));
    void child.exited.then(({ code, signal }) => {
      this.all.delete(process);
      const at = this.idle.findIndex((each) => each.process === process);
      if (at !== -1) this.idle.splice(at, 1);
      metrics.remove(child.link);
      if (this.all.size === 0) clearInterval(this.watcher);
      if (code !== 0 && !this.isStopping) log.error({ pid: child.pid, code, signal }, 'a request process ended');
    });
    clearInterval(this.watcher);
    this.watcher = setInterval(() => this.watch(), WATCH_MS);
    return process;
  }

  private release(process: RequestProcess): void {
    const { child } = process;
    if (child.hasEnded || this.isStopping) return;
    if (process.memory() > this.parts.limits.memory * WORN_SHARE) return this.retire(process);
    this.idle.push({ process, since: performance.now() });
  }

  private watch(): void {
    const now = performance.now();
    for (const process of this.all) {
      const { assignment, child } = process;
      const cause = process.watch();
      if (cause === undefined) continue;
      this.parts.log.error({ request: assignment?.name, cause, pid: child.pid }, 'a request process is ended');
    }
    for (const entry of this.idle) if (entry.process.isEmployed) entry.since = now;
    for (const entry of this.idle.filter(({ since }) => now - since >= IDLE_MS)) {
      this.idle.splice(this.idle.indexOf(entry), 1);
      this.retire(entry.process);
    }
  }

  private retire(process: RequestProcess): void {
    const { child } = process;
    void this.parts.metrics.beforeEnd(child.link).then(() => {
      process.stop();
      setTimeout(() => child.kill(), EXIT_MS).unref();
    });
  }
}
