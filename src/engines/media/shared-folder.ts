import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { safeMediaPath } from './file-name.js';
import { errorCode, MediaError, missingFile, quoted } from './media-error.js';
import { compareCodePoints } from './sorting.js';

/** A file or folder directly in a folder. */
export interface SharedEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** A folder with the files directly in it, by their names, in the order of these. */
export interface SharedFiles {
  /** Below the shared folder, parts joined by `/`; empty for itself. */
  readonly path: string;
  /** On disk, as it was when it was read. */
  readonly place: string;
  readonly names: readonly string[];
}

/**
 * A folder of the server that many may read. Nothing outside it is ever reached: names that lead out are refused, and
 * so are symbolic links that do; those that stay inside are followed.
 */
export class SharedFolder {
  constructor(private readonly root: string) {}

  /**
   * Where a file lies on disk, all links resolved.
   * @throws MediaError that names it, for what is no file, not there, or outside
   */
  async file(path: string): Promise<string> {
    const place = await this.place(path);
    if (!(await stat(place)).isFile()) throw new MediaError(`ValueError: ${quoted(path)} is not a file`);
    return place;
  }

  /** Whether a path is a folder. @throws MediaError for what is not there, or outside */
  async isFolder(path: string): Promise<boolean> {
    return (await stat(await this.place(path))).isDirectory();
  }

  /**
   * What lies directly in a folder: folders first, then by name. Links that lead out, and what is neither file nor
   * folder, are left out.
   * @throws MediaError
   */
  async list(folder: string): Promise<SharedEntry[]> {
    const place = await this.place(folder);
    const entries: SharedEntry[] = [];
    for (const item of await readFolder(place, folder)) {
      const isFolder = await this.kindOf(item, place);
      if (isFolder !== null) entries.push({ name: item.name, isFolder });
    }
    return entries.sort((a, b) => Number(b.isFolder) - Number(a.isFolder) || compareCodePoints(a.name, b.name));
  }

  /**
   * All files in a folder and below it, folder by folder. Linked folders are passed over.
   * @throws MediaError, also for more than `most` files
   */
  async *files(folder: string, most: number, signal: AbortSignal): AsyncGenerator<SharedFiles> {
    let count = 0;
    const waiting = [{ path: safeFolder(folder), place: await this.place(folder) }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      signal.throwIfAborted();
      const { path, place } = next;
      const folders: typeof waiting = [];
      const names: string[] = [];
      for (const item of (await readFolder(place, path)).toSorted((a, b) => compareCodePoints(a.name, b.name))) {
        if (item.isDirectory()) folders.push({ path: inFolder(path, item.name), place: join(place, item.name) });
        else if (item.isFile() || (await this.kindOf(item, place)) === false) names.push(item.name);
      }
      waiting.push(...folders.reverse());
      count += names.length;
      if (count > most) throw new MediaError(`ValueError: ${quoted(folder)} holds more than ${most} files`);
      yield { path, place, names };
    }
  }

  /** @returns null for what does not count: links that lead out or nowhere, sockets, devices */
  private async kindOf(item: Dirent, folder: string): Promise<boolean | null> {
    if (item.isDirectory()) return true;
    if (item.isFile()) return false;
    if (!item.isSymbolicLink()) return null;
    try {
      const info = await stat(await this.inside(join(folder, item.name), item.name));
      return info.isDirectory() ? true : info.isFile() ? false : null;
    } catch {
      return null; // it leads out, or nowhere, or there are no rights: as if it were not there
    }
  }

  private async place(path: string): Promise<string> {
    try {
      return await this.inside(join(this.root, safeFolder(path)), path);
    } catch (error) {
      throw notThere(error, path);
    }
  }

  private async inside(place: string, path: string): Promise<string> {
    const [root, real] = [await realpath(this.root), await realpath(place)];
    if (real === root || real.startsWith(root.endsWith(sep) ? root : root + sep)) return real;
    throw new MediaError(`ValueError: ${quoted(path)} leads out of the shared folder`);
  }
}

/** The path of what lies in a folder. */
export const inFolder = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** A path below the shared folder in its one form; empty for the folder itself. @throws MediaError */
export function safeFolder(path: string): string {
  const trimmed = path.replace(/^[/\\]+/, '');
  return /^[./\\]*$/.test(trimmed) && !trimmed.includes('..') ? '' : safeMediaPath(trimmed);
}

async function readFolder(place: string, path: string): Promise<Dirent[]> {
  try {
    return await readdir(place, { withFileTypes: true });
  } catch (error) {
    throw notThere(error, path);
  }
}

function notThere(error: unknown, path: string): unknown {
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
