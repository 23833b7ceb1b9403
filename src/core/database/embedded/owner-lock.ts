import { randomBytes } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { link, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { EmbeddedPostgresError, hasCode } from './embedded-postgres.error.js';
import { processExists } from './postmaster-pid.js';

const heartbeatMs = 2_000;
const foreignLeaseMs = 15_000;

/** Records which process runs the server of a data folder. There is one at a time. */
export interface OwnerLock {
  /**
   * Tries to become the owner; false while another live process on this machine is. A lock left by a dead process is
   * taken over. Throws if a process on another machine or in another container holds the lock.
   */
  acquire(): Promise<boolean>;
  /** Releases the lock; does nothing if it is not held. */
  release(): void;
}

interface Owner {
  host: string;
  pid: number;
  /** Start time of the process in kernel ticks. Distinguishes it from a later process with the same id. */
  began: string;
}

/** Start time of a process (field 22 of /proc/<pid>/stat); empty if it is dead or the system does not report it. */
function processStartTime(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? '' : (rest[18] ?? ''); // Z: a zombie, killed but not yet reaped by its parent
  } catch {
    return '';
  }
}

function parseOwner(text: string): Owner | undefined {
  try {
    const { host, pid, began } = JSON.parse(text) as Partial<Owner>;
    return host !== undefined && pid !== undefined && began !== undefined ? { host, pid, began } : undefined;
  } catch {
    return undefined;
  }
}

/** @param path   the lock file; its folder must exist */
export function createOwnerLock(path: string): OwnerLock {
  const own = JSON.stringify({ host: hostname(), pid: process.pid, began: processStartTime(process.pid) });
  let heartbeat: NodeJS.Timeout | undefined;

  return {
    async acquire() {
      if (!(await create(path, own))) {
        const text = await readIfThere(path);
        if (text !== undefined && (await isHeld(path, text))) return false;
        if (text !== undefined) await removeStale(path, text);
        if (!(await create(path, own))) return false;
      }
      heartbeat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), heartbeatMs);
      heartbeat.unref();
      return true;
    },
    release() {
      if (!heartbeat) return;
      clearInterval(heartbeat);
      heartbeat = undefined;
      try {
        if (readFileSync(path, 'utf8') === own) unlinkSync(path);
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) throw error;
      }
    },
  };
}

/** Creates the lock with its content atomically, so that nobody reads a partial file; false if it already exists. */
async function create(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, content, { flag: 'wx', mode: 0o644 });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await unlink(draft);
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function isHeld(path: string, text: string): Promise<boolean> {
  const owner = parseOwner(text);
  if (!owner) return false;
  if (owner.host === hostname()) return processExists(owner.pid) && processStartTime(owner.pid) === owner.began;
  // Process ids of another container are meaningless here, but its heartbeat is not.
  const touched = await stat(path).catch(() => undefined);
  if (!touched || Date.now() - touched.mtimeMs > foreignLeaseMs) return false;
  throw new EmbeddedPostgresError(
    `The data folder is in use by the machine or container "${owner.host}": stop Cairn there (after a crash its lock expires in ${foreignLeaseMs / 1000} seconds), or set DATA_DIR to another folder.`,
  );
}

/** Removes a stale lock. If a live lock has replaced it in the meantime, that lock is restored. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== stale) await link(aside, path).catch(() => undefined);
  await unlink(aside);
}
