import type { EventChannel } from '../../../core/http/response/server-sent-events.js';
import { API_VERSIONS, type ApiVersion, LATEST_VERSION } from '../../../core/versioning/accept.js';
import {
  type Cursor,
  isAfter,
  isVisible,
  Moment,
  type EventAccess,
  type StreamedEvent,
  StreamRepository,
  type StreamFilter,
} from './stream.repository.js';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { Notifier } from '../../../core/worker/notifier.js';
import { Poller } from '../../../core/worker/poller.js';

/** How a stream reads and writes events. */
export interface StreamSource {
  /** The next permitted events after the cursor. */
  readonly after: (cursor: Cursor, limit: number, access: EventAccess) => Promise<StreamedEvent[]>;
  readonly access: () => Promise<EventAccess>;
  /** The payload in the version of the stream; null if it cannot be composed. */
  readonly payload: (event: StreamedEvent, version: ApiVersion) => object | null;
}

const PAGE = 200;

/**
 * One reader of events. It first reads what it has missed from the database, then takes events from the process's feed.
 * A reader that is too slow falls back to the database, so that nothing is buffered for it and nothing is lost.
 */
export class EventStream {
  private state: 'behind' | 'live' = 'behind';
  /** Whether the feed offered events while the database was being read. */
  private missed = false;
  private cursor: Cursor;
  /** Events committed before this moment are not sent. */
  private readonly since: Moment | undefined;

  constructor(
    private readonly channel: EventChannel,
    private readonly source: StreamSource,
    private readonly filter: StreamFilter,
    private readonly version: ApiVersion,
    private access: EventAccess,
    begin: Cursor | Moment,
  ) {
    this.since = begin instanceof Moment ? begin : undefined;
    this.cursor = begin instanceof Moment ? begin.cursor : begin;
  }

  /** Takes events that the feed has read. */
  offer(events: readonly StreamedEvent[]): void {
    if (this.state === 'behind') this.missed = true;
    if (this.state !== 'live') return;
    for (const event of events) {
      if (!isAfter(event.cursor, this.cursor)) continue;
      this.cursor = event.cursor;
      if (!isVisible(event, this.access, this.filter) || this.write(event)) continue;
      this.state = 'behind';
      void this.channel.drained().then(() => this.catchUp());
      return;
    }
  }

  /** Reads until it has caught up, then goes live. An error ends the stream: the client reconnects with its cursor. */
  async catchUp(): Promise<void> {
    try {
      while (this.state === 'behind' && !this.channel.closed) {
        this.missed = false;
        const page = await this.source.after(this.cursor, PAGE, this.access);
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

  /** Reloads the permissions of the client, and sends its position. */
  async heartbeat(): Promise<void> {
    try {
      this.access = await this.source.access();
      this.channel.heartbeat(this.state === 'live' ? cursorText(this.cursor) : undefined);
    } catch {
      this.channel.break();
    }
  }

  /** @returns false for a slow reader */
  private write(event: StreamedEvent): boolean {
    if (this.since?.isAfter(event.cursor)) return true;
    const payload = this.source.payload(event, this.version);
    return payload === null || this.channel.message(cursorText(event.cursor), payload);
  }
}

export const cursorText = ({ transaction, id }: Cursor): string => `${transaction}-${id}`;

/** @returns undefined if the text is not a cursor */
export function readCursor(text: string): Cursor | undefined {
  const [, transaction, id] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return transaction === undefined ? undefined : { transaction: Number(transaction), id: Number(id) };
}

const POLL_MS = 250;

const BATCH = 500;

type Listener = (events: readonly StreamedEvent[]) => void;

/**
 * Reads new events once for all readers of this process, as long as there are readers. Commits of any
 * process wake it.
 */
@Injectable()
export class EventFeed implements OnApplicationShutdown {
  /** Listeners and their API versions. */
  private readonly listeners = new Map<Listener, ApiVersion>();
  private stopListening: (() => void) | undefined;
  private poller: Poller | undefined;
  private position: Cursor | undefined;

  constructor(
    private readonly db: Db,
    private readonly events: StreamRepository,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly notifier: Notifier,
  ) {}

  /** Once the promise has resolved, no event is missed. @returns a function that ends the subscription */
  async listen(version: ApiVersion, listener: Listener): Promise<() => void> {
    this.position ??= (await this.events.now(this.db)).cursor;
    this.listeners.set(listener, version);
    if (this.poller === undefined) {
      this.poller = new Poller(
        'event streams',
        () => this.notifier.pollMs(POLL_MS),
        () => this.read(),
        this.log,
      );
      this.poller.start();
      this.stopListening ??= this.notifier.listen('events', () => this.poller?.wake());
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      void this.poller?.stop();
      this.poller = undefined;
      this.position = undefined; // the next listener starts at its own time
    };
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopListening?.();
    await this.poller?.stop();
  }

  private async read(): Promise<boolean> {
    const { position } = this;
    if (this.listeners.size === 0 || position === undefined) return false;
    const version = this.oldestVersion();
    const found = await this.events.after(this.db, position, BATCH, version);
    if (this.oldestVersion() !== version) return true; // read again: a new listener needs more of each event
    if (this.position === position) this.position = found.at(-1)?.cursor ?? position;
    if (found.length > 0) for (const listener of this.listeners.keys()) listener(found);
    return found.length === BATCH;
  }

  /** The version of the listener that needs the most of each event. */
  private oldestVersion(): ApiVersion {
    const requested = new Set(this.listeners.values());
    return API_VERSIONS.find((version) => requested.has(version)) ?? LATEST_VERSION;
  }
}
