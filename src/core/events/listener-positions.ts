import { Injectable } from '@nestjs/common';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import type { Tx } from '../database/tx.js';
import type { Listener } from './listeners.js';

/** A listener that is known to be there without its position having changed. */
const SEEN_EVERY_MS = 20_000;
const MAX_ERROR = 2000;

/** How far a listener has come. */
export interface Position {
  readonly position: number;
  readonly failing_event: number | null;
  readonly attempts: number;
  readonly failing_since: string | null;
  /** When the event is tried again. */
  readonly retry_date: string | null;
  /** The first event that was given back from quarantine. */
  readonly returned: number | null;
}

/** What a process has to know about a listener from time to time. */
export interface SeenListener {
  /** Null if there is no listener. */
  readonly name: string | null;
  readonly position: number;
  readonly has_returned: boolean;
  /** The newest position. */
  readonly end: number;
  /** Whether events wait for a position. */
  readonly is_pending: boolean;
}

/** Reads and writes the positions of listeners. */
@Injectable()
export class ListenerPositions {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** Adds listeners that are not there yet: they get the events from now on. */
  async add(listeners: readonly Listener[]): Promise<void> {
    const names = listeners.map(({ name }) => name);
    const events = listeners.map((listener) => (listener.events === null ? null : [...listener.events].join(' ')));
    await this.db.query(sql`
      insert into outbox_listener (name, events, position, seen_date)
      select name, string_to_array(events, ' '), (select coalesce(max(position), 0) from outbox_order), ${this.clock.now()}
      from unnest(${names}::text[], ${events}::text[]) as listener(name, events)
      on conflict (name) do update set events = excluded.events
        where outbox_listener.events is distinct from excluded.events`);
    await this.seen(names);
  }

  /** Removes listeners that have nothing to do. */
  async remove(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    await this.db.query(sql`
      with gone as (delete from outbox_quarantine where listener = any(${[...names]}::text[]))
      delete from outbox_listener where name = any(${[...names]}::text[])`);
  }

  /** Records that these listeners exist. Skips those at work, which do so themselves. */
  async seen(names: readonly string[]): Promise<void> {
    const now = this.clock.now();
    await this.db.query(sql`
      update outbox_listener set seen_date = ${now} where name in (
        select name from outbox_listener
        where name = any(${[...names]}::text[]) and seen_date < ${new Date(now.getTime() - SEEN_EVERY_MS)}
        for update skip locked)`);
  }

  /** All listeners, in one statement; at least one row. */
  look(): Promise<SeenListener[]> {
    return this.db.query<SeenListener>(sql`
      select listener.name, coalesce(listener.position, 0) as position, newest.end, newest.is_pending,
        exists (select from outbox_quarantine where outbox_quarantine.listener = listener.name and returned_date is not null)
          as has_returned
      from (
        select (select coalesce(max(position), 0) from outbox_order) as end, exists (select from outbox_pending) as is_pending
      ) newest
      left join outbox_listener listener on true`);
  }

  /**
   * Makes this transaction the only one that works for the listener, and limits how long its statements may take or wait.
   * @param waits whether to wait for another transaction
   * @returns undefined if another transaction works for it, or if there is no such listener
   */
  async lock(
    tx: Tx,
    name: string,
    limits: { readonly waits: boolean; readonly timeoutMs: number },
  ): Promise<Position | undefined> {
    const [position] = await tx.query<Position>(sql`
      select position, failing_event, attempts, failing_since, retry_date, (
          select event_id from outbox_quarantine
          where outbox_quarantine.listener = outbox_listener.name and returned_date is not null order by id limit 1
        ) as returned, ${limitsOf(limits.timeoutMs)}
      from outbox_listener where name = ${name} for update ${raw(limits.waits ? '' : 'skip locked')}`);
    return position;
  }

  /** The listener has handled everything up to the position. */
  advance(tx: Tx, name: string, position: number): void {
    tx.write(sql`
      update outbox_listener set position = ${position}, seen_date = ${tx.now}, failing_event = null, attempts = 0,
        failing_since = null, retry_date = null, error = null
      where name = ${name}`);
  }

  /** The listener has failed at an event, which it will try again. */
  fail(
    tx: Tx,
    name: string,
    { event, attempts, error, retryDate }: { event: number; attempts: number; error: unknown; retryDate: Date },
  ): void {
    tx.write(sql`
      update outbox_listener set seen_date = ${tx.now}, failing_event = ${event}, attempts = ${attempts},
        failing_since = case when attempts = 0 then ${tx.now} else failing_since end, retry_date = ${retryDate},
        error = ${errorText(error)}
      where name = ${name}`);
  }
}

/** A statement that waits for a lock fails before the transaction does: waiting is no fault of an event. */
const limitsOf = (timeoutMs: number): Sql => sql`
  set_config('lock_timeout', ${String(Math.ceil(timeoutMs / 4))}, true),
  set_config('statement_timeout', ${String(timeoutMs)}, true),
  set_config('idle_in_transaction_session_timeout', ${String(timeoutMs + 10_000)}, true)`;

/** An error in one text, without what PostgreSQL cannot store. */
export function errorText(error: unknown): string {
  const { code, detail } = (error ?? {}) as { readonly code?: unknown; readonly detail?: unknown };
  const more = [code, detail].flatMap((part) => (typeof part === 'string' ? [` (${part})`] : []));
  return `${String(error)}${more.join('')}`.replaceAll('\0', '\ufffd').slice(0, MAX_ERROR);
}
