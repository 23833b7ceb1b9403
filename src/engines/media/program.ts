import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { lowerPriority } from '../processes/priority.js';
import { killedWithParent } from '../processes/setpriv.js';
import { startStep } from '../tracing/tracing.js';
import { MediaError, quoted } from './media-error.js';

/** A program exited with an error of its own. Its output is only logged, since it may contain folders of the server. */
export class ProgramFailure extends Error {
  override name = 'ProgramFailure';

  constructor(
    readonly program: string,
    readonly said: string,
  ) {
    super(`${program}: ${said || 'failed'}`);
  }
}

export interface ProgramOptions {
  readonly signal?: AbortSignal | undefined;
  /** Bytes for its standard input; absent for no input. */
  readonly input?: AsyncIterable<Uint8Array> | undefined;
  /** Descriptor of the output file. If set, nothing is returned. */
  readonly output?: number | undefined;
  /** The client's name for the file, for errors. */
  readonly name: string;
  /** Niceness relative to the server, for work in the background. */
  readonly niceness?: number | undefined;
}

/** Messages in English, file names in Unicode. */
const LOCALE = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
/**
 * The search paths for programs and the folder for temporary files: the only environment variables that they inherit, since
 * the environment contains secrets.
 */
export const programPaths = () => ({
  PATH: process.env['PATH'] ?? '',
  LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'] ?? '',
  TMPDIR: tmpdir(),
});
/** A program without output for this time is considered stuck. */
const IDLE_MS = 120_000;
/** Address space of one program: enough for 8K frames with all references that a codec may keep. */
const MEMORY_KIB = 6 * 2 ** 20;
const STDERR_CHARACTERS = 2_000;

/**
 * Runs a program on an untrusted file. No shell parses its arguments, and its memory is limited. It is killed when it
 * hangs, when the signal is aborted, and when the reader stops.
 * @returns its standard output in chunks, with backpressure
 * @throws ProgramFailure, MediaError if the program is missing or hangs, the signal's reason
 */
export async function* runProgram(
  program: string,
  args: readonly string[],
  { signal, input, output, name, niceness }: ProgramOptions,
): AsyncGenerator<Buffer> {
  signal?.throwIfAborted();
  const endSpan = startStep(`run ${basename(program)}`, { 'process.executable.name': basename(program) });
  const [command, ...parameters] = limited(program, args);
  const child = spawn(command, parameters, {
    cwd: '/',
    env: { ...programPaths(), LC_ALL: LOCALE },
    stdio: ['pipe', output ?? 'pipe', 'pipe'],
  }) as ChildProcessByStdio<Writable, Readable | null, Readable>;
  if (niceness !== undefined) lowerPriority(child.pid, niceness);
  let said = '';
  let failure: unknown;
  const kill = (reason: unknown): void => {
    failure ??= reason;
    child.kill('SIGKILL');
  };
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      failure ??= error.code === 'ENOENT' || error.code === 'EACCES' ? missingProgram(program, name) : error;
      resolve(null);
    });
    child.on('close', resolve);
  });
  child.stderr.on('data', (text: Buffer) => (said = (said + text.toString()).slice(-STDERR_CHARACTERS)));
  const onAbort = (): void => kill(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  // The exit code determines success; a pipe that breaks because the program exited early adds no information.
  const feeding =
    input === undefined ? undefined : pipeline(input, child.stdin).catch((error: unknown) => feedError(error, kill));
  if (input === undefined) child.stdin.destroy();
  try {
    const onIdle = (): void => kill(new MediaError(`TimeoutError: reading ${quoted(name)} took too long`));
    if (child.stdout !== null) yield* watched(child.stdout, onIdle);
    const code = await timed(ended, onIdle);
    await feeding;
    if (failure !== undefined) throw failure;
    if (code === 126 || code === 127) throw missingProgram(program, name);
    if (code !== 0) throw new ProgramFailure(basename(program), said.trim());
  } finally {
    signal?.removeEventListener('abort', onAbort);
    kill(undefined);
    child.stdin.destroy();
    child.stdout?.destroy();
    await ended;
    endSpan(failure);
  }
}

/** Returns the whole output of a program as text. @param maxBytes exceeding it is an error */
export async function programText(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
  maxBytes = 4 * 2 ** 20,
): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of runProgram(program, args, options)) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new ProgramFailure(basename(program), 'wrote too much');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** Yields the lines of a program's output. */
export async function* programLines(
  program: string,
  args: readonly string[],
  options: ProgramOptions,
): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of runProgram(program, args, options)) {
    const lines = (rest + piece.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Forwards pieces; the idle timer runs only while waiting for the next one. */
async function* watched(stream: AsyncIterable<Buffer>, onIdle: () => void): AsyncGenerator<Buffer> {
  const iterator = stream[Symbol.asyncIterator]();
  for (;;) {
    const next = await timed(iterator.next(), onIdle);
    if (next.done === true) return;
    yield next.value;
  }
}

function timed<T>(step: Promise<T>, onIdle: () => void): Promise<T> {
  const timer = setTimeout(onIdle, IDLE_MS);
  return step.finally(() => clearTimeout(timer));
}

function feedError(error: unknown, kill: (reason: unknown) => void): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE') kill(error);
}

/** On Linux, the shell limits the memory of a process; elsewhere only the limits on pixels and frames apply. */
function limited(program: string, args: readonly string[]): [string, ...string[]] {
  if (process.platform !== 'linux') return [program, ...args];
  const script = 'ulimit -v "$1"; shift; exec "$@"';
  return killedWithParent('/bin/sh', ['-c', script, 'sh', String(MEMORY_KIB), program, ...args]);
}

/** Installation instructions for the administrator. */
const INSTALLATION: Readonly<Record<string, string>> = { bsdtar: 'install libarchive-tools' };

const missingProgram = (program: string, name: string): MediaError =>
  new MediaError(
    `RuntimeError: ${quoted(name)} cannot be read, for ${quoted(basename(program))} is not installed on this server: ` +
      `ask its administrator to ${INSTALLATION[basename(program)] ?? 'install ffmpeg or to name it in FFMPEG_PATH'}`,
  );
