import { type FileHandle, open, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { errorCode } from '../media-error.js';
import { ProgramFailure, runProgram } from '../program.js';
import { temporaryPath } from '../temporary.js';
import { feedOf, type FramePackets, TIME_OF_FRAME } from './packets.js';

/** The packets that a frame needs, and what is done with it. */
export interface FrameSource {
  readonly packets: FramePackets;
  /** Of ffmpeg, for the decoded picture; programs are started ahead for those that were used last. */
  readonly filters: string;
  /** Of its pixels. */
  readonly bytes: number;
  /** Path of ffmpeg, or a name that is looked up in `PATH`. */
  readonly ffmpeg: string;
}

/** A program that has been started and waits for the packets that it is to decode. */
interface Waiting {
  /**
   * @param feed null: there is nothing to do
   * @returns when the program has taken nearly all of it, or has ended
   */
  readonly tell: (feed: Buffer | null) => Promise<void>;
  /** Undefined where it failed; rejected where there is no such program. */
  readonly pixels: Promise<Buffer | undefined>;
}

export interface FrameProgramsOptions {
  /** A waiting program ends after so long. */
  readonly idleMs?: number;
  /** For the pixels, which have no name there. Default: of the system, for temporary files. */
  readonly folder?: string;
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
  private readonly waiting = new Map<string, { readonly program: Waiting; readonly timer: NodeJS.Timeout }>();
  private isStopping = false;

  constructor(private readonly options: FrameProgramsOptions = {}) {}

  /**
   * The pixels of a frame, as rgb24.
   * @returns undefined where it cannot be found in this way
   * @throws MediaError when the program is missing
   */
  async decode({ packets, filters, bytes, ffmpeg }: FrameSource): Promise<Buffer | undefined> {
    const feed = await feedOf(packets);
    if (feed === undefined) return undefined;
    const program = this.take(filters) ?? this.start(ffmpeg, filters);
    // Who looks through a video asks for the next frame at once, and to start a program takes half as long as to decode
    // a frame: not beside the beginning, which has this one wait, and not after the end, which has the next one wait.
    void program.tell(feed).then(() => this.startAhead(ffmpeg, filters));
    const pixels = await program.pixels;
    return pixels?.length === bytes ? pixels : undefined;
  }

  /** Ends the programs that wait. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const all = [...this.waiting.values()];
    for (const filters of this.waiting.keys()) this.end(filters);
    await Promise.all(all.map(({ program }) => program.pixels));
  }

  private take(filters: string): Waiting | undefined {
    const found = this.waiting.get(filters);
    this.waiting.delete(filters);
    clearTimeout(found?.timer);
    return found?.program;
  }

  /** For the next frame, unless one waits already. Of too many that wait the one that has waited for longest is ended. */
  private startAhead(ffmpeg: string, filters: string): void {
    if (this.isStopping || this.waiting.has(filters)) return;
    const program = this.start(ffmpeg, filters);
    // It is out of the list before it is told to end: a program that takes long to end is given to nobody.
    const timer = setTimeout(() => this.end(filters), this.options.idleMs ?? IDLE_MS).unref();
    this.waiting.set(filters, { program, timer });
    const [oldest] = this.waiting.keys();
    if (this.waiting.size > MOST_WAITING && oldest !== undefined) this.end(oldest);
    const ended = (): void => {
      if (this.waiting.get(filters)?.program === program) this.take(filters);
    };
    // Whoever takes the program hears of its failure; one that nobody takes has none to tell of.
    program.pixels.then(ended, ended);
  }

  private end(filters: string): void {
    void this.take(filters)?.tell(null);
  }

  private start(ffmpeg: string, filters: string): Waiting {
    let isTold: (feed: Buffer | null) => void = () => undefined;
    let isTaken: () => void = () => undefined;
    const told = new Promise<Buffer | null>((resolve) => (isTold = resolve));
    const taken = new Promise<void>((resolve) => (isTaken = resolve));
    const tell = (feed: Buffer | null): Promise<void> => {
      isTold(feed);
      return taken;
    };
    const stopping = new AbortController();
    const input = (async function* () {
      try {
        const feed = await told;
        if (feed === null) stopping.abort();
        else yield feed;
      } finally {
        isTaken();
      }
    })();
    const pixels = inFile(this.options.folder, async ({ fd: output }) => {
      const run = runProgram(ffmpeg, commandFor(filters), { name: 'video', input, output, signal: stopping.signal });
      for await (const _ of run); // it ends when the program does
    });
    return { tell, pixels: pixels.catch((error: unknown) => unlessFailed(error, stopping.signal)) };
  }
}

/**
 * A file without a name: six megabytes pass through it in a third of the time that they take through a pipe, and nothing
 * is left of it should the process die.
 * @param write ends when everything is in it
 * @returns what is in it
 */
async function inFile(folder: string | undefined, write: (file: FileHandle) => Promise<void>): Promise<Buffer> {
  const name = temporaryPath(folder);
  const file = await open(name, 'wx+', 0o600);
  try {
    await rm(name);
    await write(file);
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(size), 0, size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** @throws the error, unless it is the program's own, there is no place for the file, or the program was stopped */
function unlessFailed(error: unknown, stopping: AbortSignal): undefined {
  if (stopping.aborted || error instanceof ProgramFailure || errorCode(error) !== undefined) return undefined;
  throw error;
}

/**
 * Pictures stay in the order of showing also where a video does not say how far they are moved: `-strict 1`. The stream
 * says what it is, so ffmpeg need not decode its first picture, the largest, once more to find out.
 */
function commandFor(filters: string): string[] {
  const selected = [`select='eq(pts,${TIME_OF_FRAME})'`, filters].filter(Boolean).join(',');
  const reading = `-v error -threads ${THREADS} -noautorotate -copyts -strict 1 -protocol_whitelist pipe`;
  const input = '-nofind_stream_info -f matroska -i pipe:0 -map 0:0';
  const output = '-frames:v 1 -an -sn -dn -vsync passthrough -pix_fmt rgb24 -f rawvideo pipe:1';
  return [...`${reading} ${input}`.split(' '), '-vf', selected, ...output.split(' ')];
}
