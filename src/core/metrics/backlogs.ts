import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import type { Sql } from '../../engines/sql/sql.js';
import { Discovery, methodHook } from '../discovery/discovery.js';
import { Metrics } from './metrics.js';

/** The size of a backlog and the age of its oldest entry. */
export interface Backlog {
  readonly waiting: number;
  /** Null if the backlog is empty. */
  readonly oldestSeconds: number | null;
}

const KEPT_MS = 5000;

/**
 * The method returns a statement for the backlog of the named queue: one row `waiting`, `oldest` (timestamp or null).
 */
export const Backlogged = methodHook<string, () => Sql>();

/** Backlogs of workers in the database, the same for every process. */
@Injectable()
export class Backlogs {
  private known: { readonly at: number; readonly backlogs: Promise<ReadonlyMap<string, Backlog>> } | undefined;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly discovery: Discovery,
    metrics: Metrics,
  ) {
    const read = async (value: (backlog: Backlog) => number): Promise<{ labels: { queue: string }; value: number }[]> =>
      [...(await this.read())].map(([queue, backlog]) => ({ labels: { queue }, value: value(backlog) }));
    metrics.gauge({ name: 'queue_waiting', help: 'Pending items by queue', labels: ['queue'], isShared: true }, () =>
      read(({ waiting }) => waiting),
    );
    metrics.gauge(
      {
        name: 'queue_oldest_seconds',
        help: 'Age of the oldest pending item in seconds; 0 if the queue is empty',
        labels: ['queue'],
        isShared: true,
      },
      () => read(({ oldestSeconds }) => oldestSeconds ?? 0),
    );
  }

  /** Backlogs by queue. The database is queried at most once every few seconds. */
  read(): Promise<ReadonlyMap<string, Backlog>> {
    const at = performance.now();
    if (this.known !== undefined && at - this.known.at < KEPT_MS) return this.known.backlogs;
    const backlogs = this.ask();
    this.known = { at, backlogs };
    backlogs.catch(() => (this.known = undefined));
    return backlogs;
  }

  private async ask(): Promise<ReadonlyMap<string, Backlog>> {
    const entries = this.discovery.methods(Backlogged).map(async ({ data: queue, found: statement }) => {
      const [row] = await this.db.query<{ waiting: number; oldest: string | null }>(statement());
      const since = row?.oldest == null ? null : this.clock.now().getTime() - Date.parse(row.oldest);
      const oldestSeconds = since === null ? null : Math.max(0, since / 1000);
      return [queue, { waiting: row?.waiting ?? 0, oldestSeconds }] as const;
    });
    return new Map(await Promise.all(entries));
  }
}
