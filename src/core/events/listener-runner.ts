import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../clock.js';
import type { Tx } from '../database/tx.js';
import type { Logger } from '../logging/logger.js';
import { ListenerAttempt, type StrayError } from './listener-attempt.js';
import { isDatabaseFault, pauseAfter, readable } from './listener-failures.js';
import type { ListenerPositions, Position } from './listener-positions.js';
import type { ListenerTransactions } from './listener-transactions.js';
import type { Listener } from './listeners.js';
import { NOT_URGENT } from './on-event.js';
import { BATCH, type OrderedEvent, type OutboxReader, type ReadEvent } from './outbox.reader.js';
import type { Quarantine } from './quarantine.js';

/** A listener that gets events one by one commits what it has done after this time. */
const SLICE_MS = 2_000;
/** How long a position that moved past events of others may be in memory only. */
const UNWRITTEN_MS = 10_000;

/**
 * What a step did: `more` events may be there, `idle`: there are none, `busy`: another process works for the listener,
 * `waiting`: the next attempt is due later.
 */
export type Progress = 'more' | 'idle' | 'busy' | 'waiting';

export interface RunnerParts {
  readonly transactions: ListenerTransactions;
  readonly positions: ListenerPositions;
  readonly quarantine: Quarantine;
  readonly reader: OutboxReader;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Calls one listener with the events after its position, in transactions of its own. */
export class ListenerRunner {
  /** Whether the listener is the worse for waiting. */
  isUrgent = true;
  /** The position in the database, as this process wrote it last. */
  written: number | undefined;
  /** Whether events were given back from quarantine. */
  hasReturned = false;
  /** When the next attempt is due, in milliseconds. */
  retryAt = 0;
  /** How far the listener has come: beyond `written` after events of others, which need no statement. */
  private position: number | undefined;
  private writtenAt = 0;
  private epoch = -1;
  /** Up to this position, each event has a transaction of its own, because one of them has failed. */
  private oneByOneUntil = 0;
  private attempt: ListenerAttempt | undefined;
  private recording: Promise<unknown> = Promise.resolve();

  constructor(
    readonly listener: Listener,
    private readonly parts: RunnerParts,
  ) {}

  get name(): string {
    return this.listener.name;
  }

  /**
   * Handles the next events.
   * @param waits whether to wait for a process that works for the listener, and to try again without a pause
   * @throws the error of a database that is not available
   */
  async run(waits = false): Promise<Progress> {
    if (!this.hasReturned && this.passes()) return 'idle';
    await this.recording;
    this.attempt = undefined;
    try {
      const progress = await this.parts.transactions.run((tx) => this.step(tx, waits), true);
      (this.attempt as ListenerAttempt | undefined)?.settle(true);
      return progress;
    } catch (thrown) {
      (this.attempt as ListenerAttempt | undefined)?.settle(false);
      const error = readable(thrown);
      if (this.attempt === undefined || isDatabaseFault(error)) throw error;
      return await this.failed(this.attempt, error, waits);
    }
  }

  isInterestedIn({ name }: OrderedEvent): boolean {
    return this.listener.events?.has(name) ?? true;
  }

  /** Moves past events of others in memory. @returns whether there is nothing else to do */
  private passes(): boolean {
    const { reader } = this.parts;
    if (this.position === undefined || this.epoch !== reader.epoch) return reader.end === 0;
    const next = reader.known(this.position, Infinity);
    if (next === undefined || next.some((event) => this.isInterestedIn(event))) return false;
    this.moveTo(next.at(-1)?.position ?? this.position);
    return this.position === this.written || performance.now() - this.writtenAt < UNWRITTEN_MS;
  }

  private async step(tx: Tx, waits: boolean): Promise<Progress> {
    const { reader, clock } = this.parts;
    const state = await this.lock(tx, waits);
    if (state === undefined) return 'busy';
    this.hasReturned = state.returned !== null;
    if (state.returned !== null) return this.handleReturned(tx, state.returned);
    this.retryAt = state.retry_date === null ? 0 : Date.parse(state.retry_date);
    if (!waits && this.retryAt > clock.now().getTime()) return 'waiting';
    const from = this.start(state);
    const ordered = await reader.after(from);
    const last = ordered.at(-1)?.position ?? from;
    const next = ordered.filter((event) => this.isInterestedIn(event));
    if (next.length === 0) {
      this.write(tx, last);
      return ordered.length === BATCH ? 'more' : 'idle';
    }
    const isAlone = state.attempts > 0 || from < this.oneByOneUntil;
    const { events, covered } = await this.load(isAlone ? next.slice(0, 1) : next);
    const handled = await this.handle(this.begin(events), tx);
    const isAll = covered === next.length && handled === events.length;
    this.write(
      tx,
      isAll ? last : ((handled < events.length ? events[handled - 1] : next[covered - 1])?.position ?? from),
    );
    return isAll && ordered.length < BATCH ? 'idle' : 'more';
  }

  private lock(tx: Tx, waits: boolean): Promise<Position | undefined> {
    const { positions, transactions } = this.parts;
    return positions.lock(tx, this.name, { waits, timeoutMs: transactions.timeoutMs });
  }

  /** Where to go on. What this process remembers is only valid if no other one has worked for the listener. */
  private start({ position }: Position): number {
    const isCurrent = position === this.written && this.epoch === this.parts.reader.epoch;
    return isCurrent ? Math.max(position, this.position ?? position) : position;
  }

  /** An event that cannot even be read, as after damage to the disk, counts as one at which the listener has failed. */
  private async load(ordered: readonly OrderedEvent[]): ReturnType<OutboxReader['load']> {
    try {
      return await this.parts.reader.load(ordered);
    } catch (error) {
      this.begin(ordered.map(unreadable));
      throw error;
    }
  }

  private begin(events: readonly ReadEvent[], isLate = false): ListenerAttempt {
    this.attempt?.settle(false); // the transaction was undone and begins again
    this.attempt = new ListenerAttempt(events, isLate, (stray) => this.record(stray));
    return this.attempt;
  }

  /** @returns how many of the events were handled */
  private async handle(attempt: ListenerAttempt, tx: Tx): Promise<number> {
    if (attempt.events.length === 0) return 0;
    const results = this.listener.isBatch
      ? [await this.call(attempt, attempt.events, tx)]
      : await this.callWithEach(attempt, tx);
    // Errors of promises that nobody handles are reported a moment later.
    if (this.listener.isOfExtension) await attempt.orFailure(nextTurn());
    attempt.returned();
    this.isUrgent = results.some((result) => result !== NOT_URGENT);
    return this.listener.isBatch ? attempt.events.length : results.length;
  }

  private async callWithEach(attempt: ListenerAttempt, tx: Tx): Promise<unknown[]> {
    const until = performance.now() + SLICE_MS;
    const results: unknown[] = [];
    for (const event of attempt.events) {
      results.push(await this.call(attempt, [event], tx));
      if (performance.now() > until) break;
    }
    return results;
  }

  private call(attempt: ListenerAttempt, read: readonly ReadEvent[], tx: Tx): unknown {
    const { isBatch, isOfExtension } = this.listener;
    const events = read.map(({ event }) => event);
    const call = (): unknown => this.listener.call(isBatch ? events : events[0], tx, { isLate: attempt.isLate });
    return isOfExtension ? attempt.watch(read, call) : call();
  }

  /** Something that the listener has started failed when it was too late to undo the listener's transaction. */
  private record({ events, error: thrown, isCommitted }: StrayError): void {
    const { transactions, quarantine, log } = this.parts;
    const error = readable(thrown);
    const details = { err: error, listener: this.name, events: events.map(({ event }) => event.id) };
    log.error(details, 'an error that nobody handled, after a listener of an extension has returned');
    if (!isCommitted) return; // the events are tried again anyway
    const add = (tx: Tx): void => {
      for (const { event } of events)
        quarantine.add(tx, { listener: this.name, event, attempts: 1, error, since: null });
    };
    const record = (): Promise<void> => transactions.run((tx) => Promise.resolve(add(tx)));
    this.recording = this.recording
      .then(record)
      .catch((err: unknown) => log.error({ ...details, err }, 'could not put the events into quarantine'));
  }

  private write(tx: Tx, position: number): void {
    this.parts.positions.advance(tx, this.name, position);
    tx.afterCommit(() => {
      this.written = position;
      this.writtenAt = performance.now();
      this.epoch = this.parts.reader.epoch;
      this.retryAt = 0;
      this.moveTo(position);
    });
  }

  private moveTo(position: number): void {
    this.position = position;
    this.parts.reader.pass(this.name, position);
  }

  /** An event that was given back from quarantine. */
  private async handleReturned(tx: Tx, id: number): Promise<Progress> {
    const { events } = await this.parts.reader.load([{ position: 0, event_id: id, name: '' }]);
    await this.handle(this.begin(events, true), tx);
    this.parts.quarantine.remove(tx, this.name, id);
    return 'more';
  }

  private async failed({ events, isLate }: ListenerAttempt, error: unknown, waits: boolean): Promise<Progress> {
    const [first] = events;
    if (first === undefined) throw error;
    if (events.length > 1) {
      this.oneByOneUntil = events.at(-1)?.position ?? 0;
      return 'more';
    }
    return this.parts.transactions.run(async (tx) => {
      const state = await this.lock(tx, true);
      if (state === undefined) return 'idle';
      if (isLate) this.failedAgain(tx, first, error);
      else if (state.position < first.position) return this.failedAlone(tx, first, state, { error, waits });
      return 'more';
    });
  }

  private failedAgain(tx: Tx, { event }: ReadEvent, error: unknown): void {
    this.parts.quarantine.failAgain(tx, this.name, event.id, error);
    const details = { err: error, listener: this.name, event: event.name, id: event.id };
    tx.afterCommit(() => this.parts.log.warn(details, 'a listener still cannot handle an event in quarantine'));
  }

  private failedAlone(
    tx: Tx,
    { event, position }: ReadEvent,
    state: Position,
    { error, waits }: { error: unknown; waits: boolean },
  ): Progress {
    const { positions, quarantine, log } = this.parts;
    const attempts = (state.failing_event === event.id ? state.attempts : 0) + 1;
    const pause = pauseAfter(error, attempts);
    const details = { err: error, listener: this.name, event: event.name, id: event.id, attempts };
    if (pause === null) {
      quarantine.add(tx, { listener: this.name, event, attempts, error, since: state.failing_since });
      this.write(tx, position);
      tx.afterCommit(() => log.error(details, 'a listener cannot handle an event; it is in quarantine now'));
      return 'more';
    }
    const retryDate = new Date(tx.now.getTime() + pause);
    positions.fail(tx, this.name, { event: event.id, attempts, error, retryDate });
    tx.afterCommit(() => {
      this.retryAt = retryDate.getTime();
      log.warn(details, 'a listener has failed to handle an event; trying again');
    });
    return waits ? 'more' : 'waiting';
  }
}

const unreadable = ({ position, event_id: id, name }: OrderedEvent): ReadEvent => ({
  position,
  event: {
    id,
    name,
    objectId: '',
    sender: null,
    organizationId: null,
    projectId: null,
    occurredAt: '',
    after: { object: {} },
  },
});
