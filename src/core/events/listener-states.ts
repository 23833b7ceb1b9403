import { Injectable } from '@nestjs/common';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { Clock } from '../clock.js';
import { Db } from '../database/db.js';
import { Backlogged } from '../metrics/backlogs.js';
import { inWords, LATE_SECONDS, ReportsHealth, WORKING } from '../metrics/health-report.js';
import { Metrics, type Reading } from '../metrics/metrics.js';
import { Listeners } from './listeners.js';

/** How a listener is getting on. */
export interface ListenerState {
  readonly name: string;
  /** Whether this installation has it; otherwise it is one of an extension that was removed. */
  readonly is_known: boolean;
  /** Number of events that it has yet to handle. */
  readonly waiting: number;
  /** When the oldest of them occurred. */
  readonly oldest: string | null;
  readonly quarantined: number;
  /** When a process last had it; null: never. */
  readonly seen_date: string | null;
  /** The event at which it is failing, and will try again. */
  readonly failing_event: number | null;
  readonly failing_since: string | null;
  readonly attempts: number;
  readonly error: string | null;
}

const KEPT_MS = 5_000;

/** Reads the states of all listeners, for operators. */
@Injectable()
export class ListenerStates {
  private known: { readonly at: number; readonly states: Promise<ListenerState[]> } | undefined;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly listeners: Listeners,
    metrics: Metrics,
  ) {
    const gauge = (name: string, help: string, value: (state: ListenerState) => number): void =>
      metrics.gauge({ name, help, labels: ['listener'], isShared: true }, () => this.reading(value));
    gauge('listener_waiting', 'Events that a listener has yet to handle', ({ waiting }) => waiting);
    gauge('listener_oldest_seconds', 'Age of the oldest of them in seconds; 0 if there are none', (state) =>
      Math.max(0, this.ageOf(state) ?? 0),
    );
    gauge(
      'listener_quarantined',
      'Events in quarantine, which a listener could not handle',
      (state) => state.quarantined,
    );
  }

  /** All listeners, by name. The database is queried at most once every few seconds. */
  recent(): Promise<ListenerState[]> {
    const at = this.clock.now().getTime();
    if (this.known !== undefined && Math.abs(at - this.known.at) < KEPT_MS) return this.known.states;
    const states = this.read();
    this.known = { at, states };
    states.catch(() => (this.known = undefined));
    return states;
  }

  /** All listeners, by name. */
  read(): Promise<ListenerState[]> {
    return this.db.query<ListenerState>(sql`
      select * from (${this.statement()}) state order by not is_known, name`);
  }

  /** Age in seconds of the oldest event that the listener has yet to handle; null if there is none. */
  ageOf({ oldest }: ListenerState): number | null {
    return oldest === null ? null : (this.clock.now().getTime() - Date.parse(oldest)) / 1000;
  }

  /** Events that some listener has yet to handle. */
  @Backlogged('events')
  backlog(): Sql {
    return sql`
      select coalesce(max(waiting), 0) as waiting, min(oldest) as oldest from (${this.statement()}) state where is_known`;
  }

  /** Names the listeners that have not handled an event of more than a minute ago, and those with events in quarantine. */
  @ReportsHealth('Events')
  async problem(): Promise<string> {
    const states = (await this.recent()).filter((state) => state.is_known);
    const ages = states.map((state) => ({ name: state.name, age: this.ageOf(state) ?? 0 }));
    const late = ages.filter(({ age }) => age > LATE_SECONDS).map(({ name, age }) => `${name} (${inWords(age)})`);
    const failed = states.filter(({ quarantined }) => quarantined > 0);
    const counts = failed.map(({ name, quarantined }) => `${name} (${quarantined})`);
    const problems = [
      ...(late.length === 0 ? [] : [`Events are waiting for ${late.join(', ')}.`]),
      ...(counts.length === 0 ? [] : [`Warning: events are in quarantine: ${counts.join(', ')}.`]),
    ];
    return problems.join(' ') || WORKING;
  }

  private async reading(value: (state: ListenerState) => number): Promise<Reading> {
    const states = await this.recent();
    return states
      .filter((state) => state.is_known)
      .map((state) => ({ labels: { listener: state.name }, value: value(state) }));
  }

  private statement(): Sql {
    return listenerStates(this.listeners.wanted.map(({ name }) => name));
  }
}

/**
 * Selects the states of all listeners. Events without a position count for listeners that get all events.
 * @param names of the listeners of this installation
 */
export function listenerStates(names: readonly string[]): Sql {
  const isNext = sql`outbox_order.position > coalesce(listener.position, 0)
    and (listener.events is null or outbox_order.name = any(listener.events))`;
  return sql`
    select name, wanted.number is not null as is_known,
      (select count(*) from outbox_order where ${isNext})
        + case when listener.events is null then unordered.count else 0 end as waiting,
      coalesce((
        select occurred_at from outbox_order join outbox_event on outbox_event.id = outbox_order.event_id
        where ${isNext} order by outbox_order.position limit 1
      ), case when listener.events is null then unordered.oldest end) as oldest,
      (select count(*) from outbox_quarantine where outbox_quarantine.listener = name) as quarantined,
      listener.seen_date, listener.failing_event, listener.failing_since, coalesce(listener.attempts, 0) as attempts,
      listener.error
    from unnest(${[...names]}::text[]) with ordinality as wanted(name, number)
    full join outbox_listener listener using (name)
    cross join (
      select (select count(*) from outbox_pending) as count,
        (select occurred_at from outbox_event where id = (select min(event_id) from outbox_pending)) as oldest
    ) unordered`;
}
