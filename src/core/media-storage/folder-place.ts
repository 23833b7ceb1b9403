import { constants, type Dirent } from 'node:fs';
import { copyFile, mkdir, open, opendir, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { replaceFile } from '../../engines/files/replace-file.js';
import { errorCode } from '../../engines/media/media-error.js';
import { freeMemory } from '../../engines/memory/memory.js';
import type { ByteRange, MediaPlace, ObjectInfo, OpenObject } from './media-place.js';

/** Folders below the data folder that hold files of the installation. */
const FOLDERS: readonly string[] = ['assets', 'exports', 'imports', 'media', 'uploads'];
/** What a process is writing, and downloads of tasks that are being created. */
const TEMPORARY = /\.part$|^media\/\d+\/incoming\/|\/cairn-media-[^/]+$/;

/** The data folder. */
export class FolderPlace implements MediaPlace {
  readonly url = '';
  readonly growsFromNothing = false;

  constructor(private readonly root: string) {}

  /** The path of a file on this machine. */
  path(key: string): string {
    return join(this.root, key);
  }

  async info(key: string): Promise<ObjectInfo | undefined> {
    const found = await stat(this.path(key)).catch(unlessMissing);
    return found?.isFile() === true ? { key, bytes: found.size, modified: found.mtime } : undefined;
  }

  async open(key: string, range?: ByteRange): Promise<OpenObject | undefined> {
    const file = await open(this.path(key)).catch(unlessMissing);
    if (file === undefined) return undefined;
    try {
      const { size: bytes } = await file.stat();
      return { bytes, stream: file.createReadStream({ ...range, highWaterMark: 2 ** 18 }) };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  put(key: string, content: Buffer): Promise<void> {
    return this.replace(key, async (part) => {
      const file = await open(part, 'w');
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
    });
  }

  async putFile(key: string, file: string, { keep = false } = {}): Promise<void> {
    const target = this.path(key);
    if (file === target) return;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    if (!keep) {
      const moved = await rename(file, target).then(() => true, unlessOnOtherDisk);
      if (moved) return;
    }
    await this.replace(key, (part) => copySynchronized(file, part));
    if (!keep) await rm(file, { force: true });
  }

  async download(key: string, target: string): Promise<boolean> {
    return copyFile(this.path(key), target, constants.COPYFILE_FICLONE)
      .then(() => true)
      .catch(falseIfMissing);
  }

  async copy(from: string, to: string): Promise<boolean> {
    try {
      await this.replace(to, (part) => copyFile(this.path(from), part, constants.COPYFILE_FICLONE));
      return true;
    } catch (error) {
      return falseIfMissing(error);
    }
  }

  async remove(key: string): Promise<void> {
    await unlink(this.path(key)).catch(unlessMissing);
  }

  async removeFolder(folder: string): Promise<void> {
    await rm(this.path(folder), { recursive: true, force: true });
  }

  async *list(folder: string): AsyncGenerator<ObjectInfo> {
    for (const name of folder === '' ? FOLDERS : [folder]) {
      for await (const key of this.keys(this.path(name))) {
        const info = TEMPORARY.test(key) ? undefined : await this.info(key);
        if (info !== undefined) yield info;
      }
    }
  }

  async *names(folder: string): AsyncGenerator<string> {
    yield* (await readdir(this.path(folder)).catch(unlessMissing)) ?? [];
  }

  async begin(key: string): Promise<void> {
    const path = this.path(key);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await open(path, 'wx')).close();
  }

  /** Synchronizes the file to disk before the client gets a response. */
  async append(key: string, offset: number, body: AsyncIterable<Buffer>, take: (end: number) => void): Promise<number> {
    const file = await open(this.path(key), 'r+');
    let at = offset;
    try {
      for await (const piece of body) {
        take(at + piece.length);
        await file.write(piece, 0, piece.length, at);
        at += piece.length;
        freeMemory(piece);
      }
      return at;
    } finally {
      await file.datasync();
      await file.close();
    }
  }

  /** Reads one folder at a time, since a task may have a million images. */
  private async *keys(folder: string): AsyncGenerator<string> {
    const entries = await opendir(folder).catch(unlessMissing);
    if (entries === undefined) return;
    for await (const entry of entries as AsyncIterable<Dirent>) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* this.keys(path);
      else yield relative(this.root, path).split(sep).join('/');
    }
  }

  private async replace(key: string, write: (part: string) => Promise<void>): Promise<void> {
    const target = this.path(key);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await replaceFile(target, write);
  }
}

async function copySynchronized(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const file = await open(to, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

function unlessMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
  return undefined;
}

function falseIfMissing(error: unknown): false {
  unlessMissing(error);
  return false;
}

function unlessOnOtherDisk(error: unknown): false {
  if (errorCode(error) !== 'EXDEV') throw error;
  return false;
}
