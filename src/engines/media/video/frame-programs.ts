import { availableParallelism } from 'node:os';
import { ProgramFailure, runProgram } from '../program.js';
import type { VideoTools } from './ffmpeg.js';
import { feedFor, TIME_OF_FRAME } from './packets.js';
import { frameBytes, type IndexedVideo, type PictureSize, scaling } from './video-decoder.js';

/** A program that has been started and waits for the packets that it is to decode. */
interface Waiting {
  /** @param feed null: there is nothing to do */
  readonly tell: (feed: Buffer | null) => void;
  /** Undefined where it failed; rejected where there is no such program. */
  readonly pixels: Promise<Buffer | undefined>;
  readonly timer: NodeJS.Timeout;
}

export interface FrameProgramsOptions {
  /** A waiting program ends after so long. */
  readonly idleMs?: number;
}

/** Programs that wait, in all. */
const MOST_WAITING = 2;
const IDLE_MS = 30_000;
/** Somebody waits for one frame, and from a distant keyframe on up to hundreds are decoded for it. */
const THREADS = Math.min(8, Math.max(2, availableParallelism()));

/**
 * Decodes single frames: to start ffmpeg takes longer than to decode a short group of pictures, so the program for the
 * next frame is started ahead. It opens no file: the packets that the frame needs come through its standard input.
 */
export class FramePrograms {
  /** By what is done with the frame: filters of ffmpeg. */
  private readonly waiting = new Map<string, Waiting>();
  private isStopping = false;

  constructor(
    private readonly tools: VideoTools,
    private readonly options: FrameProgramsOptions = {},
  ) {}

  /**
   * A frame in the wanted size, upright, as rgb24.
   * @returns undefined where it cannot be found in this way
   * @throws MediaError when the program is missing
   */
  async decode({ path, index }: IndexedVideo, frame: number, size: PictureSize): Promise<Buffer | undefined> {
    const feed = await feedFor(path, index, frame);
    if (feed === undefined) return undefined;
    const format = { ...size, pixels: 'rgb24' } as const;
    // Where the size stays ffmpeg converts the pixels by itself, and one program serves videos of any size.
    const isOwn = size.width === index.width && size.height === index.height;
    const kind = [index.turn, isOwn ? '' : scaling(format)].filter(Boolean).join(',');
    const program = this.take(kind) ?? this.start(kind);
    program.tell(feed);
    // Beside the decoding, for who looks through a video asks for the next frame at once; but not before this program has
    // got what it was told, for a large process stands still for some time when it starts another.
    setImmediate(() => this.startAhead(kind));
    const pixels = await program.pixels;
    return pixels?.length === frameBytes(format) ? pixels : undefined;
  }

  /** Ends the programs that wait. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const all = [...this.waiting.values()];
    for (const kind of this.waiting.keys()) this.end(kind);
    await Promise.all(all.map(({ pixels }) => pixels));
  }

  private take(kind: string): Waiting | undefined {
    const found = this.waiting.get(kind);
    this.waiting.delete(kind);
    clearTimeout(found?.timer);
    return found;
  }

  /** For the next frame, unless one waits already. Of too many that wait the one that has waited for longest is ended. */
  private startAhead(kind: string): void {
    if (this.isStopping || this.waiting.has(kind)) return;
    const program = this.start(kind);
    this.waiting.set(kind, program);
    const [oldest] = this.waiting.keys();
    if (this.waiting.size > MOST_WAITING && oldest !== undefined) this.end(oldest);
    const ended = (): void => {
      if (this.waiting.get(kind) === program) this.take(kind);
    };
    // Whoever takes the program hears of its failure; one that nobody takes has none to tell of.
    program.pixels.then(ended, ended);
  }

  private end(kind: string): void {
    this.take(kind)?.tell(null);
  }

  private start(kind: string): Waiting {
    let tell: (feed: Buffer | null) => void = () => undefined;
    const told = new Promise<Buffer | null>((resolve) => (tell = resolve));
    const stopping = new AbortController();
    const timer = setTimeout(() => tell(null), this.options.idleMs ?? IDLE_MS).unref();
    const input = (async function* () {
      const feed = await told;
      if (feed === null) stopping.abort();
      else yield feed;
    })();
    const output = runProgram(this.tools.ffmpeg, commandFor(kind), { name: 'video', input, signal: stopping.signal });
    return { tell, pixels: allOf(output, stopping.signal), timer };
  }
}

/** @returns undefined where the program failed or was stopped */
async function allOf(output: AsyncIterable<Buffer>, stopping: AbortSignal): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of output) pieces.push(piece);
  } catch (error) {
    if (stopping.aborted || error instanceof ProgramFailure) return undefined;
    throw error;
  }
  return Buffer.concat(pieces);
}

/**
 * Pictures stay in the order of showing also where a video does not say how far they are moved: `-strict 1`. The stream
 * says what it is, so ffmpeg need not decode its first picture, the largest, once more to find out.
 */
function commandFor(kind: string): string[] {
  const filters = [`select='eq(pts,${TIME_OF_FRAME})'`, kind].filter(Boolean).join(',');
  const reading = `-v error -threads ${THREADS} -noautorotate -copyts -strict 1 -protocol_whitelist pipe`;
  const input = '-nofind_stream_info -f matroska -i pipe:0 -map 0:0';
  const output = '-frames:v 1 -an -sn -dn -vsync passthrough -pix_fmt rgb24 -f rawvideo pipe:1';
  return [...`${reading} ${input}`.split(' '), '-vf', filters, ...output.split(' ')];
}
