import type { EncodedVideo } from './encoded-video';
import { FrameDecoder } from './frame-decoder';

interface FakeFrame {
  readonly timestamp: number;
  closed: boolean;
  close(): void;
}

/** Gives frames in the order of display, each when two later samples have arrived, as decoders with reordering do. */
class FakeVideoDecoder extends EventTarget {
  static readonly decoded: number[] = [];
  static readonly frames: FakeFrame[] = [];
  static failsAt: number | undefined;
  state = 'unconfigured';
  decodeQueueSize = 0;
  private held: number[] = [];

  constructor(private readonly init: { output: (frame: FakeFrame) => void; error: (error: Error) => void }) {
    super();
  }

  configure(): void {
    this.state = 'configured';
  }

  reset(): void {
    this.held = [];
    this.decodeQueueSize = 0;
  }

  decode({ timestamp }: { timestamp: number }): void {
    FakeVideoDecoder.decoded.push(timestamp);
    this.decodeQueueSize += 1;
    setTimeout(() => {
      this.decodeQueueSize -= 1;
      if (timestamp === FakeVideoDecoder.failsAt) {
        this.state = 'closed';
        this.init.error(new Error('broken data'));
      } else {
        this.held = [...this.held, timestamp].toSorted((a, b) => a - b);
        if (this.held.length > 2) this.release();
        this.dispatchEvent(new Event('dequeue'));
      }
    });
  }

  async flush(): Promise<void> {
    while (this.decodeQueueSize > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    while (this.held.length > 0) this.release();
  }

  private release(): void {
    const timestamp = this.held.shift() ?? -1;
    const frame = { timestamp, closed: false, close: () => void (frame.closed = true) };
    FakeVideoDecoder.frames.push(frame);
    this.init.output(frame);
  }
}

/** Frames of a video with a keyframe every four frames, in an order of decoding with references to later frames. */
const ORDER = [0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11];
const newVideo = (): EncodedVideo => {
  const samples = ORDER.map((at) => ({ at, isKey: at % 4 === 0, data: new Uint8Array() }));
  return { config: { codec: 'avc1' }, samples, keyBefore: (at) => (at > 11 ? -1 : at - (at % 4)) };
};

const { decoded, frames } = FakeVideoDecoder;

beforeEach(() => {
  decoded.length = 0;
  frames.length = 0;
  FakeVideoDecoder.failsAt = undefined;
  Object.assign(globalThis, {
    VideoDecoder: FakeVideoDecoder,
    EncodedVideoChunk: class {
      constructor(init: object) {
        Object.assign(this, init);
      }
    },
  });
});

async function positions(decoder: FrameDecoder, video: EncodedVideo, wanted: readonly number[]): Promise<number[]> {
  const found: number[] = [];
  for (const at of wanted) {
    const frame = await decoder.decode(video, at);
    found.push(frame.timestamp);
    frame.close();
  }
  return found;
}

describe('FrameDecoder', () => {
  it('decodes frames in order once each', async () => {
    const all = Array.from(ORDER.keys());
    expect(await positions(new FrameDecoder(), newVideo(), all)).toEqual(all);
    expect(decoded).toEqual(ORDER);
  });

  it('starts at the keyframe before a frame, also backwards and after the end', async () => {
    const decoder = new FrameDecoder();
    const video = newVideo();
    expect(await positions(decoder, video, [9])).toEqual([9]);
    expect(decoded[0]).toBe(8);
    expect(await positions(decoder, video, [2, 11, 5])).toEqual([2, 11, 5]);
    await expect(decoder.decode(video, 12)).rejects.toThrow('no frame 12');
  });

  it('keeps frames around a requested one for the next request', async () => {
    const decoder = new FrameDecoder();
    const video = newVideo();
    await positions(decoder, video, [7]);
    const before = decoded.length;
    expect(await positions(decoder, video, [6, 5])).toEqual([6, 5]);
    expect(decoded).toHaveLength(before);
  });

  it('closes every frame that it does not return', async () => {
    const decoder = new FrameDecoder();
    await positions(decoder, newVideo(), [7]);
    await positions(decoder, newVideo(), [0]);
    const open = frames.filter(({ closed }) => !closed);
    // those of the second video, which the next request may need
    expect(open.length).toBeLessThan(4);
    expect(frames.filter(({ closed }) => closed).length).toBeGreaterThan(3);
  });

  it('reports broken data, and decodes again with a new decoder', async () => {
    const decoder = new FrameDecoder();
    const video = newVideo();
    FakeVideoDecoder.failsAt = 6;
    await expect(decoder.decode(video, 7)).rejects.toThrow('broken data');
    FakeVideoDecoder.failsAt = undefined;
    expect(await positions(decoder, video, [7])).toEqual([7]);
  });
});
