import { type ChildProcess, type SpawnOptions, type SpawnSyncOptions, spawn } from 'node:child_process';
import { endsWithParent, setprivCan } from '../../../engines/processes/setpriv.js';
import type { Account } from './account.js';
import { explainOutput, hasCode } from './embedded-postgres.error.js';

/** Runs PostgreSQL's programs under the right account, in a clean environment. */
export interface Launcher {
  /**
   * Starts a server in its own process group. If the system supports it, the server shuts down (fast) with this
   * process.
   */
  start(file: string, args: readonly string[], logDescriptor: number): ChildProcess;
  /** Runs a program to completion. Throws an EmbeddedPostgresError that quotes its output if it fails. */
  run(what: string, file: string, args: readonly string[], input?: string): Promise<void>;
}

// The caller's PGOPTIONS, PGPORT or unusual LC_ALL must not reach the server. Windows programs need SystemRoot.
const cleanEnvironment: Pick<SpawnOptions & SpawnSyncOptions, 'env' | 'cwd'> =
  process.platform === 'win32' ? {} : { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }, cwd: '/' };

/** setpriv options that run a program as `account` with the capability to traverse closed folders, and no other. */
const passFolders = (account: Account): string[] => [
  `--reuid=${account.uid}`,
  `--regid=${account.gid}`,
  '--clear-groups',
  '--inh-caps=+dac_read_search',
  '--ambient-caps=+dac_read_search',
];

/** Whether root can run a program as `account` on this system with the capability to traverse folders closed to it. */
export const canPassClosedFolders = (account: Account): boolean => setprivCan(passFolders(account), cleanEnvironment);

/**
 * @param account   account to run as; undefined: the user of this process
 * @param throughClosedFolders   keep the capability to traverse closed folders, see {@link canPassClosedFolders}
 */
export function createLauncher(account: Account | undefined, throughClosedFolders: boolean): Launcher {
  const identity = account && throughClosedFolders ? passFolders(account) : [];
  const options: SpawnOptions = { ...cleanEnvironment, windowsHide: true };
  // The kernel clears the parent-death signal when the user changes, so the user changes first: in libuv or in setpriv.
  if (account && !throughClosedFolders) Object.assign(options, { uid: account.uid, gid: account.gid });

  const launch = (extra: readonly string[], file: string, args: readonly string[], more: SpawnOptions) => {
    const prefix = [...identity, ...extra];
    return prefix.length > 0
      ? spawn('setpriv', [...prefix, '--', file, ...args], { ...options, ...more })
      : spawn(file, args, { ...options, ...more });
  };

  return {
    start(file, args, logDescriptor) {
      const options = endsWithParent('INT');
      const extra = setprivCan(options, cleanEnvironment) ? options : [];
      // In its own process group, so that Ctrl-C in a terminal reaches only Node, which stops the server last.
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
    child.stdin?.on('error', () => undefined); // the program exited early; its exit code is reported
    child.stdin?.end(input);
    child.once('error', (error) => reject(explainOutput(what, startFailure(error))));
    child.once('close', (code) => (code === 0 ? resolve() : reject(explainOutput(what, output))));
  });
}

/** If a program exists but "is not found", its loader is missing, as for glibc binaries on musl systems. */
export const startFailure = (error: Error): string =>
  hasCode(error, 'ENOENT') ? `cannot execute: required file not found: ${error.message}` : error.message;
