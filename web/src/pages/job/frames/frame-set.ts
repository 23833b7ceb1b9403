/** Fields of a job and its media metadata that the page uses. */
export interface FrameFacts {
  readonly job: { readonly start_frame: number; readonly stop_frame: number };
  readonly meta: {
    readonly chunk_size: number | null;
    readonly start_frame: number;
    readonly frame_filter: string;
    readonly frames: readonly {
      readonly width: number;
      readonly height: number;
      readonly name: string;
      readonly related_files?: number;
    }[];
    readonly deleted_frames: readonly number[];
    readonly included_frames: readonly number[] | null;
  };
}

export interface FrameInfo {
  readonly width: number;
  readonly height: number;
  /** Path of the file. */
  readonly name: string;
  /** Number of its context images. */
  readonly related_files?: number;
}

const DEFAULT_CHUNK_SIZE = 36;

/**
 * The frames of a job by their numbers in the task. Jobs with selected frames have only some of their range. Positions
 * count only those frames, as chunks do.
 */
export class FrameSet {
  readonly numbers: readonly number[];
  readonly chunkSize: number;
  private readonly positions: ReadonlyMap<number, number>;
  private readonly deleted: ReadonlySet<number>;

  constructor(private readonly facts: FrameFacts) {
    const { job, meta } = facts;
    const step = stepOf(meta.frame_filter);
    this.numbers =
      meta.included_frames === null
        ? Array.from({ length: job.stop_frame - job.start_frame + 1 }, (_, at) => job.start_frame + at)
        : meta.included_frames.map((source) => job.start_frame + (source - meta.start_frame) / step);
    this.positions = new Map(this.numbers.map((number, position) => [number, position]));
    this.chunkSize = meta.chunk_size ?? DEFAULT_CHUNK_SIZE;
    this.deleted = new Set(meta.deleted_frames);
  }

  get count(): number {
    return this.numbers.length;
  }

  get first(): number {
    return this.numbers[0] ?? 0;
  }

  get last(): number {
    return this.numbers.at(-1) ?? 0;
  }

  has(number: number): boolean {
    return this.positions.has(number);
  }

  /** @returns the index of a frame in the job, or -1 for frames of other jobs */
  position(number: number): number {
    return this.positions.get(number) ?? -1;
  }

  isDeleted(number: number): boolean {
    return this.deleted.has(number);
  }

  /** Videos have one entry for all of their frames. */
  info(number: number): FrameInfo {
    const { job, meta } = this.facts;
    const own = meta.frames[number - job.start_frame] ?? meta.frames[0];
    return own ?? { width: 1, height: 1, name: '' };
  }

  /** @returns the frame of the job nearest to a number */
  nearest(number: number): number {
    let best = this.first;
    for (const own of this.numbers) if (Math.abs(own - number) < Math.abs(best - number)) best = own;
    return best;
  }

  /** @returns the frame at a distance, limited to the first and last frame */
  step(number: number, by: number): number {
    const position = Math.max(0, Math.min(this.count - 1, this.position(number) + by));
    return this.numbers[position] ?? number;
  }
}

function stepOf(filter: string): number {
  return Number(/step\s*=\s*([1-9]\d*)/.exec(filter)?.[1] ?? 1);
}
