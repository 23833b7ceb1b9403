import { createReadStream, createWriteStream } from 'node:fs';
import { constants, copyFile, mkdir, open, opendir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Header } from 'tar-stream';
import unbzip2 from 'unbzip2-stream';
import { safeMediaPath } from '../engines/media/file-name.js';
import { CvatImportError } from './cvat-import-error.js';

/** A file in CVAT's data folder that belongs to a task's media or to a guide. */
export interface DataFile {
  readonly kind: 'media' | 'asset';
  /** Id of the data, or UUID of the asset. */
  readonly owner: string;
  /** Path within the task's media, checked to be safe; for an asset, its name unchanged. */
  readonly path: string;
  /** Writes the file to a path whose folder may not exist yet. Call it before you request the next file. */
  save(target: string): Promise<void>;
}

type OnBytes = (bytes: number, totalBytes: number) => void;

const ignore = (): void => undefined;

/** Media of a task in CVAT's data folder, after any prefix. */
const RAW_FILE = /(?:^|\/)data\/(\d{1,9})\/raw\/(.+)$/;
const ASSET_FILE = /(?:^|\/)assets\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([^/]+)$/;

/**
 * Yields the files of media and assets in CVAT's data folder or an archive of it (tar, optionally compressed with bzip2
 * or gzip). Links and special files are skipped.
 * @param onBytes receives how much of an archive has been read
 * @throws CvatImportError if it cannot be read, is truncated, or has a path that leads out of it
 */
export async function* readDataFiles(path: string, onBytes: OnBytes = ignore): AsyncGenerator<DataFile> {
  const place = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  try {
    yield* place.isDirectory() ? walk(path, basename(path)) : unpack(path, (bytes) => onBytes(bytes, place.size));
  } catch (error) {
    if (error instanceof CvatImportError) throw error;
    // Any error that is not from the file system is from a decoder, whose message would not help the user.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw unreadable(path, error);
    throw new CvatImportError(`The archive ${path} is damaged or incomplete.`, { cause: error });
  }
}

async function* walk(folder: string, name: string): AsyncGenerator<DataFile> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    const entryName = `${name}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(path, entryName);
    if (!entry.isFile()) continue;
    yield* usedFile(entryName, async (target) => copyFile(path, target, constants.COPYFILE_FICLONE));
  }
}

async function* unpack(path: string, onBytes: (bytes: number) => void): AsyncGenerator<DataFile> {
  const archive = extract();
  const source = createReadStream(path);
  const reading = pipeline([source, ...(await decompression(path)), archive as unknown as NodeJS.WritableStream]);
  reading.catch((error: unknown) => archive.destroy(error as Error));
  for await (const entry of archive) {
    onBytes(source.bytesRead);
    if (isFile(entry.header)) {
      yield* usedFile(entry.header.name, (target) => pipeline(entry as unknown as Readable, createWriteStream(target)));
    }
    entry.resume(); // drains an entry that was not saved
  }
  await reading;
}

const isFile = ({ type }: Header): boolean => type === 'file' || type === 'contiguous-file';

/** Selects the decompression by the first bytes, not the name. */
async function decompression(path: string): Promise<NodeJS.ReadWriteStream[]> {
  const file = await open(path);
  const buffer = Buffer.alloc(3);
  try {
    await file.read(buffer, 0, 3, 0);
  } finally {
    await file.close();
  }
  if (buffer.toString('latin1') === 'BZh') return [unbzip2()];
  return buffer.readUInt16BE(0) === 0x1f_8b ? [createGunzip()] : [];
}

function* usedFile(name: string, save: (target: string) => Promise<void>): Generator<DataFile> {
  const media = RAW_FILE.exec(name);
  const [, owner = '', path = ''] = media ?? ASSET_FILE.exec(name) ?? [];
  if (owner === '') return;
  yield {
    kind: media === null ? 'asset' : 'media',
    owner: media === null ? owner : String(Number(owner)),
    path: media === null ? path : safePath(name, path),
    async save(target) {
      await mkdir(dirname(target), { recursive: true });
      await save(target);
    },
  };
}

function safePath(name: string, path: string): string {
  try {
    return safeMediaPath(path);
  } catch (error) {
    throw new CvatImportError(`The media have a file whose name is not allowed: ${name}.`, { cause: error });
  }
}

const unreadable = (path: string, error: unknown): CvatImportError =>
  new CvatImportError(`The media ${path} cannot be read: ${(error as Error).message}.`, { cause: error });
