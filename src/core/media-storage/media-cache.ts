import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { ChunkCache } from '../../engines/media/chunk-cache.js';
import { Metrics } from '../metrics/metrics.js';

/**
 * Cache on this machine, limited to CACHE_MAX_BYTES: everything derived from the media of all tasks, and copies of files
 * in a bucket.
 */
@Injectable()
export class MediaCache extends ChunkCache {
  constructor(@Inject(CONFIG) config: Config, metrics: Metrics) {
    super({ folder: join(config.dataDir, 'cache', 'chunks'), maxBytes: config.cacheMaxBytes });
    metrics.gauge(
      { name: 'chunk_cache_bytes', help: 'Size of the cache of chunks and previews in bytes', isShared: true },
      () => this.size,
    );
    metrics.gauge(
      {
        name: 'chunk_cache_uses',
        help: 'Requests of chunks and previews, by whether the cache had them',
        labels: ['result'],
      },
      () => Object.entries(this.uses).map(([result, value]) => ({ labels: { result }, value })),
    );
  }
}
