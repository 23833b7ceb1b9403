import { execFile } from 'node:child_process';
import { readFile, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from './embedded-postgres.error.js';

/** The contents of `postmaster.pid`; the server adds the later lines one by one while it starts. */
export interface PostmasterPid {
  pid: number;
  port?: number;
  /** Empty if the server has no Unix socket. */
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

/** Reads the pid file of the cluster; undefined if it is missing or cannot be parsed. */
export async function readPostmasterPid(clusterDir: string): Promise<PostmasterPid | undefined> {
  try {
    return parsePostmasterPid(await readFile(join(clusterDir, 'postmaster.pid'), 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Whether a process with this id exists, regardless of its owner. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/**
 * Whether `pid` is a server on this cluster. The number alone is no proof: after a crash or a container restart another
 * program may have it, and must be neither waited for nor signalled.
 */
export async function isServerOf(clusterDir: string, pid: number): Promise<boolean> {
  if (!processExists(pid)) return false;
  if (process.platform === 'win32') return true; // PostgreSQL sends signals through its own pipe there
  if (process.platform === 'linux') {
    try {
      return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(clusterDir)); // its working directory is the cluster
    } catch (error) {
      return !hasCode(error, 'ENOENT');
    }
  }
  const command = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']).catch(() => undefined);
  return command?.stdout.includes('postgres') ?? false;
}
