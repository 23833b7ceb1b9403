import type { Response } from 'express';
import type { ApiVersion } from '../../core/versioning/accept.js';
import { type Cursor, isAfter, isFor, type Places, type StreamedEvent, type Wish } from './stream.repository.js';

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
  private state: 'behind' | 'live' | 'closed' = 'behind';
  /** The feed has offered something while the database was being read. */
  private missed = false;

  constructor(
    private readonly response: Response,
    private readonly source: StreamSource,
    private readonly wish: Wish,
    private readonly version: ApiVersion,
    private places: Places,
    private cursor: Cursor,
  ) {}

  /** What the feed has found. */
  offer(events: readonly StreamedEvent[]): void {
    if (this.state === 'behind') this.missed = true;
    if (this.state !== 'live') return;
    for (const event of events) {
      if (!isAfter(event.cursor, this.cursor)) continue;
      this.cursor = event.cursor;
      if (!isFor(event, this.places, this.wish) || this.write(event)) continue;
      this.state = 'behind';
      this.response.once('drain', () => void this.catchUp());
      return;
    }
  }

  /** Reads until there is no more, then goes live. An error ends the stream: the client comes back with its cursor. */
  async catchUp(): Promise<void> {
    try {
      while (this.state === 'behind') {
        this.missed = false;
        const page = await this.source.after(this.cursor, PAGE, this.places);
        for (const event of page) {
          this.cursor = event.cursor;
          if (!this.write(event)) await this.drained();
        }
        if (page.length < PAGE && !this.missed && this.state === 'behind') this.state = 'live';
      }
    } catch {
      this.response.destroy();
    }
  }

  /** Keeps the connection open, and tells the client how far it is. */
  async beat(): Promise<void> {
    try {
      this.places = await this.source.places();
      if (this.state === 'live') this.response.write(`: still here\nid: ${cursorText(this.cursor)}\n\n`);
      else this.response.write(': still here\n\n');
    } catch {
      this.response.destroy();
    }
  }

  close(): void {
    this.state = 'closed';
  }

  private write(event: StreamedEvent): boolean {
    if (this.state === 'closed') return true;
    const data = JSON.stringify(this.source.payload(event, this.version));
    return this.response.write(`id: ${cursorText(event.cursor)}\ndata: ${data}\n\n`);
  }

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.response.off('drain', done).off('close', done);
        resolve();
      };
      this.response.on('drain', done).on('close', done);
    });
  }
}

export const cursorText = ({ transaction, id }: Cursor): string => `${transaction}-${id}`;

/** @returns undefined for what is no cursor */
export function readCursor(text: string): Cursor | undefined {
  const [, transaction, id] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return transaction === undefined ? undefined : { transaction: Number(transaction), id: Number(id) };
}
