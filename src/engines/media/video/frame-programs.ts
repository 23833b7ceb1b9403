import { type FileHandle, open, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { errorCode } from '../media-error.js';
import { ProgramFailure, runProgram } from '../program.js';
import { temporaryPath } from '../temporary.js';
import { feedOf, type FramePackets, TIME_OF_FRAME } from './packets.js';

/** The packets needed to decode a frame, and how to process it. */
export interface FrameSource {
  readonly packets: FramePackets;
  /** ffmpeg filters for the decoded frame. Programs are started in advance for the most recently used filters. */
  readonly filters: string;
  /** Size of its pixels in bytes. */
  readonly bytes: number;
  /** Path of ffmpeg, or a name to look up in `PATH`. */
  readonly ffmpeg: string;
}

/** A started program that waits for packets to decode. */
interface Waiting {
  /**
   * @param feed null: exit without work
   * @returns when the program has read nearly all of it, or has exited
   */
  readonly send: (feed: Buffer | null) => Promise<void>;
  /** Resolves to undefined if the program fails; rejects if it does not exist. */
  readonly pixels: Promise<Buffer | undefined>;
}

export interface FrameProgramsOptions {
  /** An idle program exits after this time. */
  readonly idleMs?: number;
  /** Folder for an unlinked file that receives the pixels. Default: the system's temporary folder. */
  readonly folder?: string;
}

/** Maximum number of waiting programs. */
const MAX_WAITING = 2;
const IDLE_MS = 30_000;
/** A client waits for a single frame, and decoding it from a distant keyframe may involve hundreds of frames. */
const THREADS = Math.min(8, Math.max(2, availableParallelism()));

/**
 * Decodes single frames. Starting ffmpeg takes longer than decoding a short group of pictures, so the program for the
 * next frame is started in advance. It opens no file: it reads the frame's packets from its standard input.
 */
export class FramePrograms {
  /** Keyed by the ffmpeg filters. */
  private readonly waiting = new Map<string, { readonly program: Waiting; readonly timer: NodeJS.Timeout }>();
  private isStopping = false;

  constructor(private readonly options: FrameProgramsOptions = {}) {}

  /**
   * Decodes a frame to rgb24 pixels.
   * @returns undefined if this method cannot decode the frame
   * @throws MediaError if the program is missing
   */
  async decode({ packets, filters, bytes, ffmpeg }: FrameSource): Promise<Buffer | undefined> {
    const feed = await feedOf(packets);
    if (feed === undefined) return undefined;
    const program = this.take(filters) ?? this.start(ffmpeg, filters);
    // A client that scrubs through a video requests the next frame immediately, and starting a program takes half as
    // long as decoding a frame. Starting it now would delay this frame, and starting it after this frame would delay
    // the next one. So it starts once the program has read its packets.
    void program.send(feed).then(() => this.startAhead(ffmpeg, filters));
    const pixels = await program.pixels;
    return pixels?.length === bytes ? pixels : undefined;
  }

  /** Stops the waiting programs. */
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

  /** Starts a program for the next frame, unless one is waiting. Stops the oldest if too many are waiting. */
  private startAhead(ffmpeg: string, filters: string): void {
    if (this.isStopping || this.waiting.has(filters)) return;
    const program = this.start(ffmpeg, filters);
    // The program is removed from the map before it is awaitedFeed to exit, so that no caller gets a program that is exiting.
    const timer = setTimeout(() => this.end(filters), this.options.idleMs ?? IDLE_MS).unref();
    this.waiting.set(filters, { program, timer });
    const [oldest] = this.waiting.keys();
    if (this.waiting.size > MAX_WAITING && oldest !== undefined) this.end(oldest);
    const ended = (): void => {
      if (this.waiting.get(filters)?.program === program) this.take(filters);
    };
    // The caller that takes the program handles its failure. The failure of an unused program is ignored.
    program.pixels.then(ended, ended);
  }

  private end(filters: string): void {
    void this.take(filters)?.send(null);
  }

  private start(ffmpeg: string, filters: string): Waiting {
    let resolveFeed: (feed: Buffer | null) => void = () => undefined;
    let isTaken: () => void = () => undefined;
    const awaitedFeed = new Promise<Buffer | null>((resolve) => (resolveFeed = resolve));
    const taken = new Promise<void>((resolve) => (isTaken = resolve));
    const send = (feed: Buffer | null): Promise<void> => {
      resolveFeed(feed);
      return taken;
    };
    const stopping = new AbortController();
    const input = (async function* () {
      try {
        const feed = await awaitedFeed;
        if (feed === null) stopping.abort();
        else yield feed;
      } finally {
        isTaken();
      }
    })();
    const pixels = inFile(this.options.folder, async ({ fd: output }) => {
      const run = runProgram(ffmpeg, commandFor(filters), { name: 'video', input, output, signal: stopping.signal });
      for await (const _ of run); // ends when the program exits
    });
    return { send, pixels: pixels.catch((error: unknown) => unlessFailed(error, stopping.signal)) };
  }
}

/**
 * Passes data through an unlinked file: six megabytes take a third of the time of a pipe, and nothing is left behind if
 * the process dies.
 * @param write resolves when everything is written
 * @returns the content of the file
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

/** @throws the error, unless the program failed or was stopped, or the file could not be created */
function unlessFailed(error: unknown, stopping: AbortSignal): undefined {
  if (stopping.aborted || error instanceof ProgramFailure || errorCode(error) !== undefined) return undefined;
  throw error;
}

/**
 * `-strict 1` keeps frames in display order even if the video does not declare its reordering delay. The stream is
 * fully described, so `-nofind_stream_info` keeps ffmpeg from decoding the first frame, the largest, twice.
 */
function commandFor(filters: string): string[] {
  const selected = [`select='eq(pts,${TIME_OF_FRAME})'`, filters].filter(Boolean).join(',');
  const reading = `-v error -threads ${THREADS} -noautorotate -copyts -strict 1 -protocol_whitelist pipe`;
  const input = '-nofind_stream_info -f matroska -i pipe:0 -map 0:0';
  const output = '-frames:v 1 -an -sn -dn -vsync passthrough -pix_fmt rgb24 -f rawvideo pipe:1';
  return [...`${reading} ${input}`.split(' '), '-vf', selected, ...output.split(' ')];
}
