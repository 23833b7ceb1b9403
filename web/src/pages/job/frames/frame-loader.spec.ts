import { type FrameChunk, FrameLoader, type FrameSource, type LoaderOptions, UnreadableChunks } from './frame-loader';
import { FrameSet } from './frame-set';

interface FakeImage {
  readonly width: number;
  readonly height: number;
  readonly text: string;
  closed: boolean;
  close(): void;
}

/** The text of a frame that cannot be decoded. */
const UNREADABLE = 'unreadable';

/** A source whose chunks arrive when the test releases them. */
class FakeSource implements FrameSource<FakeImage> {
  readonly asked: string[] = [];
  readonly aborted: string[] = [];
  readonly images: FakeImage[] = [];
  readonly closed: string[] = [];
  private readonly waiting = new Map<
    string,
    { resolve: (texts: readonly string[]) => void; reject: (error: Error) => void }
  >();

  chunk(index: number, quality: string, signal: AbortSignal): Promise<FrameChunk<FakeImage>> {
    return this.ask(`${quality} chunk ${index}`, signal);
  }

  frame(number: number, quality: string, signal: AbortSignal): Promise<FrameChunk<FakeImage>> {
    return this.ask(`${quality} frame ${number}`, signal);
  }

  close(): void {
    this.closed.push('source');
  }

  answer(what: string, ...texts: string[]): void {
    this.waiting.get(what)?.resolve(texts);
  }

  refuse(what: string, error = new Error(`${what} failed`)): void {
    this.waiting.get(what)?.reject(error);
  }

  private async ask(what: string, signal: AbortSignal): Promise<FrameChunk<FakeImage>> {
    const texts = await this.response(what, signal);
    return {
      bytes: texts.join('').length,
      image: () => undefined,
      decode: async (at) => this.decode(texts[at] ?? 'no such frame'),
      close: () => void this.closed.push(what),
    };
  }

  private decode(text: string): FakeImage {
    if (text === UNREADABLE) throw new UnreadableChunks();
    const decoded = { width: 2, height: 5, text, closed: false, close: () => undefined as void };
    decoded.close = () => void (decoded.closed = true);
    this.images.push(decoded);
    return decoded;
  }

  private response(what: string, signal: AbortSignal): Promise<readonly string[]> {
    this.asked.push(what);
    return new Promise((resolve, reject) => {
      this.waiting.set(what, { resolve, reject });
      signal.addEventListener('abort', () => {
        this.aborted.push(what);
        reject(signal.reason as Error);
      });
    });
  }
}

const frames = new FrameSet({
  job: { start_frame: 10, stop_frame: 19 },
  meta: {
    chunk_size: 2,
    start_frame: 10,
    frame_filter: '',
    frames: Array.from({ length: 10 }, () => ({ width: 2, height: 5, name: 'x' })),
    deleted_frames: [],
    included_frames: null,
    frame_rate: null,
  },
});

function given(options: Partial<LoaderOptions> = {}) {
  const source = new FakeSource();
  const loader = new FrameLoader(source, frames, 'compressed', { patienceMs: 60_000, ...options });
  return { source, loader };
}

describe('FrameLoader', () => {
  it('requests a chunk once and decodes each frame once', async () => {
    const { source, loader } = given();
    const both = Promise.all([loader.bitmap(12), loader.bitmap(13), loader.bitmap(12)]);
    source.answer('compressed chunk 1', 'twelve', 'thirteen');
    const [first, second, third] = await both;
    expect([first.text, second.text]).toEqual(['twelve', 'thirteen']);
    expect(third).toBe(first);
    expect(await loader.bitmap(12)).toBe(first);
    expect(source.asked).toEqual(['compressed chunk 1']);
    loader.close();
    expect(source.images.every(({ closed }) => closed)).toBe(true);
  });

  it('requests a single frame while its chunk is slow', async () => {
    const { source, loader } = given({ patienceMs: 0 });
    const image = loader.bitmap(11);
    while (source.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    source.answer('compressed frame 11', 'eleven');
    expect((await image).text).toBe('eleven');
    expect(source.asked).toEqual(['compressed chunk 0', 'compressed frame 11']);
    loader.close();
  });

  it('reports the error of a chunk and retries on the next request', async () => {
    const { source, loader } = given();
    const refused = loader.bitmap(10);
    source.refuse('compressed chunk 0');
    await expect(refused).rejects.toThrow('compressed chunk 0 failed');
    const again = loader.bitmap(10);
    source.answer('compressed chunk 0', 'ten', 'eleven');
    expect((await again).text).toBe('ten');
    loader.close();
  });

  it('prefetches upcoming chunks and cancels others', () => {
    const { source, loader } = given();
    loader.lookAhead({ position: 0, direction: 1, playedRate: 1 });
    loader.lookAhead({ position: 9, direction: 1, playedRate: 1 });
    expect(source.asked).toEqual([
      'compressed chunk 0',
      'compressed chunk 1',
      'compressed chunk 2',
      'compressed chunk 4',
    ]);
    expect(source.aborted).toEqual(['compressed chunk 0', 'compressed chunk 1', 'compressed chunk 2']);
    loader.close();
  });

  it('closes the least recently used images', async () => {
    const { source, loader } = given({ maxPixels: 25 });
    const load = async (number: number, what: string): Promise<void> => {
      const image = loader.bitmap(number);
      source.answer(what, 'a', 'b');
      await image;
    };
    await load(10, 'compressed chunk 0');
    await load(11, 'compressed chunk 0');
    await load(12, 'compressed chunk 1');
    expect(source.images.map(({ closed }) => closed)).toEqual([true, false, false]);
    expect([loader.ready(10), loader.ready(12)?.text]).toEqual([undefined, 'a']);
    loader.close();
  });

  it('forgets the least recently used chunks, and all at the end', async () => {
    const { source, loader } = given({ maxBytes: 3 });
    for (const [number, what] of [
      [10, 'compressed chunk 0'],
      [12, 'compressed chunk 1'],
    ] as const) {
      const image = loader.bitmap(number);
      source.answer(what, 'a', 'b');
      await image;
    }
    expect(source.closed).toEqual(['compressed chunk 0']);
    loader.close();
    expect(source.closed).toEqual(['compressed chunk 0', 'compressed chunk 1', 'source']);
  });

  it('requests single frames if the browser cannot read the chunks', async () => {
    const { source, loader } = given();
    const image = loader.bitmap(15);
    source.refuse('compressed chunk 2', new UnreadableChunks());
    while (source.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    source.answer('compressed frame 15', 'fifteen');
    expect((await image).text).toBe('fifteen');
    loader.lookAhead({ position: 5, direction: 1, playedRate: 0 });
    expect(source.asked).toEqual(['compressed chunk 2', 'compressed frame 15', 'compressed frame 16']);
    loader.close();
  });

  it('requests single frames from the first frame of a chunk that the browser cannot decode', async () => {
    const { source, loader } = given();
    const image = loader.bitmap(15);
    source.answer('compressed chunk 2', ...Array.from({ length: 5 }, () => UNREADABLE));
    while (source.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    source.answer('compressed frame 15', 'fifteen');
    expect((await image).text).toBe('fifteen');
    expect(source.closed).toEqual(['compressed chunk 2']);
    loader.close();
  });
});
