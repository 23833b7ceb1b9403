import { open } from 'node:fs/promises';
import { ProgramFailure, runProgram } from '../program.js';
import { FORMATS, type VideoTools } from './ffmpeg.js';
import { frameBytes, type IndexedVideo, type PictureFormat } from './video-decoder.js';

/** A program that has been started and waits to be told which frame of which video it is to decode. */
interface Waiting {
  readonly tell: (script: string | null) => void;
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
/** The frame comes out before this much more of the video has been read. */
const BEYOND_SECONDS = 1;
/** Scripts give microseconds: time stamps must be so coarse that these tell them apart. */
const FINEST_TIME_BASE = 400_000;
const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);
const MP4_BOXES = new Set(['ftyp', 'moov', 'mdat', 'free', 'skip', 'wide']);

/**
 * Decodes single frames at once: to start ffmpeg takes longer than to decode a short group of pictures, so the program
 * for the next frame is started ahead. It reads a script from its standard input (of the format "concat"), which puts
 * the wanted frame at time 0, and gives the frame with that time stamp or none.
 */
export class FramePrograms {
  private readonly waiting = new Map<string, Waiting>();

  constructor(
    private readonly tools: VideoTools,
    private readonly options: FrameProgramsOptions = {},
  ) {}

  /**
   * A frame in its own size, upright, as rgb24.
   * @returns undefined where it cannot be found in this way
   * @throws MediaError when the program is missing
   */
  async decode(video: IndexedVideo, frame: number): Promise<Buffer | undefined> {
    const script = await scriptFor(video, frame);
    if (script === undefined) return undefined;
    const { stream, turn, width, height } = video.index;
    const format = { width, height, pixels: 'rgb24' } as const;
    const key = JSON.stringify([stream, turn, width, height]);
    const program = this.take(key) ?? this.start(stream, turn, format);
    this.keep(key, this.start(stream, turn, format));
    program.tell(script);
    return program.pixels;
  }

  /** Ends the programs that wait. */
  async stop(): Promise<void> {
    const all = [...this.waiting.values()];
    for (const key of this.waiting.keys()) this.end(key);
    await Promise.all(all.map(({ pixels }) => pixels));
  }

  private take(key: string): Waiting | undefined {
    const found = this.waiting.get(key);
    this.waiting.delete(key);
    clearTimeout(found?.timer);
    return found;
  }

  /** The one that waited for longest goes first. */
  private keep(key: string, program: Waiting): void {
    this.end(key);
    this.waiting.set(key, program);
    const [oldest] = this.waiting.keys();
    if (this.waiting.size > MOST_WAITING && oldest !== undefined) this.end(oldest);
    const ended = (): void => {
      if (this.waiting.get(key) === program) this.take(key);
    };
    // Whoever takes the program hears of its failure; one that nobody takes has none to tell of.
    program.pixels.then(ended, ended);
  }

  private end(key: string): void {
    this.take(key)?.tell(null);
  }

  private start(stream: number, turn: string, format: PictureFormat): Waiting {
    let tell: (script: string | null) => void = () => undefined;
    const told = new Promise<string | null>((resolve) => (tell = resolve));
    const stopping = new AbortController();
    const timer = setTimeout(() => tell(null), this.options.idleMs ?? IDLE_MS).unref();
    const input = (async function* () {
      const script = await told;
      if (script === null) stopping.abort();
      else yield Buffer.from(script);
    })();
    const output = runProgram(this.tools.ffmpeg, commandFor(stream, turn), {
      name: 'video',
      input,
      signal: stopping.signal,
    });
    return { tell, pixels: wholeFrame(output, frameBytes(format), stopping.signal), timer };
  }
}

async function wholeFrame(
  output: AsyncIterable<Buffer>,
  bytes: number,
  stopping: AbortSignal,
): Promise<Buffer | undefined> {
  const frame = Buffer.allocUnsafe(bytes);
  let filled = 0;
  try {
    for await (const piece of output) {
      piece.copy(frame, filled);
      filled += piece.length;
    }
  } catch (error) {
    if (!stopping.aborted && !(error instanceof ProgramFailure)) throw error;
  }
  return filled === bytes ? frame : undefined;
}

/** @returns undefined for videos in which frames are not found in this way */
async function scriptFor({ path, index }: IndexedVideo, frame: number): Promise<string | undefined> {
  const { seekable, pts, timeBase } = index;
  const [numerator, denominator] = timeBase;
  const time = pts[frame];
  if (!seekable || time === undefined || denominator / numerator > FINEST_TIME_BASE || /[\r\n]/.test(path))
    return undefined;
  if (!(await isExact(path))) return undefined;
  const seconds = Math.ceil((time * numerator * 1e6) / denominator) / 1e6;
  const quoted = `file:${path}`.replaceAll("'", String.raw`'\''`);
  return [
    'ffconcat version 1.0',
    `file '${quoted}'`,
    `inpoint ${seconds.toFixed(6)}`,
    `outpoint ${(seconds + BEYOND_SECONDS).toFixed(6)}`,
    '',
  ].join('\n');
}

/**
 * Whether a file is of a container whose seeking is exact in scripts: MP4 and its kin, Matroska and WebM. A script that
 * somebody sent as a video is none of them, so it is never read: it might name any file.
 */
async function isExact(path: string): Promise<boolean> {
  const file = await open(path, 'r').catch(() => undefined);
  if (file === undefined) return false;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(8), 0, 8, 0);
    const start = buffer.subarray(0, bytesRead);
    return start.subarray(0, 4).equals(EBML) || MP4_BOXES.has(start.toString('latin1', 4));
  } finally {
    await file.close();
  }
}

function commandFor(stream: number, turn: string): string[] {
  const filters = ["select='eq(pts,0)'", turn].filter(Boolean).join(',');
  const reading = `-v error -threads 2 -noautorotate -copyts -protocol_whitelist file,pipe -format_whitelist concat,${FORMATS}`;
  const output = '-frames:v 1 -an -sn -dn -vsync passthrough -pix_fmt rgb24 -f rawvideo pipe:1';
  const script = `-f concat -safe 0 -i pipe:0 -map 0:${stream}`;
  return [...`${reading} ${script}`.split(' '), '-vf', filters, ...output.split(' ')];
}
