interface OnFrame {
  frame: number;
}

/** The items of one job in batches, sorted by frame. */
export interface JobPieces<T> {
  /** First frame of the job. */
  start: number;
  pieces: AsyncIterable<readonly T[]>;
}

/**
 * Merges the items of several jobs into one sequence sorted by frame. Only items on frames that jobs share are
 * buffered. On equal frames, the items of the earlier job come first.
 * @param jobs sorted by first frame; opened one after the other, each read to its end
 */
export async function* joinByFrame<T extends OnFrame>(jobs: readonly JobPieces<T>[]): AsyncGenerator<T[]> {
  let held: T[] = [];
  for (const [index, job] of jobs.entries()) {
    const end = jobs[index + 1]?.start ?? Infinity;
    const waiting: T[] = [];
    let next = 0;
    for await (const piece of job.pieces) {
      const ready: T[] = [];
      const admit = (item: T): unknown => (item.frame < end ? ready : waiting).push(item);
      for (const item of piece) {
        for (let old = held[next]; old !== undefined && old.frame <= item.frame; old = held[++next]) admit(old);
        admit(item);
      }
      if (ready.length > 0) yield ready;
    }
    const rest = held.slice(next);
    const ready = rest.filter((item) => item.frame < end);
    if (ready.length > 0) yield ready;
    held = [...waiting, ...rest.filter((item) => item.frame >= end)];
  }
}

/** Reads a sequence sorted by frame one frame at a time. */
export class FrameCursor<T extends OnFrame> {
  private readonly pieces: AsyncIterator<readonly T[]>;
  private piece: readonly T[] = [];
  private next = 0;

  constructor(pieces: AsyncIterable<readonly T[]>) {
    this.pieces = pieces[Symbol.asyncIterator]();
  }

  /**
   * @param frame not lower than in the previous call; items on lower frames are skipped
   * @returns up to `limit` items of the frame; if there are `limit`, call again for more
   */
  async take(frame: number, limit: number): Promise<T[]> {
    const found: T[] = [];
    while (found.length < limit) {
      const item = this.piece[this.next];
      if (item === undefined) {
        if (!(await this.load())) break;
      } else if (item.frame > frame) break;
      else {
        if (item.frame === frame) found.push(item);
        this.next++;
      }
    }
    return found;
  }

  /** Lets the source release its resources if the sequence is not read to its end. */
  async close(): Promise<void> {
    await this.pieces.return?.();
  }

  private async load(): Promise<boolean> {
    const { done, value } = await this.pieces.next();
    this.piece = done === true ? [] : value;
    this.next = 0;
    return done !== true;
  }
}
