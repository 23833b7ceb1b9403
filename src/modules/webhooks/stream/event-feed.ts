import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Db } from '../../../core/database/db.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { API_VERSIONS, type ApiVersion, LATEST_VERSION } from '../../../core/versioning/accept.js';
import { OutboxWriter } from '../../../core/outbox/outbox.writer.js';
import { Poller } from '../../../core/worker/poller.js';
import { type Cursor, StreamRepository, type StreamedEvent } from './stream.repository.js';

const POLL_MS = 250;
const BATCH = 500;

type Listener = (events: readonly StreamedEvent[]) => void;

/**
 * Reads new events once for all readers of this process, as long as there are any. Events of this process are found at
 * once, those of others at a pace.
 */
@Injectable()
export class EventFeed implements OnApplicationShutdown {
  /** With the versions that they speak. */
  private readonly listeners = new Map<Listener, ApiVersion>();
  private readonly forget: () => void;
  private poller: Poller | undefined;
  private position: Cursor | undefined;

  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(StreamRepository) private readonly events: StreamRepository,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(OutboxWriter) writer: OutboxWriter,
  ) {
    this.forget = writer.onCommit(() => this.poller?.wake());
  }

  /** From when the promise resolves nothing is left out. @returns ends it */
  async listen(version: ApiVersion, listener: Listener): Promise<() => void> {
    this.position ??= (await this.events.now(this.db)).cursor;
    this.listeners.set(listener, version);
    if (this.poller === undefined) {
      this.poller = new Poller('event streams', POLL_MS, () => this.read(), this.log);
      this.poller.start();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      void this.poller?.stop();
      this.poller = undefined;
      this.position = undefined; // who comes next begins at that time
    };
  }

  async onApplicationShutdown(): Promise<void> {
    this.forget();
    await this.poller?.stop();
  }

  private async read(): Promise<boolean> {
    const { position } = this;
    if (this.listeners.size === 0 || position === undefined) return false;
    const version = this.oldestVersion();
    const found = await this.events.after(this.db, position, BATCH, version);
    if (this.oldestVersion() !== version) return true; // once more, for somebody who came meanwhile and wants more of them
    if (this.position === position) this.position = found.at(-1)?.cursor ?? position;
    if (found.length > 0) for (const listener of this.listeners.keys()) listener(found);
    return found.length === BATCH;
  }

  /** Its listener wants the most. */
  private oldestVersion(): ApiVersion {
    const spoken = new Set(this.listeners.values());
    return API_VERSIONS.find((version) => spoken.has(version)) ?? LATEST_VERSION;
  }
}
