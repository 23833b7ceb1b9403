import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../config/config.js';
import { CONNECTIONS_BESIDE_POOL, requestPoolSize } from '../config/pool-sizes.js';
import type { EmbeddedPostgres } from '../core/database/embedded/start-embedded.js';
import type { Logger } from '../core/logging/plain-logger.js';
import { GroupMetrics } from '../core/process-group/group-metrics.js';
import type { MemberDatabase, Ready } from '../core/process-group/messages.js';
import { hasOwnHeapLimit, heapLimitMb } from './heap-limit.js';
import { PATIENCE } from './limits.js';
import { Member } from './member.js';
import { RequestProcesses } from './request-processes.js';

/** For commands, backups and other programs. */
const SPARE_CONNECTIONS = 20;
const WATCH_MS = 1_000;
/**
 * Time for a stop in order, for processes that have been killed, for a database that is starting, and for all of it. Container
 * runtimes kill everything after 30 seconds.
 */
const STOP_MS = { inOrder: 8_000, killed: 1_000, starting: 1_000, all: 14_000 };
/** The embedded database allows this many connections by default. */
const EMBEDDED_CONNECTIONS = 100;

/** Which processes run. */
export interface Plan {
  /** Number of processes that serve requests. */
  readonly servers: number;
  /** Whether a process of its own does background work. */
  readonly hasWorker: boolean;
  /** Whether the only server does it. */
  readonly serverWorks: boolean;
  /** The types of background work; default: all. */
  readonly kinds?: readonly string[];
}

/**
 * Runs the processes of an installation on this machine, and the embedded database. It handles no requests and reads no
 * files of users, so that it can end, restart and stop the others whatever they do, and stays small.
 */
export class Supervisor {
  private readonly metrics = new GroupMetrics();
  private readonly members: Member[];
  private readonly requests: RequestProcesses;
  private readonly database: Promise<EmbeddedPostgres | null>;
  private watcher: NodeJS.Timeout | undefined;
  private stopping: Promise<boolean> | undefined;

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
    private readonly plan: Plan,
  ) {
    this.members = this.planned();
    // A single server accepts its connections itself; several get them in turn.
    cluster.schedulingPolicy = plan.servers > 1 && process.platform !== 'win32' ? cluster.SCHED_RR : cluster.SCHED_NONE;
    const embeddedUrl = async (): Promise<MemberDatabase['embeddedUrl']> => (await this.database)?.url ?? null;
    this.requests = new RequestProcesses({
      limits: {
        ...PATIENCE,
        memory: config.requests.memoryBytes,
        timeMs: config.requests.timeMs,
        frozenMs: isDebugged() ? Infinity : config.requests.freezeMs,
      },
      metrics: this.metrics,
      log,
      database: embeddedUrl,
    });
    this.database = config.databaseUrl === '' ? this.startDatabase() : Promise.resolve(null);
    this.database.catch(() => undefined); // `start` reports it
  }

  /**
   * Starts the database and all members. They load their programs while the database starts.
   * @returns what the first member has reported; undefined if one failed, which has said why
   * @throws EmbeddedPostgresError
   */
  async start(): Promise<Ready | undefined> {
    this.watcher = setInterval(() => this.watch(), WATCH_MS);
    const [first, ...others] = this.members;
    // If the port is in use, for example, only one process says so.
    const [, ready] = await Promise.all([this.database, first?.start()]);
    if (ready === undefined) return undefined;
    const all = await Promise.all(others.map((member) => member.start()));
    return all.includes(undefined) ? undefined : ready;
  }

  /** Stops all processes, then the database. @returns whether all of them stopped in order */
  stop(): Promise<boolean> {
    return (this.stopping ??= this.end());
  }

  private async end(): Promise<boolean> {
    const begun = performance.now();
    // A signal to the process group reached the database, too.
    void this.database.then((running) => running?.detach()).catch(() => undefined);
    const ended = Promise.all([...this.members.map((member) => member.stop()), this.requests.stop()]);
    const isInOrder = await Promise.race([ended.then(() => true), pause(STOP_MS.inOrder, false)]);
    if (!isInOrder) {
      this.log.error('processes did not stop in time and are ended');
      for (const member of this.members) member.kill();
      this.requests.kill();
      await Promise.race([ended, pause(STOP_MS.killed)]); // the system may still read for them from a disk
    }
    clearInterval(this.watcher);
    // One that is still starting gets a signal when this process exits.
    const started = this.database.catch(() => undefined);
    const database = await Promise.race([started, pause(STOP_MS.starting)]);
    await database?.stop(STOP_MS.all - (performance.now() - begun));
    return isInOrder;
  }

  private watch(): void {
    for (const member of this.members) member.watch();
  }

  private async startDatabase(): Promise<EmbeddedPostgres> {
    const { startEmbedded } = await import('../core/database/embedded/start-embedded.js');
    const { databasePoolSize: pool, requests, dataDir } = this.config;
    const connections =
      this.members.length * (pool + CONNECTIONS_BESIDE_POOL) +
      requests.processes * (requestPoolSize(pool) + CONNECTIONS_BESIDE_POOL) +
      SPARE_CONNECTIONS;
    const settings = connections > EMBEDDED_CONNECTIONS ? { max_connections: String(connections) } : {};
    return startEmbedded({ dataDir, log: embeddedLog(this.log), settings });
  }

  private planned(): Member[] {
    const { servers, hasWorker, serverWorks, kinds = [] } = this.plan;
    const flags = heapFlags(servers + (hasWorker ? 1 : 0));
    const frozenMs = isDebugged() ? 0 : this.config.freezeMs;
    const member = (name: string, args: readonly string[], isFirst: boolean): Member =>
      new Member(
        { name, args, flags, frozenMs, isFirst },
        {
          metrics: this.metrics,
          log: this.log,
          database: async () => (await this.database)?.url ?? null,
          welcome: (child) => {
            child.link
              .answer('execute', (assignment) => this.requests.execute(assignment, child))
              .on('abort', (order) => this.requests.abort(order));
            void child.exited.then(() => this.requests.ownerEnded(child));
          },
        },
      );
    const names = servers === 1 ? ['server'] : Array.from({ length: servers }, (_, index) => `server ${index + 1}`);
    const members = names.map((name, index) => member(name, [serverWorks ? 'all' : 'api'], index === 0));
    if (hasWorker) members.push(member('worker', ['worker', ...kinds], servers === 0));
    return members;
  }
}

/** Whether somebody may hold the process at a breakpoint. */
const isDebugged = (): boolean => process.execArgv.some((flag) => flag.startsWith('--inspect'));

function heapFlags(processes: number): string[] {
  if (hasOwnHeapLimit(process.execArgv, process.env['NODE_OPTIONS'])) return [];
  const limit = heapLimitMb(processes);
  return limit === null ? [] : [`--max-old-space-size=${limit}`];
}

const embeddedLog = (log: Logger): Record<'info' | 'warn' | 'error', (text: string) => void> => ({
  info: (text) => log.debug(text),
  warn: (text) => log.warn(text),
  error: (text) => log.error(text),
});
