import type { EncodedVideo } from './encoded-video';

/** Decoded frames that are kept for the next requests: as many as from one keyframe of a chunk to the next. */
const MAX_SPARE = 12;
/** Samples that the decoder has not started with. */
const MAX_QUEUED = 2;

/**
 * Decodes frames of chunks with WebCodecs. Frames in ascending order are decoded once; any other frame is decoded from
 * the keyframe before it.
 */
export class FrameDecoder {
  private decoder: VideoDecoder | undefined;
  private video: EncodedVideo | undefined;
  /** Index of the next sample to decode. */
  private next = 0;
  /** Position of the last frame that was decoded. */
  private last = -1;
  private isFlushed = false;
  /** Decoded frames that nobody has requested, by position, the oldest first. */
  private readonly spare = new Map<number, VideoFrame>();
  private failure: Error | undefined;
  private wake: () => void = () => undefined;

  /**
   * Must not be called again before it has returned.
   * @param at position of the frame in the chunk
   * @returns the frame, which the caller closes
   */
  async decode(video: EncodedVideo, at: number): Promise<VideoFrame> {
    const key = video.keyBefore(at);
    if (key === -1) throw new Error(`The chunk has no frame ${at}.`);
    if (this.failure !== undefined || this.video !== video) this.start(video, key);
    else if (!this.spare.has(at) && (this.isFlushed || at <= this.last || key > this.next)) this.start(video, key);
    for (;;) {
      const found = this.spare.get(at);
      this.spare.delete(at);
      if (found !== undefined) return found;
      if (this.failure !== undefined) throw this.failure;
      if (this.isFlushed) throw new Error(`Frame ${at} of the chunk cannot be decoded.`);
      await this.proceed(video);
    }
  }

  /** Starts at a keyframe. */
  private start(video: EncodedVideo, key: number): void {
    for (const frame of this.spare.values()) frame.close();
    this.spare.clear();
    if (this.decoder?.state === 'configured') this.decoder.reset();
    else this.decoder = this.create();
    this.decoder.configure({ ...video.config, hardwareAcceleration: 'prefer-software' });
    this.video = video;
    this.next = key;
    this.last = -1;
    this.isFlushed = false;
    this.failure = undefined;
  }

  private create(): VideoDecoder {
    const decoder = new VideoDecoder({
      output: (frame) => this.keep(frame),
      error: (error) => {
        this.failure = error;
        this.wake();
      },
    });
    decoder.addEventListener('dequeue', () => this.wake());
    return decoder;
  }

  /** Decodes the next sample, or waits until the decoder accepts one. */
  private async proceed({ samples }: EncodedVideo): Promise<void> {
    const { decoder } = this;
    const sample = samples[this.next];
    if (decoder === undefined) return;
    if (sample === undefined) {
      // The decoder keeps the last frames back, since earlier ones could follow.
      await decoder.flush().catch((error: unknown) => (this.failure ??= error as Error));
      this.isFlushed = true;
    } else if (decoder.decodeQueueSize >= MAX_QUEUED) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    } else {
      const { at, isKey, data } = sample;
      this.next += 1;
      decoder.decode(new EncodedVideoChunk({ type: isKey ? 'key' : 'delta', timestamp: at, data }));
    }
  }

  private keep(frame: VideoFrame): void {
    const at = frame.timestamp;
    this.last = at;
    this.spare.set(at, frame);
    for (const [oldest, unused] of this.spare) {
      if (this.spare.size <= MAX_SPARE) break;
      this.spare.delete(oldest);
      unused.close();
    }
    this.wake();
  }
}
