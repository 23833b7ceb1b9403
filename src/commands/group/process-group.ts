import cluster from 'node:cluster';
import type { Config } from '../../config/config.js';
import { CONNECTIONS_BESIDE_POOL } from '../../core/database/process-connection.js';
import type { Logger } from '../../core/logging/logger.js';
import { GroupMetrics } from '../../core/process-group/group-metrics.js';
import { prepare, type Prepared } from '../../main.js';
import { hasOwnHeapLimit, heapLimitMb } from './heap-limit.js';
import { Member, type MemberOptions, type Ready } from './member.js';

/** For commands, backups and other programs. */
const SPARE_CONNECTIONS = 20;
/** Longer than a process takes to stop in order, or gives up. */
const STOP_TIMEOUT_MS = 35_000;

/**
 * Serves one port with several processes, so that requests use all cores. Background work runs in one more process,
 * where no request waits for it. This process runs the embedded database, accepts connections, hands them to the
 * servers in turn, and restarts processes that end.
 */
export class ProcessGroup {
  private readonly metrics = new GroupMetrics();
  private readonly members: Member[] = [];
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly prepared: Prepared,
    private readonly config: Config,
    private readonly log: Logger,
  ) {}

  /**
   * Prepares the database for all processes.
   * @param servers number of processes that serve requests
   * @param works whether one more process does background work
   * @throws as `start` of a single process
   */
  static async of(config: Config, log: Logger, servers: number, works: boolean): Promise<ProcessGroup> {
    const count = servers + (works ? 1 : 0);
    const connections = count * (config.databasePoolSize + CONNECTIONS_BESIDE_POOL) + SPARE_CONNECTIONS;
    const group = new ProcessGroup(await prepare(config, log, connections), config, log);
    cluster.setupPrimary({
      exec: process.argv[1] ?? '',
      execArgv: [...process.execArgv, ...heapFlags(count)],
      serialization: 'advanced', // metrics may be NaN
    });
    for (let number = 1; number <= servers; number += 1) group.add(`server ${number}`, ['serve', '--no-worker']);
    if (works) group.add('worker', ['worker']);
    return group;
  }

  /** Starts all processes. @returns what the first one has reported; undefined if one failed, which has said why */
  async start(): Promise<Ready | undefined> {
    const [first, ...others] = this.members;
    // If the port is in use, for example, only one process says so.
    const ready = await first?.start();
    if (ready === undefined) return undefined;
    const all = await Promise.all(others.map((member) => member.start()));
    return all.includes(undefined) ? undefined : ready;
  }

  /** Stops all processes, then the database. */
  stop(): Promise<void> {
    return (this.stopping ??= this.end());
  }

  private async end(): Promise<void> {
    this.prepared.database?.detach(); // a signal to the process group reached the database, too
    const late = setTimeout(() => {
      this.log.error('processes did not stop in time and are ended');
      for (const member of this.members) void member.stop('SIGKILL');
    }, STOP_TIMEOUT_MS);
    await Promise.all(this.members.map((member) => member.stop()));
    clearTimeout(late);
    await this.prepared.database?.stop();
  }

  private add(name: string, args: MemberOptions['args']): void {
    const env = { PROCESSES: '1', DATABASE_URL: this.prepared.settings.databaseUrl, DATA_DIR: this.config.dataDir };
    this.members.push(new Member({ name, args, env }, this.metrics, this.log));
  }
}

function heapFlags(processes: number): string[] {
  if (hasOwnHeapLimit(process.execArgv, process.env['NODE_OPTIONS'])) return [];
  const limit = heapLimitMb(processes);
  return limit === null ? [] : [`--max-old-space-size=${limit}`];
}
