import { spawnSync, type SpawnSyncOptions } from 'node:child_process';

/** setpriv's options that end a program with the process that started it, also if that one is killed. */
export const endsWithParent = (signal: 'INT' | 'KILL'): readonly string[] => [`--pdeathsig=${signal}`];

/** Whether this system has a `setpriv` that knows the options. @param environment of the program */
export const setprivCan = (options: readonly string[], environment: SpawnSyncOptions = {}): boolean =>
  process.platform === 'linux' &&
  spawnSync('setpriv', [...options, '--', 'true'], { ...environment, stdio: 'ignore' }).status === 0;

let canEndWithParent: boolean | undefined;

/**
 * The command for a program that is killed when this process ends, even if both are killed or frozen. Where the system cannot
 * do that, it is the program itself: it ends when it notices that its channel is closed.
 */
export function killedWithParent(program: string, args: readonly string[] = []): [string, ...string[]] {
  canEndWithParent ??= setprivCan(endsWithParent('KILL'));
  return canEndWithParent ? ['setpriv', ...endsWithParent('KILL'), '--', program, ...args] : [program, ...args];
}
