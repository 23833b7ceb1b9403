import { randomBytes } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { link, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { EmbeddedPostgresError, hasCode } from './embedded-postgres.error.js';
import { processExists } from './postmaster-pid.js';

const heartbeatMs = 2_000;
const foreignLeaseMs = 15_000;

/** Says which process runs the server of a data folder; there is one at a time. */
export interface OwnerLock {
  /**
   * Tries to become the owner; false while another live process of this machine is. A lock left by a dead process
   * is taken over. Throws when a process on another machine or in another container holds it.
   */
  acquire(): Promise<boolean>;
  /** Gives the lock up; does nothing when it is not held. */
  release(): void;
}

interface Owner {
  host: string;
  pid: number;
  /** When the process began, in the kernel's ticks: tells it from a later one with the same number. */
  began: string;
}

/** When a process began (field 22 of /proc/<pid>/stat); empty for a dead one, or where the system does not tell. */
function processBegan(pid: number): string {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? '' : (rest[18] ?? ''); // Z: killed, and not yet collected by its parent
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
  const own = JSON.stringify({ host: hostname(), pid: process.pid, began: processBegan(process.pid) });
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

/** Creates the lock with its content in one step, so that nobody reads half of it; false when there is one. */
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
  if (owner.host === hostname()) return processExists(owner.pid) && processBegan(owner.pid) === owner.began;
  // Process numbers of another container mean nothing here; its heartbeat does.
  const touched = await stat(path).catch(() => undefined);
  if (!touched || Date.now() - touched.mtimeMs > foreignLeaseMs) return false;
  throw new EmbeddedPostgresError(
    `The data folder is in use by the machine or container "${owner.host}": stop Cairn there (after a crash its claim ends in ${foreignLeaseMs / 1000} seconds), or set DATA_DIR to another folder.`,
  );
}

/** Takes a stale lock away; when it was replaced by a live one in the meantime, that one is put back. */
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
