import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { safeMediaPath } from './file-name.js';
import { errorCode, MediaError, missingFile, quoted } from './media-error.js';
import { compareCodePoints } from './sorting.js';

/** A file or folder at the top level of a folder. */
export interface SharedEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** A folder with the files at its top level, sorted by name. */
export interface SharedFiles {
  /** Relative to the shared folder, components joined by `/`; empty for the shared folder itself. */
  readonly path: string;
  /** Path on disk at the time of reading. */
  readonly location: string;
  readonly names: readonly string[];
}

/**
 * A folder on the server that many users may read. Nothing outside it is accessible: names and symbolic links that lead
 * out are rejected. Links that stay inside are followed.
 */
export class SharedFolder {
  constructor(private readonly root: string) {}

  /**
   * Resolves a file's path on disk, with all links.
   * @throws MediaError that names it, if it is not a file, does not exist, or is outside
   */
  async file(path: string): Promise<string> {
    const location = await this.locate(path);
    if (!(await stat(location)).isFile()) throw new MediaError(`ValueError: ${quoted(path)} is not a file`);
    return location;
  }

  /** Whether a path is a folder. @throws MediaError if it does not exist or is outside */
  async isFolder(path: string): Promise<boolean> {
    return (await stat(await this.locate(path))).isDirectory();
  }

  /**
   * Lists the top level of a folder: folders first, then by name. Omits links to the outside, and everything that is
   * neither file nor folder.
   * @throws MediaError
   */
  async list(folder: string): Promise<SharedEntry[]> {
    const location = await this.locate(folder);
    const entries: SharedEntry[] = [];
    for (const item of await readFolder(location, folder)) {
      const isFolder = await this.kindOf(item, location);
      if (isFolder !== null) entries.push({ name: item.name, isFolder });
    }
    return entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || compareCodePoints(a.name, b.name));
  }

  /**
   * Yields all files in and below a folder, one folder at a time. Skips linked folders.
   * @throws MediaError, also for more than `most` files
   */
  async *files(folder: string, most: number, signal: AbortSignal): AsyncGenerator<SharedFiles> {
    let count = 0;
    const waiting = [{ path: safeFolder(folder), location: await this.locate(folder) }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      signal.throwIfAborted();
      const { path, location } = next;
      const folders: typeof waiting = [];
      const names: string[] = [];
      for (const item of (await readFolder(location, path)).toSorted((a, b) => compareCodePoints(a.name, b.name))) {
        if (item.isDirectory()) folders.push({ path: inFolder(path, item.name), location: join(location, item.name) });
        else if (item.isFile() || (await this.kindOf(item, location)) === false) names.push(item.name);
      }
      for (const each of folders.reverse()) waiting.push(each);
      count += names.length;
      if (count > most) throw new MediaError(`ValueError: ${quoted(folder)} holds more than ${most} files`);
      yield { path, location, names };
    }
  }

  /** @returns null for entries to ignore: broken links and links to the outside, sockets, devices */
  private async kindOf(item: Dirent, folder: string): Promise<boolean | null> {
    if (item.isDirectory()) return true;
    if (item.isFile()) return false;
    if (!item.isSymbolicLink()) return null;
    try {
      const info = await stat(await this.inside(join(folder, item.name), item.name));
      return info.isDirectory() ? true : info.isFile() ? false : null;
    } catch {
      return null; // it leads outside, is broken, or cannot be read: treat it as absent
    }
  }

  private async locate(path: string): Promise<string> {
    try {
      return await this.inside(join(this.root, safeFolder(path)), path);
    } catch (error) {
      throw missingFileError(error, path);
    }
  }

  private async inside(location: string, path: string): Promise<string> {
    const [root, real] = [await realpath(this.root), await realpath(location)];
    if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
    throw new MediaError(`ValueError: ${quoted(path)} is outside the shared folder`);
  }
}

/** The path of an entry in a folder. */
export const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** The normalized path below the shared folder; empty for the folder itself. @throws MediaError */
export function safeFolder(path: string): string {
  const trimmed = path.replace(/^[/\\]+/, '');
  return /^[./\\]*$/.test(trimmed) && !trimmed.includes('..') ? '' : safeMediaPath(trimmed);
}

async function readFolder(location: string, path: string): Promise<Dirent[]> {
  try {
    return await readdir(location, { withFileTypes: true });
  } catch (error) {
    throw missingFileError(error, path);
  }
}

function missingFileError(error: unknown, path: string): unknown {
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return missingFile(path, error);
    case 'EACCES':
    case 'EPERM':
      return new MediaError(`PermissionError: [Errno 13] Permission denied: ${quoted(path)}`, { cause: error });
    default:
      return error;
  }
}
