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
    /** Frames per second of the source. */
    readonly frame_rate: number | null;
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
/** For images, which have no rate of their own. */
const DEFAULT_RATE = 25;

/**
 * The frames of a job by their numbers in the task. Jobs with selected frames have only some of their range. Positions
 * count only those frames, as chunks do.
 */
export class FrameSet {
  readonly numbers: readonly number[];
  /** Frames per second in the time of the source. */
  readonly rate: number;
  readonly chunkSize: number;
  private readonly positions: ReadonlyMap<number, number>;
  private readonly deleted: ReadonlySet<number>;
  /** The frames at which navigation stops. */
  readonly stops: readonly number[];

  /** @param areDeletedShown whether navigation stops at deleted frames */
  constructor(
    private readonly facts: FrameFacts,
    areDeletedShown = false,
  ) {
    const { job, meta } = facts;
    const step = stepOf(meta.frame_filter);
    this.numbers =
      meta.included_frames === null
        ? Array.from({ length: job.stop_frame - job.start_frame + 1 }, (_, at) => job.start_frame + at)
        : meta.included_frames.map((source) => job.start_frame + (source - meta.start_frame) / step);
    this.positions = new Map(this.numbers.map((number, position) => [number, position]));
    this.chunkSize = meta.chunk_size ?? DEFAULT_CHUNK_SIZE;
    this.deleted = new Set(meta.deleted_frames);
    this.stops = areDeletedShown ? this.numbers : this.numbers.filter((number) => !this.deleted.has(number));
    this.rate = meta.frame_rate === null ? DEFAULT_RATE : meta.frame_rate / step;
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
    if (this.has(number)) return number;
    let best = this.first;
    for (const own of this.numbers) if (Math.abs(own - number) < Math.abs(best - number)) best = own;
    return best;
  }

  /** @returns the stop at a distance, limited to the first and last stop */
  step(number: number, by: number): number {
    const { stops } = this;
    if (by > 0) {
      const next = stops.findIndex((stop) => stop > number);
      return next < 0 ? number : (stops[Math.min(next + by, stops.length) - 1] ?? number);
    }
    const before = stops.findLastIndex((stop) => stop < number);
    return before < 0 ? number : (stops[Math.max(before + by + 1, 0)] ?? number);
  }

  /** @returns the nearest stop after or before a frame that meets a condition */
  find(number: number, forward: boolean, isWanted: (number: number) => boolean): number | undefined {
    return forward
      ? this.stops.find((stop) => stop > number && isWanted(stop))
      : this.stops.findLast((stop) => stop < number && isWanted(stop));
  }

  /** Frames of videos have no names of their own. */
  get haveNames(): boolean {
    return this.facts.meta.frames.length > 1 || this.count === 1;
  }
}

function stepOf(filter: string): number {
  return Number(/step\s*=\s*([1-9]\d*)/.exec(filter)?.[1] ?? 1);
}
