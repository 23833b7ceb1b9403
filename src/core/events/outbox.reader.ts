import { Injectable } from '@nestjs/common';
import { sql } from '../../engines/sql/sql.js';
import { Db } from '../database/db.js';
import type { StoredEvent } from './event-map.js';
import { eventTexts, type EventText, lengthOf, toEvents } from './stored-event.js';

/** Maximum number of events that a listener handles at once. */
export const BATCH = 1000;
/** What is kept in memory for listeners that come later: positions, and characters of JSON. */
const KEPT = { positions: 20_000, characters: 8 * 2 ** 20 };

/** An event and its place in the order in which listeners handle events. */
export interface OrderedEvent {
  readonly position: number;
  readonly event_id: number;
  /** Name of the event. */
  readonly name: string;
}

/** By event id; null: the event does not exist. */
type Texts = ReadonlyMap<number, EventText | null>;

interface KeptText {
  readonly position: number;
  readonly text: EventText | null;
}

/** An event with its objects. */
export interface ReadEvent {
  readonly position: number;
  readonly event: StoredEvent;
}

/**
 * Reads events for the listeners of this process. Those of the last moments are kept, so that each is read once,
 * however many listeners there are. What one listener does not take in time, it reads again.
 */
@Injectable()
export class OutboxReader {
  /** Newest known position. */
  end = 0;
  /**
   * Grows when positions may have another meaning than before: another process has given some, or a backup was restored.
   * What a listener remembers of earlier positions is then void.
   */
  epoch = 0;
  /** All events after the position `base`, in order. */
  private recent: OrderedEvent[] = [];
  private base = 0;
  /** By event id, oldest first. */
  private readonly kept = new Map<number, KeptText>();
  private characters = 0;
  /** How far the listeners of this process have come, by name. */
  private readonly passed = new Map<string, number>();
  private readonly loading = new Map<number, Promise<Texts>>();

  constructor(private readonly db: Db) {}

  /** Records events that this process has just given positions. @param after the newest position before them */
  add(events: readonly OrderedEvent[], after: number): void {
    const last = events.at(-1);
    if (last === undefined) return;
    if (after !== (this.recent.at(-1)?.position ?? this.base)) this.forget(after);
    for (const event of events) this.recent.push(event);
    const excess = this.recent.length - KEPT.positions;
    if (excess > 0) this.base = this.recent.splice(0, excess).at(-1)?.position ?? this.base;
    this.end = last.position;
  }

  /** Records the newest position in the database. */
  learn(end: number): void {
    if (end < this.end) this.forget(end);
    this.end = end;
  }

  /** The next events after a position if they are in memory; undefined if they have to be read. */
  known(position: number, limit = BATCH): readonly OrderedEvent[] | undefined {
    if (position >= this.end) return [];
    const last = this.recent.at(-1)?.position ?? this.base;
    if (position < this.base || position >= last) return undefined;
    const start = firstAfter(this.recent, position);
    return this.recent.slice(start, start + limit);
  }

  /** The next events after a position, in order. */
  async after(position: number, limit = BATCH): Promise<readonly OrderedEvent[]> {
    const known = this.known(position, limit);
    if (known !== undefined) return known;
    return this.db.query<OrderedEvent>(sql`
      select position, event_id, name from outbox_order where position > ${position} order by position limit ${limit}`);
  }

  /** Records how far a listener has come. What all listeners of this process have handled is not kept. */
  pass(listener: string, position: number): void {
    this.passed.set(listener, position);
    const all = Math.min(...this.passed.values());
    for (const [id, { position: its, text }] of this.kept) {
      if (its > all) break;
      this.drop(id, text);
    }
  }

  /**
   * The first of these events, as many as may be in memory at the same time, with their objects. Events that no longer
   * exist are left out.
   * @returns also how many of the given events this covers
   */
  async load(ordered: readonly OrderedEvent[]): Promise<{ readonly events: ReadEvent[]; readonly covered: number }> {
    const texts = await this.textsOf(ordered);
    const end = ordered.findIndex(({ event_id: id }) => !texts.has(id));
    const [first] = ordered;
    if (end === 0 && first !== undefined) return this.load([first]); // others have used up the space
    const read = (end < 0 ? ordered : ordered.slice(0, end)).flatMap(({ position, event_id: id }) => {
      const text = texts.get(id) ?? null;
      return text === null ? [] : [{ position, text }];
    });
    // Each listener parses objects for itself: those of two at different events would replace each other.
    const events = toEvents(read.map(({ text }) => text));
    return {
      events: events.map((event, index) => ({ position: read[index]?.position ?? 0, event })),
      covered: end < 0 ? ordered.length : end,
    };
  }

  private async textsOf(ordered: readonly OrderedEvent[]): Promise<Texts> {
    const found = new Map<number, EventText | null>();
    const missing: OrderedEvent[] = [];
    const pending = new Set<Promise<Texts>>();
    for (const one of ordered) {
      const kept = this.kept.get(one.event_id);
      const loading = this.loading.get(one.event_id);
      if (kept !== undefined) found.set(one.event_id, kept.text);
      else if (loading !== undefined) pending.add(loading);
      else missing.push(one);
    }
    if (missing.length > 0) pending.add(this.read(missing));
    for (const texts of await Promise.all(pending)) for (const [id, text] of texts) found.set(id, text);
    return found;
  }

  private read(ordered: readonly OrderedEvent[]): Promise<Texts> {
    const reading = this.readNow(ordered).finally(() => {
      for (const { event_id: id } of ordered) this.loading.delete(id);
    });
    for (const { event_id: id } of ordered) this.loading.set(id, reading);
    return reading;
  }

  private async readNow(ordered: readonly OrderedEvent[]): Promise<Texts> {
    const { epoch } = this;
    const { texts, isCut } = await eventTexts(
      this.db,
      ordered.map(({ event_id: id }) => id),
    );
    const byId = new Map<number, EventText | null>(texts.map((text) => [text.id, text]));
    for (const { event_id: id, position } of ordered) {
      if (!isCut && !byId.has(id)) byId.set(id, null);
      const text = byId.get(id);
      if (text !== undefined && epoch === this.epoch) this.keep(id, { position, text });
    }
    return byId;
  }

  private keep(id: number, kept: KeptText): void {
    if (this.kept.has(id)) return;
    this.kept.set(id, kept);
    this.characters += kept.text === null ? 0 : lengthOf(kept.text);
    for (const [oldest, { text }] of this.kept) {
      if (this.characters <= KEPT.characters && this.kept.size <= KEPT.positions) break;
      this.drop(oldest, text);
    }
  }

  private drop(id: number, text: EventText | null): void {
    this.kept.delete(id);
    this.characters -= text === null ? 0 : lengthOf(text);
  }

  private forget(base: number): void {
    this.epoch += 1;
    this.recent = [];
    this.base = base;
    this.kept.clear();
    this.characters = 0;
  }
}

/** Index of the first event after a position. */
function firstAfter(events: readonly OrderedEvent[], position: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.position ?? Infinity) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}
