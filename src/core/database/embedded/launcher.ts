import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import type { Account } from './account.js';
import { explainOutput, hasCode } from './embedded-postgres.error.js';

/** Starts PostgreSQL's programs as the right account, in a clean environment. */
export interface Launcher {
  /** Starts a server in its own process group; where the system can, it ends (fast shutdown) when this process does. */
  start(file: string, args: readonly string[], logDescriptor: number): ChildProcess;
  /** Runs a program to its end; throws an EmbeddedPostgresError that quotes its output when it fails. */
  run(what: string, file: string, args: readonly string[], input?: string): Promise<void>;
}

// PGOPTIONS, PGPORT or an odd LC_ALL of the caller must not reach the server. Windows programs need their SystemRoot.
const cleanEnvironment: SpawnOptions =
  process.platform === 'win32' ? {} : { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }, cwd: '/' };

const dieWithParent = ['--pdeathsig=INT'];

/** The setpriv options that run a program as `account` with the right to pass closed folders, and no other right. */
const passFolders = (account: Account): string[] => [
  `--reuid=${account.uid}`,
  `--regid=${account.gid}`,
  '--clear-groups',
  '--inh-caps=+dac_read_search',
  '--ambient-caps=+dac_read_search',
];

const setprivCan = (options: readonly string[]): boolean =>
  process.platform === 'linux' &&
  spawnSync('setpriv', [...options, '--', 'true'], { ...cleanEnvironment, stdio: 'ignore' }).status === 0;

/** Whether this system lets root run a program as `account` that may still pass folders closed to that account. */
export const canPassClosedFolders = (account: Account): boolean => setprivCan(passFolders(account));

/**
 * @param account   whom to run as; undefined: as the user of this process
 * @param throughClosedFolders   keep the right to pass closed folders, see {@link canPassClosedFolders}
 */
export function createLauncher(account: Account | undefined, throughClosedFolders: boolean): Launcher {
  const identity = account && throughClosedFolders ? passFolders(account) : [];
  const options: SpawnOptions = { ...cleanEnvironment, windowsHide: true };
  // The kernel forgets the death signal when the user changes, so the user changes first: in libuv or in setpriv.
  if (account && !throughClosedFolders) Object.assign(options, { uid: account.uid, gid: account.gid });

  const launch = (extra: readonly string[], file: string, args: readonly string[], more: SpawnOptions) => {
    const prefix = [...identity, ...extra];
    return prefix.length > 0
      ? spawn('setpriv', [...prefix, '--', file, ...args], { ...options, ...more })
      : spawn(file, args, { ...options, ...more });
  };

  return {
    start(file, args, logDescriptor) {
      const extra = setprivCan(dieWithParent) ? dieWithParent : [];
      // Its own process group: Ctrl-C in a terminal must reach Node alone, which stops the server last.
      return launch(extra, file, args, { detached: true, stdio: ['ignore', logDescriptor, logDescriptor] });
    },
    run: (what, file, args, input) => completed(what, launch([], file, args, { stdio: 'pipe' }), input),
  };
}

function completed(what: string, child: ChildProcess, input = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const collect = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-20_000));
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.stdin?.on('error', () => undefined); // a program that ended early; its exit code tells
    child.stdin?.end(input);
    child.once('error', (error) => reject(explainOutput(what, startFailure(error))));
    child.once('close', (code) => (code === 0 ? resolve() : reject(explainOutput(what, output))));
  });
}

/** A program that exists and yet "is not found" lacks its loader, as glibc binaries do on musl systems. */
export const startFailure = (error: Error): string =>
  hasCode(error, 'ENOENT') ? `cannot execute: required file not found: ${error.message}` : error.message;
