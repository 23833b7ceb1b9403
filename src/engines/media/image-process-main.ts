// Main program of an image process: runs the jobs it receives, and exits when its parent disconnects.

import { isNativeError } from 'node:util/types';
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { doImageJob, type FrameSize, type ImageJob } from './image-job.js';
import { requantised, type RequantiseTask } from './jpeg/requantise-thread.js';
import { FramePrograms } from './video/frame-programs.js';
import { errorCode, MediaError } from './media-error.js';

/** A message to the process. */
export interface ImageTask {
  readonly id: number;
  readonly job: ImageJob;
}

/** A message from the process: the progress of a job (0 to 1), or its result. */
export type ImageReport =
  | { readonly id: number; readonly done: number }
  | { readonly id: number; readonly result: Uint8Array | FrameSize[] | number }
  | { readonly id: number; readonly failure: ImageFailure };

export interface ImageFailure {
  readonly message: string;
  readonly isMediaError: boolean;
  /** Only for system errors. */
  readonly code?: unknown;
}

const threads = new Piscina<RequantiseTask, Uint8Array | undefined>({
  filename: new URL('jpeg/requantise-thread.js', import.meta.url).href,
  name: requantised.name,
  minThreads: 0,
  maxThreads: availableParallelism(),
  idleTimeout: 60_000,
});

const programs = new FramePrograms();

async function requantise(file: Buffer, model: Buffer): Promise<Buffer | undefined> {
  const made = await threads.run({ file, model });
  return made && Buffer.from(made.buffer, made.byteOffset, made.length);
}

process.on('message', ({ id, job }: ImageTask) => {
  void report(id, job).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(0));
// the server decides when the process exits
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);

async function report(id: number, job: ImageJob): Promise<ImageReport> {
  const onProgress = (done: number): void => void process.send?.({ id, done } satisfies ImageReport);
  try {
    return { id, result: await doImageJob(job, { requantise, programs }, { onProgress }) };
  } catch (error) {
    const message = isNativeError(error) ? error.message : String(error);
    return { id, failure: { message, isMediaError: error instanceof MediaError, code: errorCode(error) } };
  }
}
