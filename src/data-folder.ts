import { existsSync } from 'node:fs';
import { access, chmod, constants, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from './start-error.js';

/** Makes the data folder unless it is there, and closes what is in it to other users. @throws StartError when nothing can be stored in it */
export async function requireDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    await closeFolders(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The data folder ${folder} cannot be written to (${code}). Make it writable for this user, or set DATA_DIR to another folder.`,
    );
  }
}

const CLOSED = ['assets', 'cache', 'exports', 'imports', 'media', 'uploads'];

/** Those that an older version made could be read by everybody. */
async function closeFolders(folder: string): Promise<void> {
  for (const name of CLOSED) {
    const path = join(folder, name);
    // One that another user owns, as a mounted one may be, is that user's to close.
    if (existsSync(path)) await chmod(path, 0o700).catch(ignore('EPERM', 'EROFS', 'ENOTSUP'));
  }
}

/** Node's own recursive mkdir never comes back where a parent is there and still nothing can be made in it (/proc). */
async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  if (parent !== folder && !existsSync(parent)) await makeFolder(parent);
  try {
    await mkdir(folder);
    // Started by root, the embedded PostgreSQL runs as another account, which must be able to pass.
    await chmod(folder, process.getuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  }
}

const ignore =
  (...codes: readonly string[]) =>
  (error: NodeJS.ErrnoException): void => {
    if (!codes.includes(error.code ?? '')) throw error;
  };
