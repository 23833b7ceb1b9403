import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseHost } from '../../config/database-url.js';
import { DatabaseClient, type DatabaseClientConfig, DatabaseUnavailable } from './database-client.js';

/** Time for one server to show whether it accepts writes. */
const PROBE_MS = 3_000;
/** After the first server that accepts writes, how long others have to show that they are on a newer timeline. */
const GRACE_MS = 200;
/** Time for which a search without a result is not repeated. */
const RETRY_MS = 200;

/** The number of the history of a server. It grows with each promotion of a standby. */
const TIMELINE = `select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`;

interface Writable {
  readonly host: DatabaseHost;
  readonly timeline: number;
}

/**
 * Finds the server that accepts writes among the hosts of a connection URL. A former primary that was started again
 * after a standby had been promoted accepts writes, too, and lacks what was committed since. Its timeline is older, so
 * it is not used.
 */
export class Primary {
  private current: Writable | undefined;
  private search: Promise<DatabaseHost> | undefined;
  private newestTimeline = 0;

  constructor(
    private readonly hosts: readonly DatabaseHost[],
    private readonly config: DatabaseClientConfig,
  ) {}

  /** @throws DatabaseUnavailable if no server accepts writes */
  async find(): Promise<DatabaseHost> {
    if (this.current !== undefined) return this.current.host;
    this.search ??= this.searched();
    return this.search;
  }

  /** Searches again for the next connection. Called when a connection breaks or the server stops accepting writes. */
  forget(): void {
    this.current = undefined;
  }

  private async searched(): Promise<DatabaseHost> {
    try {
      const found = await this.newest();
      this.newestTimeline = found.timeline;
      this.current = found;
      this.search = undefined;
      return found.host;
    } catch (error) {
      void pause(RETRY_MS, undefined, { ref: false }).then(() => (this.search = undefined));
      throw error;
    }
  }

  private async newest(): Promise<Writable> {
    const found: Writable[] = [];
    const probes = this.hosts.map(async (host) => {
      const timeline = await this.probe(host);
      found.push({ host, timeline });
      // The others may take as long, once one has been found. At the start, nothing else keeps the process running.
      await pause(GRACE_MS);
    });
    const settled = Promise.allSettled(probes);
    await Promise.race([settled, Promise.any(probes).catch(() => settled)]);
    const [best] = found.toSorted((one, other) => other.timeline - one.timeline);
    if (best === undefined) throw new DatabaseUnavailable(new Error(this.reasons(await settled)));
    if (best.timeline >= this.newestTimeline) return best;
    const text = `${nameOf(best.host)} lacks what was committed after another server had been promoted`;
    throw new DatabaseUnavailable(new Error(`No server of DATABASE_URL can be used: ${text}`));
  }

  private async probe({ host, port }: DatabaseHost): Promise<number> {
    const client = new DatabaseClient({
      ...this.config,
      host,
      port,
      connectionTimeoutMillis: PROBE_MS,
      query_timeout: PROBE_MS,
    });
    try {
      await client.connect();
      const { rows } = (await client.query(TIMELINE)) as { rows: { timeline: number }[] };
      return rows[0]?.timeline ?? 0;
    } finally {
      void client.end().catch(() => undefined);
    }
  }

  private reasons(settled: readonly PromiseSettledResult<void>[]): string {
    const reasons = settled.map((outcome, index) => {
      const host = this.hosts[index];
      const { message = '' } = outcome.status === 'rejected' ? (outcome.reason as Error) : {};
      return host === undefined ? '' : `${nameOf(host)} (${message})`;
    });
    return `No server of DATABASE_URL accepts writes: ${reasons.join(', ')}`;
  }
}

const nameOf = ({ host, port }: DatabaseHost): string => `${host}:${port}`;
