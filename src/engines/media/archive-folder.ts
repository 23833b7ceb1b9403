import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isNativeError } from 'node:util/types';
import { splitContextImages } from './context-images.js';
import { isSystemFile, safeMediaPath } from './file-name.js';
import { errorCode, MediaError, quoted, storageError } from './media-error.js';
import { mediaKind } from '../../shared/media-kind.js';

/** Limits on the content of an archive. */
export interface ArchiveLimits {
  /** Maximum number of entries of any type. */
  maxEntries: number;
  /** Maximum total size of the extracted files in bytes. */
  maxBytes: number;
  /** Maximum ratio of extracted size to archive size, checked once the extracted files exceed ratioFrom bytes. */
  maxRatio: number;
  ratioFrom: number;
}

/** For archives of images, which are already compressed. */
export const imageArchiveLimits: ArchiveLimits = {
  maxEntries: 200_000,
  maxBytes: 100 * 2 ** 30,
  maxRatio: 100,
  ratioFrom: 256 * 2 ** 20,
};

export interface DatasetLimits extends ArchiveLimits {
  /** For everything but images: all of it is parsed. */
  readonly texts: Pick<ArchiveLimits, 'maxRatio' | 'ratioFrom'>;
}

/** For archives with annotations. Uncompressed images of masks, with large areas of one colour, compress best. */
export const datasetArchiveLimits: DatasetLimits = {
  maxEntries: 500_000,
  maxBytes: imageArchiveLimits.maxBytes,
  maxRatio: 1000,
  ratioFrom: 2 ** 30,
  texts: { maxRatio: 200, ratioFrom: 64 * 2 ** 20 },
};

/** Counts what is extracted from one archive. */
export class ArchiveBudget {
  private bytes = 0;
  private entries = 0;

  /**
   * @param name the client's name for the archive, for errors
   * @param archiveBytes size of the archive
   * @param what is counted, if not everything: `texts of `
   */
  constructor(
    private readonly name: string,
    private readonly archiveBytes: number,
    private readonly limits: ArchiveLimits,
    private readonly what = '',
  ) {}

  /** Checks the number of entries that the archive declares. @throws MediaError */
  expectEntries(count: number): void {
    const { maxEntries } = this.limits;
    if (count > maxEntries) throw this.tooMuch(`more than ${maxEntries} entries`);
  }

  /** @throws MediaError */
  countEntry(): void {
    this.expectEntries(++this.entries);
  }

  /** Counts bytes before they are read. @throws MediaError */
  countBytes(bytes: number): void {
    this.bytes += bytes;
    const { maxBytes, maxRatio, ratioFrom } = this.limits;
    if (this.bytes > maxBytes) throw this.tooMuch(`more than ${maxBytes} bytes`);
    if (this.bytes > Math.max(ratioFrom, this.archiveBytes * maxRatio)) {
      throw this.tooMuch(`more than ${maxRatio} times its own size`);
    }
  }

  private tooMuch(what: string): MediaError {
    return new MediaError(`ValueError: The archive ${quoted(this.name)} holds ${this.what}${what}`);
  }
}

export interface ExtractOptions {
  /** The client's name for the archive, for errors. */
  name: string;
  limits?: ArchiveLimits;
  /** Cancels between two files; the promise then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** 0 to 1. */
  onProgress?: (done: number) => void;
}

/**
 * Creates a folder with the content of an archive.
 * @param folder is created; must be absent or empty, and is emptied after an error
 * @param extract writes to the folder through {@link ArchiveFolder}
 * @returns paths of the extracted files relative to the folder, in archive order
 */
export async function extractInto(
  folder: string,
  archiveBytes: number,
  options: ExtractOptions,
  extract: (target: ArchiveFolder) => Promise<void>,
): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new Error(`Folder ${folder} is not empty`);
  try {
    const target = new ArchiveFolder(folder, archiveBytes, options);
    await extract(target);
    return target.images();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw storageError(error);
  }
}

/** The target folder of one archive, with the counts so far. */
export class ArchiveFolder {
  /** Of the files. */
  readonly budget: ArchiveBudget;
  /** Of everything that the archive is decompressed to. */
  readonly raw: ArchiveBudget;
  private readonly paths = new Set<string>();
  private readonly folders = new Set<string>();

  constructor(
    private readonly folder: string,
    archiveBytes: number,
    private readonly options: ExtractOptions,
  ) {
    const budget = (): ArchiveBudget =>
      new ArchiveBudget(options.name, archiveBytes, options.limits ?? imageArchiveLimits);
    [this.budget, this.raw] = [budget(), budget()];
  }

  /** @throws MediaError if there are no images */
  images(): string[] {
    const images = [...this.paths];
    if (splitContextImages(images).frames.length === 0) throw new MediaError('Exception: No image found');
    return images;
  }

  /**
   * Counts an entry.
   * @param name as in the archive
   * @returns the path of an image; undefined for entries to be skipped
   * @throws MediaError for an unsafe name, and for too many entries
   */
  accept(name: string): string | undefined {
    this.budget.countEntry();
    // Some tools write an entry for the folder itself first.
    if (name === './' || name === '.') return undefined;
    const path = safeMediaPath(name);
    const wanted = !/[\\/]$/.test(name) && !isSystemFile(path) && mediaKind(path) === 'image';
    return wanted ? path : undefined;
  }

  /**
   * Writes a file.
   * @param path as returned by {@link accept}
   * @param broken creates the error for corrupt content
   */
  async write(path: string, content: readonly [Readable, ...NodeJS.ReadWriteStream[]], broken: string): Promise<void> {
    if (this.paths.has(path) || this.folders.has(path)) throw this.twice(path);
    this.paths.add(path);
    const target = join(this.folder, path);
    await this.makeFolders(dirname(path), path);
    try {
      await pipeline([...content, createWriteStream(target, { flags: 'wx' })]);
    } catch (cause) {
      // The file system treats two different names as the same, such as A.png and a.png.
      if (errorCode(cause) === 'EEXIST') throw this.twice(path);
      if (cause instanceof MediaError || isFileSystemError(cause)) throw cause;
      throw new MediaError(`${broken}: Bad data for file ${quoted(path)}`, { cause });
    }
  }

  private async makeFolders(folder: string, path: string): Promise<void> {
    if (folder === '.' || this.folders.has(folder)) return;
    for (let parent = folder; parent !== '.'; parent = dirname(parent)) {
      if (this.paths.has(parent)) {
        throw new MediaError(`The folder of ${quoted(path)} is a file in the archive`);
      }
      this.folders.add(parent);
    }
    await mkdir(join(this.folder, folder), { recursive: true });
  }

  private twice(path: string): MediaError {
    return new MediaError(`The archive ${quoted(this.options.name)} contains the file ${quoted(path)} twice`);
  }
}

export const archivedLink = (name: string, kind: 'symbolic' | 'hard'): MediaError =>
  new MediaError(`File ${quoted(name)} in the archive is a ${kind} link`);

function isFileSystemError(error: unknown): boolean {
  return isNativeError(error) && 'syscall' in error;
}
