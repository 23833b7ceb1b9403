interface OnFrame {
  frame: number;
}

/** What one job has, in pieces, by frame. */
export interface JobPieces<T> {
  /** First frame of the job. */
  start: number;
  pieces: AsyncIterable<readonly T[]>;
}

/**
 * Joins what several jobs have to one sequence by frame. Only what lies on frames that jobs share is held back; where
 * frames are equal the job that comes first stands first.
 * @param jobs by their first frames; opened one after the other, each read to its end
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

/** Takes a sequence by frame apart, frame after frame. */
export class FrameCursor<T extends OnFrame> {
  private readonly pieces: AsyncIterator<readonly T[]>;
  private piece: readonly T[] = [];
  private next = 0;

  constructor(pieces: AsyncIterable<readonly T[]>) {
    this.pieces = pieces[Symbol.asyncIterator]();
  }

  /**
   * @param frame never lower than in the call before; what lies on lower frames is passed over
   * @returns up to `limit` items of the frame; as many as that: call again, there may be more
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

  /** Lets the source give back what it holds when the sequence is not read to its end. */
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
