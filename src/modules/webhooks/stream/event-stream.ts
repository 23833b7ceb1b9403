import type { EventChannel } from '../../../core/http/server-sent-events.js';
import type { ApiVersion } from '../../../core/versioning/accept.js';
import {
  type Cursor,
  isAfter,
  isFor,
  Moment,
  type Places,
  type StreamedEvent,
  type Wish,
} from './stream.repository.js';

/** How a stream reads and writes events. */
export interface StreamSource {
  /** The next events of these places after the cursor. */
  readonly after: (cursor: Cursor, limit: number, places: Places) => Promise<StreamedEvent[]>;
  readonly places: () => Promise<Places>;
  /** The payload in the version of the stream. */
  readonly payload: (event: StreamedEvent, version: ApiVersion) => object;
}

const PAGE = 200;

/**
 * One reader of events. It reads what it has missed from the database; once it has caught up it takes what the feed of
 * the process offers. A reader that is too slow falls back to reading, so that nothing is kept for it and nothing lost.
 */
export class EventStream {
  private state: 'behind' | 'live' = 'behind';
  /** The feed has offered something while the database was being read. */
  private missed = false;
  private cursor: Cursor;
  /** What had happened before is not told. */
  private readonly since: Moment | undefined;

  constructor(
    private readonly channel: EventChannel,
    private readonly source: StreamSource,
    private readonly wish: Wish,
    private readonly version: ApiVersion,
    private places: Places,
    begin: Cursor | Moment,
  ) {
    this.since = begin instanceof Moment ? begin : undefined;
    this.cursor = begin instanceof Moment ? begin.cursor : begin;
  }

  /** What the feed has found. */
  offer(events: readonly StreamedEvent[]): void {
    if (this.state === 'behind') this.missed = true;
    if (this.state !== 'live') return;
    for (const event of events) {
      if (!isAfter(event.cursor, this.cursor)) continue;
      this.cursor = event.cursor;
      if (!isFor(event, this.places, this.wish) || this.write(event)) continue;
      this.state = 'behind';
      void this.channel.drained().then(() => this.catchUp());
      return;
    }
  }

  /** Reads until there is no more, then goes live. An error ends the stream: the client comes back with its cursor. */
  async catchUp(): Promise<void> {
    try {
      while (this.state === 'behind' && !this.channel.closed) {
        this.missed = false;
        const page = await this.source.after(this.cursor, PAGE, this.places);
        for (const event of page) {
          this.cursor = event.cursor;
          if (!this.write(event)) await this.channel.drained();
        }
        if (page.length < PAGE && !this.missed) this.state = 'live';
      }
    } catch {
      this.channel.break();
    }
  }

  /** Looks up anew what the reader may hear, and tells it how far it is. */
  async beat(): Promise<void> {
    try {
      this.places = await this.source.places();
      this.channel.beat(this.state === 'live' ? cursorText(this.cursor) : undefined);
    } catch {
      this.channel.break();
    }
  }

  /** @returns false for a slow reader */
  private write(event: StreamedEvent): boolean {
    if (this.since?.isAfter(event.cursor)) return true;
    return this.channel.message(cursorText(event.cursor), this.source.payload(event, this.version));
  }
}

export const cursorText = ({ transaction, id }: Cursor): string => `${transaction}-${id}`;

/** @returns undefined for what is no cursor */
export function readCursor(text: string): Cursor | undefined {
  const [, transaction, id] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return transaction === undefined ? undefined : { transaction: Number(transaction), id: Number(id) };
}
