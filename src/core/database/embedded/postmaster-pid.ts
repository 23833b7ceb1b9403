import { execFile } from 'node:child_process';
import { readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from './embedded-postgres.error.js';

/** What a running server writes into `postmaster.pid`; the later lines come one by one while it starts. */
export interface PostmasterPid {
  pid: number;
  port?: number;
  /** Empty when the server has no unix socket. */
  socketDirectory?: string;
}

/** Parses the text of `postmaster.pid` (pid, data folder, start time, port, socket folder, …). */
export function parsePostmasterPid(text: string): PostmasterPid | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const port = Number(lines[3]);
  if (lines.length < 5 || !Number.isSafeInteger(port) || port <= 0) return { pid };
  return { pid, port, socketDirectory: lines[4] ?? '' };
}

/** Reads the pid file of the cluster; undefined when there is none or it cannot be understood. */
export async function readPostmasterPid(clusterDir: string): Promise<PostmasterPid | undefined> {
  try {
    return parsePostmasterPid(await readFile(join(clusterDir, 'postmaster.pid'), 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Whether a process with this id exists, whosever it is. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/**
 * Whether `pid` is a server on this cluster. The number alone proves nothing: after a crash or in a restarted
 * container another program may have it, and must neither be waited for nor be signalled.
 */
export async function isServerOf(clusterDir: string, pid: number): Promise<boolean> {
  if (!processExists(pid)) return false;
  if (process.platform === 'win32') return true; // signals go through PostgreSQL's own pipe there
  if (process.platform === 'linux') {
    try {
      return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(clusterDir)); // a server lives in its folder
    } catch (error) {
      return !hasCode(error, 'ENOENT');
    }
  }
  const command = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']).catch(() => undefined);
  return command?.stdout.includes('postgres') ?? false;
}
