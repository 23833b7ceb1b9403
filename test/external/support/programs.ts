import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe } from '@jest/globals';
import { freePort } from '../../../tools/free-port.mjs';

const START_MS = 30_000;
const STOP_MS = 10_000;

/** Where `.ci/install-servers` puts what is not a Debian package. */
export const serversFolder = process.env['CAIRN_TEST_SERVERS'] ?? join(homedir(), '.cache', 'cairn-test-servers');

const POSTGRESQL = '/usr/lib/postgresql';

/** Debian's folders of programs that users' PATH may lack: servers, and those of the newest version of PostgreSQL. */
function debianFolders(): string[] {
  const versions = existsSync(POSTGRESQL)
    ? readdirSync(POSTGRESQL).toSorted((one, other) => Number(other) - Number(one))
    : [];
  return ['/usr/sbin', ...versions.map((version) => join(POSTGRESQL, version, 'bin'))];
}

/** The path of an installed program; null if there is none. */
export function findProgram(name: string): string | null {
  const folders = [join(serversFolder, 'bin'), ...(process.env['PATH'] ?? '').split(delimiter), ...debianFolders()];
  return folders.map((folder) => join(folder, name)).find(executable) ?? null;
}

/** As `describe`; its tests are skipped, with a title that says why, where one of the programs is not installed. */
export function describeWith(programs: readonly string[], title: string, tests: () => void): void {
  const missing = programs.filter((name) => findProgram(name) === null);
  if (missing.length === 0) describe(title, tests);
  else describe.skip(`${title} (not installed: ${missing.join(', ')})`, tests);
}

/** A program that a test has started. */
export interface Program {
  readonly port: number;
  readonly pid: number;
  /** What it has written to both outputs. */
  output(): string;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts an installed program and waits until it accepts connections on its port.
 * @param args gets the free port of 127.0.0.1 that the program must listen on
 * @param options `account`: the user to run it as, for servers that refuse root
 * @throws Error with the program's output if it ends or does not listen in time, by default within 30 s
 */
export async function startProgram(
  name: string,
  args: (port: number) => readonly string[],
  options: {
    readonly env?: NodeJS.ProcessEnv;
    readonly cwd?: string;
    readonly port?: number;
    readonly account?: { readonly uid: number; readonly gid: number } | undefined;
    readonly startMs?: number;
  } = {},
): Promise<Program> {
  const path = findProgram(name);
  if (path === null) throw new Error(`${name} is not installed.`);
  const port = options.port ?? (await freePort());
  const child = spawn(path, args(port), {
    cwd: options.cwd,
    uid: options.account?.uid,
    gid: options.account?.gid,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (ended(child)) return;
    const cut = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit.finally(() => clearTimeout(cut));
  };
  const limit = Date.now() + (options.startMs ?? START_MS);
  while (!(await listens(port))) {
    if (ended(child) || Date.now() > limit) {
      await end('SIGKILL');
      throw new Error(`${name} does not listen on port ${port}.\n${output}`);
    }
    await wait(50);
  }
  return { port, pid: child.pid ?? 0, output: () => output, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

/** Whether something listens on a port of 127.0.0.1. */
async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

const ended = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
