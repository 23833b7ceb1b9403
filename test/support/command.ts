import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../tools/free-port.mjs';

export const ADMIN = { username: 'admin', password: 'password-of-a-temporary-server' };

/** A command of this source tree, or of another, that runs as a process of its own. */
export interface Command {
  readonly url: string;
  readonly process: ChildProcess;
  /** What it has written to both outputs. */
  output(): string;
  /** Stops it in order, or at once. @returns its exit code; null if a signal ended it */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts a command. Settings come from `env` alone, not from an .env file.
 * @param options folder: in which it runs; root: of its sources
 */
export function spawnCommand(options: {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly root?: string;
}): ChildProcessByStdio<null, Readable, Readable> {
  const { args, folder, env, root = resolve('.') } = options;
  const hooks = join(root, 'test', 'runner', 'typescript-hooks.js');
  const flags = ['--no-warnings', `--import=${hooks}`];
  const child = spawn(process.execPath, [...flags, join(root, 'src', 'cli.ts'), ...args], {
    cwd: folder,
    env: { ...process.env, IMAGE_PROCESS: 'false', ...env }, // the program for images needs compiled code
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.resume(); // a full pipe would block the command
  return child;
}

/** Stops a process in order, or at once. @returns its exit code; null if a signal ended it */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  const exit = hasEnded(child) ? undefined : once(child, 'exit');
  child.kill(signal);
  await exit;
  return child.exitCode;
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/**
 * Starts a server on a free port, and waits until it is ready.
 * @param options folder: of its data, without a .env file; root: of its sources
 * @throws Error with its output if it ends
 */
export async function startServer(options: {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly root?: string;
}): Promise<Command> {
  const { args, folder, env, root = resolve('.') } = options;
  const port = await freePort();
  const child = spawnCommand({
    args,
    folder,
    root,
    env: {
      DATA_DIR: join(folder, 'data'),
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      ADMIN_USERNAME: ADMIN.username,
      ADMIN_PASSWORD: ADMIN.password,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...env,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  while (!output.includes('Cairn is ready')) {
    if (hasEnded(child)) throw new Error(`The server ended:\n${output}`);
    await pause(50);
  }
  return { url: `http://127.0.0.1:${port}`, process: child, output: () => output, end: (signal) => end(child, signal) };
}
