import { access, constants, mkdtemp, readdir, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Finding, gigabytes, ok, reasonOf, warning, wrong } from './finding.js';

const LITTLE_SPACE = 5 * 2 ** 30;
const NO_SPACE = 300 * 2 ** 20;

/** Checks the data folder, or the folder in which it will be created. */
export async function checkDataFolder(folder: string): Promise<Finding[]> {
  const subject = 'data folder';
  try {
    const existing = await nearestFolder(folder);
    await access(existing, constants.W_OK | constants.X_OK);
    if (existing !== folder) await tryFolder(existing);
    const text = existing === folder ? folder : `${folder}, made at the first start`;
    return [ok(subject, text), await checkSpace(existing)];
  } catch (error) {
    const advice = 'Give it to the user that runs Cairn, or set DATA_DIR to another folder.';
    return [wrong(subject, `${folder} cannot be written to: ${reasonOf(error)}`, advice)];
  }
}

/** Permission bits are not enough on virtual file systems such as /proc. */
async function tryFolder(parent: string): Promise<void> {
  await rmdir(await mkdtemp(join(parent, '.cairn-')));
}

/** @returns no findings if no folder is shared */
export async function checkShareFolder(folder: string): Promise<Finding[]> {
  if (folder === '') return [];
  try {
    await readdir(folder);
    return [ok('shared folder', folder)];
  } catch (error) {
    const text = `${folder} cannot be read: ${reasonOf(error)}`;
    return [wrong('shared folder', text, 'Make it readable for the user that runs Cairn, or set SHARE_DIR.')];
  }
}

async function checkSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${gigabytes(free)} free`;
  if (free < NO_SPACE) return wrong('disk', text, 'Make room: nothing can be stored.');
  if (free < LITTLE_SPACE) return warning('disk', text, 'Make room soon, or set DATA_DIR to a larger disk.');
  return ok('disk', text);
}

async function nearestFolder(path: string): Promise<string> {
  try {
    if (!(await stat(path)).isDirectory()) throw new Error(`${path} is not a folder`);
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    return nearestFolder(dirname(path));
  }
}
