import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isNativeError } from 'node:util/types';
import { crc32 } from 'node:zlib';
import { getFileNameLowLevel, openPromise, type Entry, type ZipFile } from 'yauzl';
import { isSystemFile, safeMediaPath } from './file-name.js';
import { errorCode, MediaError, quoted, storageError } from './media-error.js';
import { mediaKind } from './media-kind.js';
import { splitContextImages } from './context-images.js';

export interface ArchiveLimits {
  /** Entries of every sort. */
  maxEntries: number;
  /** Bytes of all extracted files together. */
  maxBytes: number;
  /** How many times the size of the archive the extracted files may have, once they are above ratioFrom bytes. */
  maxRatio: number;
  ratioFrom: number;
}

export const defaultArchiveLimits: ArchiveLimits = {
  maxEntries: 200_000,
  maxBytes: 100 * 2 ** 30,
  maxRatio: 100,
  ratioFrom: 256 * 2 ** 20,
};

export interface ExtractOptions {
  /** How the client calls the archive, for errors. */
  name: string;
  limits?: ArchiveLimits;
  /** Stops between two files; the promise then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Entries looked at so far, of how many. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Extracts the images of a zip archive, context images included, file by file. Other files and what operating systems
 * leave behind are passed over; one unsafe, encrypted, doubled or broken entry refuses the whole archive.
 * @param folder is made, and must be absent or empty; nothing stays in it after an error
 * @returns paths of the extracted files within the folder, in the order of the archive
 * @throws MediaError that names the archive or the entry; MediaStorageFull
 */
export async function extractZip(archive: string, folder: string, options: ExtractOptions): Promise<string[]> {
  const zip = await openZip(archive, options.name);
  try {
    await mkdir(folder, { recursive: true });
    if ((await readdir(folder)).length > 0) throw new Error(`Folder ${folder} is not empty`);
    return await new Extraction(zip, folder, options).run().catch(async (error: unknown) => {
      await rm(folder, { recursive: true, force: true });
      throw error;
    });
  } catch (error) {
    throw storageError(error);
  } finally {
    zip.close();
  }
}

async function openZip(archive: string, name: string): Promise<ZipFile> {
  try {
    return await openPromise(archive, { autoClose: false, lazyEntries: true, decodeStrings: false });
  } catch (error) {
    throw errorCode(error) === undefined ? brokenZip(name, error) : error;
  }
}

/** One run over the entries of an archive, with what has been counted so far. */
class Extraction {
  private readonly limits: ArchiveLimits;
  private readonly paths = new Set<string>();
  private readonly folders = new Set<string>();
  private bytes = 0;

  constructor(
    private readonly zip: ZipFile,
    private readonly folder: string,
    private readonly options: ExtractOptions,
  ) {
    this.limits = options.limits ?? defaultArchiveLimits;
  }

  async run(): Promise<string[]> {
    const { signal, onProgress } = this.options;
    const total = this.zip.entryCount;
    if (total > this.limits.maxEntries) throw this.tooMuch(`more than ${this.limits.maxEntries} entries`);
    let done = 0;
    for await (const entry of this.entries()) {
      signal?.throwIfAborted();
      await this.take(entry);
      onProgress?.(++done, total);
    }
    const images = [...this.paths];
    if (splitContextImages(images).frames.length === 0) throw new MediaError('Exception: No image found');
    return images;
  }

  /** yauzl reports a broken directory through the iterator. */
  private async *entries(): AsyncGenerator<Entry> {
    const iterator = this.zip.eachEntry();
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        throw brokenZip(this.options.name, error);
      });
      if (next.done) return;
      yield next.value;
    }
  }

  private async take(entry: Entry): Promise<void> {
    const name = entryName(entry);
    // Some tools begin with an entry for the folder itself.
    if (name === './') return;
    const path = safeMediaPath(name);
    if (isSymbolicLink(entry)) throw new MediaError(`File ${quoted(name)} in the archive is a symbolic link`);
    if (/[\\/]$/.test(name) || isSystemFile(path) || mediaKind(path) !== 'image') return;
    if (entry.isEncrypted()) {
      throw new MediaError(`RuntimeError: File ${quoted(name)} is encrypted, password required for extraction`);
    }
    this.count(entry, path);
    await this.write(entry, path);
  }

  /** The sizes are what the archive says; while reading, yauzl refuses an entry that turns out to be larger. */
  private count(entry: Entry, path: string): void {
    if (this.paths.has(path) || this.folders.has(path)) throw this.twice(path);
    this.paths.add(path);
    this.bytes += entry.uncompressedSize;
    const { maxBytes, maxRatio, ratioFrom } = this.limits;
    if (this.bytes > maxBytes) throw this.tooMuch(`more than ${maxBytes} bytes`);
    if (this.bytes > Math.max(ratioFrom, this.zip.fileSize * maxRatio)) {
      throw this.tooMuch(`more than ${maxRatio} times its own size`);
    }
  }

  private async write(entry: Entry, path: string): Promise<void> {
    const target = join(this.folder, path);
    await this.makeFolders(dirname(path), path);
    try {
      const check = new ChecksumCheck(entry.crc32);
      await pipeline(await this.zip.openReadStreamPromise(entry), check, createWriteStream(target, { flags: 'wx' }));
    } catch (cause) {
      // The file system takes two names for one, say A.png and a.png.
      if (errorCode(cause) === 'EEXIST') throw this.twice(path);
      if (isFileSystemError(cause)) throw cause;
      throw new MediaError(`zipfile.BadZipFile: Bad data for file ${quoted(path)}`, { cause });
    }
  }

  private async makeFolders(folder: string, path: string): Promise<void> {
    if (folder === '.' || this.folders.has(folder)) return;
    for (let parent = folder; parent !== '.'; parent = dirname(parent)) {
      if (this.paths.has(parent)) {
        throw new MediaError(`File ${quoted(path)} needs a folder that is a file in the archive`);
      }
      this.folders.add(parent);
    }
    await mkdir(join(this.folder, folder), { recursive: true });
  }

  private twice(path: string): MediaError {
    return new MediaError(`File ${quoted(path)} is twice in the archive ${quoted(this.options.name)}`);
  }

  private tooMuch(what: string): MediaError {
    return new MediaError(`ValueError: The archive ${quoted(this.options.name)} holds ${what}`);
  }
}

/** Passes data through and fails at the end when its CRC-32 is not the expected one, which yauzl does not check. */
class ChecksumCheck extends Transform {
  private actual = 0;

  constructor(private readonly expected: number) {
    super();
  }

  override _transform(
    data: Buffer,
    _encoding: BufferEncoding,
    done: (error: Error | null, data: Buffer) => void,
  ): void {
    this.actual = crc32(data, this.actual);
    done(null, data);
  }

  override _flush(done: (error?: Error) => void): void {
    if (this.actual === this.expected >>> 0) done();
    else done(new Error('Bad CRC-32'));
  }
}

function entryName(entry: Entry): string {
  const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
}

/** The upper half of the attributes is the Unix mode. */
function isSymbolicLink(entry: Entry): boolean {
  const fileType = (entry.externalFileAttributes >>> 16) & 0o170000;
  return fileType === 0o120000;
}

function isFileSystemError(error: unknown): boolean {
  return isNativeError(error) && 'syscall' in error;
}

function brokenZip(name: string, cause?: unknown): MediaError {
  return new MediaError(`zipfile.BadZipFile: File is not a zip file: ${quoted(name)}`, { cause });
}
