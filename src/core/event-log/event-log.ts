import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import type { Tx } from '../database/tx.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { Metrics } from '../metrics/metrics.js';
import { BackgroundWorker, type Worker } from '../worker/workers.js';
import { EventPartitions } from './event-partitions.js';
import { insertRows, type LoggedEvent, rowToJson } from './logged-event.js';

/** Rows and characters of JSON in one statement. */
const BATCH = { rows: 1000, characters: 2 ** 20 };
/** Rows and characters that wait for the database. Clients send what does not fit again later. */
const CAPACITY = { rows: 50_000, characters: 64 * 2 ** 20 };
/** How long rows wait for others. This is also what a crash of the process loses. */
const DELAY_MS = 250;
const RETRY_MS = { first: 250, last: 5_000 };
/** How long an orderly stop tries to write what is left. */
const STOP_MS = 10_000;

/**
 * The event log. Rows of a transaction are written with `write`. Others are added to a bounded queue in memory, which is
 * written in batches, so that no request waits for them: `add` is for what a client or a failed request reports.
 */
@Injectable()
@BackgroundWorker('events')
export class EventLog implements Worker {
  private queue: string[] = [];
  private characters = 0;
  private writing: Promise<void> | undefined;
  private stopsAt = Infinity;
  private readonly dropped: Counter;

  constructor(
    private readonly db: Db,
    private readonly partitions: EventPartitions,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.dropped = metrics.counter({
      name: 'event_log_dropped_total',
      help: 'Rows of the event log that were not written because too many were waiting, or because they are invalid',
    });
    metrics.gauge({ name: 'event_log_waiting', help: 'Rows of the event log to be written' }, () => this.queue.length);
  }

  /** Rows are written in every process that has some, so nothing needs to be started. */
  start(): void {
    this.stopsAt = Infinity;
  }

  /** Writes what is left. From now on, rows are written at once: see `settled`. */
  async stop(): Promise<void> {
    this.stopsAt = Date.now() + STOP_MS;
    await this.flush();
  }

  /** Writes rows in the caller's transaction, in order. */
  async write(tx: Tx, rows: readonly LoggedEvent[]): Promise<void> {
    if (rows.length === 0) return;
    await this.partitions.ensure(tx.now);
    for (const batch of batches(rows.map(rowToJson))) {
      await tx.query(insertRows(batch, tx.now)).catch((error: unknown) => {
        this.partitions.forget();
        throw error;
      });
    }
  }

  /** Adds rows to be written soon. @returns false if there is no room; then none is added */
  add(rows: readonly LoggedEvent[]): boolean {
    const added = rows.map(rowToJson);
    const length = added.reduce((sum, row) => sum + row.length, 0);
    if (this.queue.length + added.length > CAPACITY.rows || this.characters + length > CAPACITY.characters) {
      this.dropped.inc(added.length);
      return false;
    }
    for (const row of added) this.queue.push(row);
    this.characters += length;
    void this.begin(this.isStopping || this.queue.length >= BATCH.rows ? 0 : DELAY_MS);
    return true;
  }

  /** Resolves when the rows that were added are as safe as they can be: while the server stops, when they are written. */
  async settled(): Promise<void> {
    if (this.isStopping) await this.flush();
  }

  /** Writes everything that was added before. */
  async flush(): Promise<void> {
    while (this.queue.length > 0) {
      await this.begin(0);
      if (Date.now() >= this.stopsAt) break;
    }
    await this.writing;
    if (this.isStopping && this.queue.length > 0) {
      this.log.error({ rows: this.queue.length }, 'the database is not available; rows of the event log are lost');
      this.dropped.inc(this.queue.length);
      this.queue = [];
      this.characters = 0;
    }
  }

  private get isStopping(): boolean {
    return this.stopsAt !== Infinity;
  }

  private begin(delay: number): Promise<void> {
    this.hurry = delay === 0 || this.hurry;
    if (this.hurry) this.ring?.();
    this.writing ??= this.run(delay).finally(() => (this.writing = undefined));
    return this.writing;
  }

  private hurry = false;
  private ring: (() => void) | undefined;

  private async run(delay: number): Promise<void> {
    let retry = 0;
    if (delay > 0) await this.wait(delay);
    while (this.queue.length > 0) {
      try {
        await this.writeBatch();
        if (retry > 0) this.log.info({}, 'the event log can be written again');
        retry = 0;
      } catch (error) {
        this.partitions.forget();
        if (retry === 0) this.log.warn({ err: error }, 'the event log cannot be written; trying again');
        if (Date.now() >= this.stopsAt) break;
        retry = Math.min(RETRY_MS.last, Math.max(RETRY_MS.first, retry * 2));
        this.hurry = false;
        await this.wait(this.isStopping ? RETRY_MS.first : retry);
      }
    }
    this.hurry = false;
  }

  /** Waits until the time has passed or somebody is in a hurry. */
  private async wait(delay: number): Promise<void> {
    if (this.hurry) return;
    const ended = new Promise<void>((resolve) => (this.ring = resolve));
    const timer = new AbortController();
    await Promise.race([ended, pause(delay, undefined, { ref: false, signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    this.ring = undefined;
  }

  /** Rows stay in the queue until they are committed. */
  private async writeBatch(): Promise<void> {
    const batch = batches(this.queue).next().value ?? [];
    const now = this.clock.now();
    await this.partitions.ensure(now);
    try {
      await this.db.query(insertRows(batch, now));
    } catch (error) {
      if (!isBadValue(error)) throw error;
      await this.writeOneByOne(batch, now);
    }
    this.queue = this.queue.slice(batch.length);
    this.characters -= lengthOf(batch);
  }

  /** A row that the database refuses must not keep the others from being written. */
  private async writeOneByOne(batch: readonly string[], now: Date): Promise<void> {
    for (const row of batch) {
      await this.db.query(insertRows([row], now)).catch((error: unknown) => {
        if (!isBadValue(error)) throw error;
        this.dropped.inc();
        this.log.error({ err: error }, 'a row of the event log cannot be stored');
      });
    }
  }
}

const lengthOf = (rows: readonly string[]): number => rows.reduce((sum, row) => sum + row.length, 0);

function* batches(rows: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const row of rows) {
    if (batch.length > 0 && (batch.length >= BATCH.rows || length + row.length > BATCH.characters)) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(row);
    length += row.length;
  }
  if (batch.length > 0) yield batch;
}

/** PostgreSQL's classes of errors for invalid data. A missing partition is a violated check (23514). */
function isBadValue(error: unknown): boolean {
  const cause = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof pg.DatabaseError && (cause.code ?? '').startsWith('22');
}
