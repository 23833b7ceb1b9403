/** Numbers of chunks one after the other. */
export type Batch = readonly number[];

/** Chunks from the place on that are made even where their video has had its share of the cache. */
const NEAR = 8;

export interface BatchBounds {
  /** Chunks of the video. */
  readonly count: number;
  /** Chunks of a batch. */
  readonly most: number;
  /** What all chunks may take. */
  readonly maxBytes: number;
}

/**
 * In which order the chunks of a video are made: from the place on where it is read to its end, then from its beginning.
 * The first chunk comes alone, for somebody is there; then each batch is twice as large, since a batch begins with the
 * decoding of frames before it.
 */
export class ChunkOrder {
  private readonly finished = new Set<number>();
  private readonly onlyNear: boolean;
  private place = 0;
  private size: number | undefined;
  private bytes = 0;

  /** @param options `onlyNear`: nothing but what lies near the place, for the whole was made once */
  constructor({ onlyNear = false }: { readonly onlyNear?: boolean } = {}) {
    this.onlyNear = onlyNear;
  }

  /** A chunk is read that is not there; nor need those be that follow it, though they were. */
  goTo(chunk: number): void {
    this.place = chunk;
    this.size = 1;
    for (let near = chunk; near < chunk + NEAR; near += 1) this.finished.delete(near);
  }

  /** What is to be made next; nothing when all is there. */
  next({ count, most, maxBytes }: BatchBounds): Batch {
    const isNearOnly = this.onlyNear || this.bytes > maxBytes;
    const ahead = isNearOnly ? Math.min(NEAR, count - this.place) : count;
    const wanted = Array.from({ length: ahead }, (_, at) => (this.place + at) % count);
    const from = wanted.findIndex((chunk) => !this.finished.has(chunk));
    if (from === -1) return [];
    const size = Math.min(this.size ?? most, most);
    const run = wanted.slice(from, from + size);
    const end = run.findIndex((chunk, at) => this.finished.has(chunk) || chunk !== (run[0] ?? 0) + at);
    return end === -1 ? run : run.slice(0, end);
  }

  made(batch: Batch, bytes: number): void {
    for (const chunk of batch) this.finished.add(chunk);
    this.bytes += bytes;
    if (this.size !== undefined) this.size *= 2;
  }
}
