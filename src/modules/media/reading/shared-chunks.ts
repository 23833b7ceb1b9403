import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { MediaStorage } from '../../../core/media-storage/media-storage.js';
import { UpkeepEvery } from '../../../core/worker/workers.js';
import type { MakeChunk } from '../../../engines/media/chunk-cache.js';

const DAY_MS = 86_400_000;
/** They are created again on demand. */
const LIFE_MS = 30 * DAY_MS;
/** Enough for a client to follow a redirect, even if it must connect first. */
const LINK_SECONDS = 300;

/**
 * Chunks and previews in the bucket, so that each is created by one server only. If files are in the data folder, all
 * servers share its cache instead.
 */
@Injectable()
export class SharedChunks {
  constructor(
    private readonly storage: MediaStorage,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Reads a chunk from the bucket, or creates it and stores it there. @param key of the chunk in the cache */
  sharing(key: string, make: MakeChunk): MakeChunk {
    return async (target) => {
      if (await this.storage.writesFolder()) return make(target);
      if (await this.storage.download(keyOf(key), target)) return 'written';
      const made = await make(target);
      try {
        await this.storage.share(keyOf(key), made === 'written' ? target : made);
      } catch (error) {
        this.log.warn({ err: error, chunk: key }, 'cannot store a chunk for other servers');
      }
      return made;
    };
  }

  /** A URL of a chunk for clients, valid for some minutes. @returns undefined if the chunk is not in the bucket */
  link(key: string, type: string): Promise<string | undefined> {
    return this.storage.link(keyOf(key), LINK_SECONDS, type);
  }

  /** Removes all chunks and previews of deleted data. */
  async forget(dataId: number): Promise<void> {
    await this.storage.removeFolder(`${FOLDER}${dataId}/`);
  }

  /** Removes old chunks: a bucket does not tell which of them are still read. */
  @UpkeepEvery({ name: 'clean-up of chunks', everyMs: DAY_MS, kind: 'requests' })
  async tidy(): Promise<void> {
    if (await this.storage.writesFolder()) return;
    const before = this.clock.now().getTime() - LIFE_MS;
    for await (const { key, modified } of this.storage.each(FOLDER))
      if (modified.getTime() < before) await this.storage.remove(key);
  }
}

const FOLDER = 'chunks/';
const keyOf = (key: string): string => FOLDER + key;
