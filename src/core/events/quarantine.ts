import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { and, type Sql, sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import type { Tx } from '../database/tx.js';
import { Metrics } from '../metrics/metrics.js';
import type { StoredEvent } from './event-map.js';
import { errorText } from './listener-positions.js';

/** An event that a listener has failed to handle. */
export interface QuarantinedEvent {
  readonly id: number;
  readonly listener: string;
  readonly event_id: number;
  /** Name of the event. */
  readonly event: string;
  readonly object_id: string;
  readonly error: string;
  readonly attempts: number;
  readonly first_failed_date: string;
  readonly last_failed_date: string;
  /** When it was given back to the listener; null: it was not. */
  readonly returned_date: string | null;
}

export const QUARANTINE_COLUMNS = sql`outbox_quarantine.id, outbox_quarantine.listener, outbox_quarantine.event_id,
  outbox_quarantine.event, outbox_quarantine.object_id, outbox_quarantine.error, outbox_quarantine.attempts,
  outbox_quarantine.first_failed_date, outbox_quarantine.last_failed_date, outbox_quarantine.returned_date`;

/** Which events to give back. Absent: all. */
export interface QuarantineSelection {
  readonly listener?: string | undefined;
  /** Ids of events. */
  readonly events?: readonly number[] | undefined;
}

/** Events that a listener has failed to handle several times. It has gone on without them. */
@Injectable()
export class Quarantine {
  private readonly added: Counter;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.added = metrics.counter({
      name: 'events_quarantined_total',
      help: 'Events that a listener could not handle, by listener',
      labels: ['listener'],
    });
  }

  add(
    tx: Tx,
    failed: { listener: string; event: StoredEvent; attempts: number; error: unknown; since: string | null },
  ): void {
    const { listener, event, attempts, error, since } = failed;
    tx.write(sql`
      insert into outbox_quarantine (listener, event_id, event, object_id, error, attempts, first_failed_date, last_failed_date)
      values (${listener}, ${event.id}, ${event.name}, ${event.objectId}, ${errorText(error)}, ${attempts},
        coalesce(${since}::timestamptz, ${tx.now}), ${tx.now})
      on conflict (listener, event_id) do nothing`);
    tx.afterCommit(() => this.added.inc({ listener }));
  }

  /** The listener has handled the event. */
  remove(tx: Tx, listener: string, eventId: number): void {
    tx.write(sql`delete from outbox_quarantine where listener = ${listener} and event_id = ${eventId}`);
  }

  /** The listener has failed at an event that was given back. */
  failAgain(tx: Tx, listener: string, eventId: number, error: unknown): void {
    tx.write(sql`
      update outbox_quarantine set returned_date = null, attempts = attempts + 1, error = ${errorText(error)},
        last_failed_date = ${tx.now}
      where listener = ${listener} and event_id = ${eventId}`);
  }

  /** Gives events back to their listeners, which handle them before the next ones. @returns their number */
  async giveBack(selection: QuarantineSelection): Promise<number> {
    const rows = await this.db.query(sql`
      update outbox_quarantine set returned_date = ${this.clock.now()}
      where returned_date is null and ${selected(selection)} returning id`);
    return rows.length;
  }

  /** The oldest events in quarantine. */
  list(selection: QuarantineSelection, limit: number): Promise<QuarantinedEvent[]> {
    return this.db.query<QuarantinedEvent>(sql`
      select ${QUARANTINE_COLUMNS} from outbox_quarantine where ${selected(selection)} order by id limit ${limit}`);
  }
}

const selected = ({ listener, events }: QuarantineSelection): Sql =>
  and([
    ...(listener === undefined ? [] : [sql`listener = ${listener}`]),
    ...(events === undefined ? [] : [sql`event_id = any(${[...events]}::bigint[])`]),
  ]);
