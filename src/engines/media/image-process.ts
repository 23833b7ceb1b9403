import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { lowerPriority } from '../processes/priority.js';
import { killedWithParent } from '../processes/setpriv.js';
import type { FrameSize, ImageJob, ImageResult } from './image-job.js';
import type { ImageFailure, ImageReport, ImageTask } from './image-process-main.js';
import { MediaError } from './media-error.js';
import type { JobProgress } from './pdf.js';
import { programPaths } from './program.js';

export interface ImageProcessOptions {
  /** The program, as passed to `fork`. */
  readonly program: string;
  /** Niceness relative to the server. */
  readonly niceness: number;
  /** The process exits after this time without work; the next job starts another. */
  readonly idleMs: number;
  /** A job without progress for this time fails, and the process is killed. Its other jobs are repeated. */
  readonly limitMs: number;
}

type Outcome = Buffer | FrameSize[] | number;

/** Decoders read through threads of their own, and each image is one file. */
const FILE_THREADS = 2;

/** How long a process that is stopped may take to notice it. */
const STOP_MS = 1_000;

/** If a process crashes while running only one job, that job is the cause. The first time may be an external `kill`. */
const ATTEMPTS_ALONE = 2;

interface Waiting {
  readonly task: ImageTask;
  attemptsAlone: number;
  readonly resolve: (result: Outcome) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((done: number) => void) | undefined;
  /** Set when the job is cancelled. */
  abandoned?: Error;
  limit?: NodeJS.Timeout;
}

/**
 * A process for work on images. It keeps the server's thread, memory and processor time free for requests. Decoders
 * process untrusted files, and a crash affects nothing else. The process inherits no settings and no secrets.
 */
export class ImageProcess {
  private child: ChildProcess | undefined;
  private readonly running = new Map<number, Waiting>();
  /** One of these jobs crashed a process. They are repeated one by one, before any others. */
  private readonly suspects: Waiting[] = [];
  private readonly queue: Waiting[] = [];
  private lastId = 0;
  private idle: NodeJS.Timeout | undefined;
  private hasEnded = false;

  constructor(private readonly options: ImageProcessOptions) {}

  /**
   * An aborted signal cancels the job. If all jobs of the process are cancelled, the process is killed, because a
   * decoder cannot be stopped in any other way.
   * @throws MediaError that names the image, also if its decoder crashed the process; the signal's reason
   */
  async run<Job extends ImageJob>(job: Job, { signal, onProgress }: JobProgress = {}): Promise<ImageResult<Job>> {
    signal?.throwIfAborted();
    if (this.hasEnded) throw stopping();
    let abandon = (): void => undefined;
    try {
      return await new Promise<ImageResult<Job>>((resolve, reject) => {
        const id = (this.lastId += 1);
        const done = (result: Outcome): void => resolve(result as ImageResult<Job>);
        const waiting: Waiting = { task: { id, job }, attemptsAlone: 0, resolve: done, reject, onProgress };
        abandon = () => this.abandon(waiting, signal?.reason as Error);
        signal?.addEventListener('abort', abandon);
        this.queue.push(waiting);
        this.sendNext();
      });
    } finally {
      signal?.removeEventListener('abort', abandon);
    }
  }

  /** Starts the process before the first job. */
  wake(): void {
    if (this.child !== undefined) return;
    this.child = this.start();
    this.rest();
  }

  /** Stops the process; later jobs start another. */
  async stop(): Promise<void> {
    clearTimeout(this.idle);
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    if (child.connected) child.disconnect();
    // A decoder cannot be stopped in any other way.
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(late);
  }

  /** Stops the process for good. Its jobs fail. */
  async end(): Promise<void> {
    this.hasEnded = true;
    for (const { reject } of [...this.running.values(), ...this.queue.splice(0), ...this.suspects.splice(0)])
      reject(stopping());
    await this.stop();
  }

  private sendNext(): void {
    if (this.suspects.length === 0) {
      const alone =
        this.running.size === 1 && [...this.running.values()].some(({ attemptsAlone }) => attemptsAlone > 0);
      if (!alone) for (const waiting of this.queue.splice(0)) this.send(waiting);
    } else if (this.running.size === 0) {
      const suspect = this.suspects.shift();
      if (suspect === undefined) return;
      suspect.attemptsAlone += 1;
      this.send(suspect);
    }
  }

  private send(waiting: Waiting): void {
    clearTimeout(this.idle);
    this.running.set(waiting.task.id, waiting);
    const child = (this.child ??= this.start());
    child.ref();
    child.channel?.ref();
    child.send(waiting.task, () => undefined); // a lost process is noticed by its exit
    this.watch(child, waiting);
  }

  private watch(child: ChildProcess, waiting: Waiting): void {
    clearTimeout(waiting.limit);
    waiting.limit = setTimeout(() => this.timeOut(child, waiting), this.options.limitMs).unref();
  }

  private abandon(waiting: Waiting, reason: Error): void {
    waiting.abandoned = reason;
    for (const list of [this.queue, this.suspects]) {
      const at = list.indexOf(waiting);
      if (at !== -1) list.splice(at, 1);
    }
    const running = [...this.running.values()];
    const isIdle = running.every(({ abandoned }) => abandoned !== undefined);
    if (running.includes(waiting) && isIdle)
      this.child?.kill('SIGKILL'); // the promises are rejected once it has exited
    else waiting.reject(reason);
  }

  private timeOut(child: ChildProcess, waiting: Waiting): void {
    this.running.delete(waiting.task.id);
    waiting.reject(new MediaError(`TimeoutError: reading ${namesOf(waiting.task.job)} took too long`));
    child.kill('SIGKILL');
  }

  private start(): ChildProcess {
    const [execPath, ...execArgv] = killedWithParent(process.execPath);
    const child = fork(this.options.program, [], {
      serialization: 'advanced',
      execPath,
      execArgv,
      env: { ...programPaths(), UV_THREADPOOL_SIZE: String(availableParallelism() + FILE_THREADS) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    lowerPriority(child.pid, this.options.niceness);
    child.on('message', (report: ImageReport) => this.take(report));
    child.once('error', (error) => this.lost(child, error));
    child.once('exit', (code, signal) => this.lost(child, new Error(`ended by ${signal ?? `exit code ${code}`}`)));
    return child;
  }

  private take(report: ImageReport): void {
    const found = this.running.get(report.id);
    if ('done' in report) {
      if (found === undefined || this.child === undefined) return;
      this.watch(this.child, found);
      if (found.abandoned === undefined) found.onProgress?.(report.done);
      return;
    }
    this.running.delete(report.id);
    clearTimeout(found?.limit);
    if ('failure' in report) found?.reject(errorOf(report.failure));
    else if (report.result instanceof Uint8Array) {
      const { buffer, byteOffset, length } = report.result;
      found?.resolve(Buffer.from(buffer, byteOffset, length));
    } else found?.resolve(report.result);
    this.sendNext();
    if (this.running.size === 0) this.rest();
  }

  /** An idle process must not keep the server from exiting. */
  private rest(): void {
    this.child?.unref();
    this.child?.channel?.unref();
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.stop(), this.options.idleMs).unref();
  }

  private lost(child: ChildProcess, cause: Error): void {
    if (this.child !== child) return;
    this.child = undefined;
    const left = [...this.running.values()];
    this.running.clear();
    for (const waiting of left) {
      clearTimeout(waiting.limit);
      if (this.hasEnded) continue; // they have been rejected
      if (waiting.abandoned !== undefined) waiting.reject(waiting.abandoned);
      else if (waiting.attemptsAlone < ATTEMPTS_ALONE) this.suspects.push(waiting);
      else waiting.reject(new MediaError(`The decoder of ${namesOf(waiting.task.job)} ended`, { cause }));
    }
    this.sendNext();
  }
}

const stopping = (): Error => new Error('The server is stopping');

function errorOf({ message, isMediaError, code }: ImageFailure): Error {
  return isMediaError ? new MediaError(message) : Object.assign(new Error(message), { code });
}

function namesOf(job: ImageJob): string {
  const images = imagesOf(job).filter((image) => image !== null);
  const [first, last] = [images.at(0)?.name ?? '', images.at(-1)?.name ?? ''];
  return images.length < 2 ? `'${first}'` : `one of the images '${first}' to '${last}'`;
}

function imagesOf(job: ImageJob): readonly ({ readonly name: string } | null)[] {
  switch (job.kind) {
    case 'chunk':
      return job.frames;
    case 'probe':
      return job.images;
    case 'frame':
    case 'frame-file':
    case 'preview':
    case 'crop':
      return [job.image];
    case 'pdf':
    case 'tiff':
      return [job.document];
    case 'move':
      return job.files;
    case 'video-frame':
      return [job];
  }
}
