/** Most frames shown per second: what a usual screen can show. Faster clips skip frames evenly. */
const MAX_RATE = 60;
/** Images that are decoded in advance. */
const AHEAD = 4;

/** The part of a loader that playback needs. */
export interface PlayedImages {
  /** Number of images that are being decoded. */
  readonly pending: number;
  ready(frame: number): unknown;
  prepare(frame: number): void;
}

export interface PlaybackOptions {
  /** Frames in the order in which they are played. */
  readonly frames: readonly number[];
  /** Frames per second. */
  readonly rate: number;
  readonly images: PlayedImages;
}

/**
 * Decides which frame is shown at which time, in milliseconds. The clip keeps its rate: if images are decoded too
 * slowly, frames are skipped.
 */
export class Playback {
  private readonly stride: number;
  private shown: number | undefined;
  /** Index of the shown frame, and of the one that was shown at `since`. */
  private index = -1;
  private origin = -1;
  private since = 0;

  constructor(private readonly options: PlaybackOptions) {
    this.stride = Math.max(1, Math.round(options.rate / MAX_RATE));
  }

  /** The frame that is shown; undefined before the start. */
  get frame(): number | undefined {
    return this.shown;
  }

  get hasEnded(): boolean {
    return this.index >= this.options.frames.length - 1;
  }

  /** The next frame, whatever the time is. */
  get following(): number | undefined {
    return this.options.frames[this.index + 1];
  }

  /** Plays from a frame, which is shown from now on. It need not be one of the played ones, for example if it is deleted. */
  start(frame: number, now: number): void {
    this.shown = frame;
    this.index = this.options.frames.findLastIndex((number) => number <= frame);
    this.origin = this.index;
    this.since = now;
  }

  /** @returns the frame to show from now on, or undefined if the shown one stays */
  next(now: number): number | undefined {
    const { frames, images } = this.options;
    for (let at = this.due(now); at > this.index; at -= 1) {
      const frame = frames[at];
      if (frame === undefined || images.ready(frame) === undefined) continue;
      this.index = at;
      this.shown = frame;
      return frame;
    }
    return undefined;
  }

  /** @returns for how long the shown frame should have been replaced */
  delay(now: number): number {
    return now - this.since - ((this.index + 1 - this.origin) * 1000) / this.options.rate;
  }

  /** Decodes the images that are due next. */
  prepare(now: number): void {
    const { frames, images } = this.options;
    const first = Math.max(this.index + 1, this.due(now));
    for (let step = 0; step < AHEAD && images.pending < AHEAD; step += 1) {
      const frame = frames[first + step * this.stride];
      if (frame !== undefined && images.ready(frame) === undefined) images.prepare(frame);
    }
  }

  /** Index of the frame that belongs to a time. */
  private due(now: number): number {
    const passed = Math.floor(((now - this.since) * this.options.rate) / 1000);
    return Math.min(this.origin + passed, this.options.frames.length - 1);
  }
}
