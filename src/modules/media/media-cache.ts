import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Metrics } from '../../core/metrics/metrics.js';
import { ChunkCache } from '../../engines/media/chunk-cache.js';
import { MediaFolders } from './media-folders.js';

/** Cache of everything derived from the media of all tasks, limited to CACHE_MAX_BYTES. */
@Injectable()
export class MediaCache extends ChunkCache {
  constructor(@Inject(CONFIG) config: Config, folders: MediaFolders, metrics: Metrics) {
    super({ folder: folders.chunks, maxBytes: config.cacheMaxBytes });
    metrics.gauge({ name: 'chunk_cache_bytes', help: 'Size of the cache of chunks and previews' }, () => this.size);
    metrics.gauge(
      {
        name: 'chunk_cache_uses',
        help: 'Chunks that were found in the cache, and those that had to be made',
        labels: ['result'],
      },
      () => Object.entries(this.uses).map(([result, value]) => ({ labels: { result }, value })),
    );
  }
}
