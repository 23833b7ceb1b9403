import type { ChunkCache } from './chunk-cache.js';
import { readStoredMember, readStoredOffsets, type StoredMember, type StoredOffsets } from './stored-zip.js';

/** Chunks whose offsets are remembered; the one that was not read for longest is forgotten first. */
const MAX_CHUNKS = 1000;
/** Offsets of larger chunks are read each time, so that all of them together take at most 16 MB. */
const MAX_MEMBERS = 2000;

/** Reads single frames out of cached chunks that are archives: a byte range of a file instead of an encoding. */
export class ChunkMembers {
  private readonly offsets = new Map<string, StoredOffsets>();

  constructor(private readonly cache: ChunkCache) {}

  /** @returns undefined when the chunk is not in the cache, or has no such member */
  async read(key: string, number: number): Promise<StoredMember | undefined> {
    const file = await this.cache.open(key);
    if (file === undefined) return undefined;
    try {
      const known = this.offsets.get(key);
      const member = known && (await readStoredMember(file, known, number));
      if (known !== undefined && member !== undefined) {
        this.remember(key, known);
        return member;
      }
      // Not read before, or the chunk was deleted and made again since.
      const offsets = await readStoredOffsets(file);
      if (offsets === undefined) return undefined;
      this.remember(key, offsets);
      return await readStoredMember(file, offsets, number);
    } finally {
      await file.close();
    }
  }

  private remember(key: string, offsets: StoredOffsets): void {
    this.offsets.delete(key);
    if (offsets.length > MAX_MEMBERS) return;
    this.offsets.set(key, offsets);
    if (this.offsets.size > MAX_CHUNKS) this.offsets.delete(this.offsets.keys().next().value ?? '');
  }
}
