import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile as ZipReader } from 'yauzl';
import { ZipFile } from 'yazl';
import { ArchiveBudget, datasetArchiveLimits, type DatasetLimits } from '../../media/archive-folder.js';
import { isSystemFile, safeMediaPath } from '../../media/file-name.js';
import { mediaKind } from '../../../shared/media-kind.js';
import { errorCode, MediaError } from '../../media/media-error.js';
import { entryName, openZip } from '../../media/zip-reader.js';
import { nameByContent } from './single-file.js';
import { FormatError, refuse, shown, type DatasetFiles, type FileContent, type FileSink } from './format.js';

/** Files of an import that the caller must close. */
export interface OpenDatasetFiles extends DatasetFiles {
  close(): void;
}

/**
 * Opens an uploaded file: a zip archive or a single annotation file. Files that operating systems add are skipped.
 * @param path location of the file
 * @param name the client's name for it
 * @throws FormatError if the archive is broken, unsafe or too large
 */
export async function openDatasetFiles(
  path: string,
  name: string,
  limits: DatasetLimits = datasetArchiveLimits,
): Promise<OpenDatasetFiles> {
  const zip = await openZip(path).catch((error: unknown) => {
    throw errorCode(error) === undefined ? brokenZip(name, error) : error;
  });
  if (zip === undefined) {
    const known = await nameByContent(path, name);
    if (known === undefined || (await beginsAsZip(path))) throw brokenZip(name);
    return singleFile(path, posix.basename(known.replaceAll('\\', '/')));
  }
  try {
    return archiveFiles(zip, await listEntries(zip, name, limits));
  } catch (error) {
    zip.close();
    if (error instanceof FormatError) throw error;
    if (error instanceof MediaError) throw new FormatError(error.message, { cause: error });
    return refuse('zipfile.BadZipFile', `Bad directory in ${shown(name)}`, error);
  }
}

const brokenZip = (name: string, cause?: unknown): FormatError =>
  new FormatError(`zipfile.BadZipFile: File is not a zip file: ${shown(name)}`, { cause });

/** Recognizes an archive that was cut off. */
async function beginsAsZip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1', 0, bytesRead) === 'PK\u0003\u0004';
  } finally {
    await file.close();
  }
}

const singleFile = (path: string, name: string): OpenDatasetFiles => ({
  paths: [name],
  read: () => createReadStream(path) as AsyncIterable<Buffer>,
  close: () => undefined,
});

/** Uses the declared sizes; while reading, yauzl rejects a file that turns out to be larger. */
async function listEntries(zip: ZipReader, name: string, limits: DatasetLimits): Promise<Map<string, Entry>> {
  const budget = new ArchiveBudget(name, zip.fileSize, limits);
  const texts = new ArchiveBudget(name, zip.fileSize, { ...limits, ...limits.texts }, 'texts of ');
  budget.expectEntries(zip.entryCount);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = entryName(entry);
    if (/[\\/]$/.test(name)) continue;
    const path = safeMediaPath(name);
    if (isSystemFile(path)) continue;
    if (entries.has(path)) throw new FormatError(`The archive contains the file ${shown(path)} twice.`);
    budget.countBytes(entry.uncompressedSize);
    if (mediaKind(path) !== 'image') texts.countBytes(entry.uncompressedSize);
    dropDescription(entry);
    entries.set(path, entry);
  }
  return entries;
}

/** The bytes of the directory, which are not needed to read the file: up to 128 KB. */
function dropDescription(entry: Entry): void {
  const none = Buffer.alloc(0);
  Object.assign(entry, {
    extraFields: [],
    extraFieldRaw: none,
    fileCommentRaw: none,
    fileComment: '',
    comment: '',
    fileNameRaw: none,
    fileName: '',
  });
}

function archiveFiles(zip: ZipReader, entries: ReadonlyMap<string, Entry>): OpenDatasetFiles {
  return {
    paths: [...entries.keys()],
    async *read(path) {
      const entry = entries.get(path);
      if (entry === undefined) throw new Error(`${path} is not in the archive`);
      yield* readEntry(zip, entry, path);
    },
    close: () => zip.close(),
  };
}

async function* readEntry(zip: ZipReader, entry: Entry, path: string): AsyncGenerator<Uint8Array> {
  if (entry.isEncrypted()) refuse(path, 'the file is encrypted');
  let checksum = 0;
  try {
    const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch (error) {
    refuse(path, 'the archive is damaged in this file', error);
  }
  if (checksum !== entry.crc32 >>> 0) refuse(path, 'the archive is damaged in this file');
}

/** Files that are already compressed; deflating them only takes time. */
const COMPRESSED = /\.(jpe?g|png|webp|gif|mp4|zip)$/i;

// yazl computes checksums in JavaScript, which takes most of the time of copying images. Node.js is ten times as fast.
const require = createRequire(import.meta.url);
(require('buffer-crc32') as { unsigned: typeof crc32 }).unsigned = crc32;

/** Writes files to a zip archive one after the other, with little memory. */
export class ZipSink implements FileSink {
  private readonly zip = new ZipFile();
  private readonly output = this.zip.outputStream as PassThrough;
  private readonly written: Promise<void>;
  private readonly paths = new Set<string>();

  /**
   * @param file is created or replaced
   * @param date timestamp of every file in the archive
   */
  constructor(
    private readonly file: string,
    private readonly date: Date,
  ) {
    this.written = pipeline(this.output, createWriteStream(file));
    this.written.catch(() => undefined); // the next caller that awaits it gets the error
  }

  /** @throws FormatError if the path exists already. @throws Error if the content throws, and if the disk is full */
  async addFile(path: string, content: FileContent): Promise<void> {
    if (this.paths.has(path)) {
      throw new FormatError(`The format has one file ${shown(path)} for several images of the dataset.`);
    }
    this.paths.add(path);
    const stream = readableOf(content);
    const options = { mtime: this.date, forceDosTimestamp: true, compress: !COMPRESSED.test(path) };
    const taken = new Promise<void>((resolve, reject) => {
      stream.once('end', resolve).once('error', reject);
    });
    this.zip.addReadStream(stream, path, options);
    // A broken archive stops reading its input, so the wait for it would never end.
    await Promise.race([taken, this.written.then(() => taken)]).catch((error: unknown) => {
      stream.destroy();
      throw error;
    });
  }

  /** Completes the archive. */
  async close(): Promise<void> {
    this.zip.end();
    await this.written;
  }

  /** Cancels and removes the archive. */
  async discard(): Promise<void> {
    this.output.destroy();
    await this.written.catch(() => undefined);
    await rm(this.file, { force: true });
  }
}

/**
 * yazl keeps the streams of all files until the end. `Readable.from` would keep their content with them, which includes
 * everything that its generator refers to.
 */
function readableOf(content: FileContent): Readable {
  if (content instanceof Uint8Array) {
    const stream = new Readable({ read: () => undefined });
    stream.push(content);
    stream.push(null);
    return stream;
  }
  const stream = new PassThrough();
  void fill(stream, content);
  return stream;
}

/** Writes the content to the stream, which also gets its error, and stops when the stream is destroyed. */
async function fill(stream: PassThrough, content: AsyncIterable<string | Uint8Array>): Promise<void> {
  try {
    for await (const piece of content) {
      if (stream.destroyed) return;
      if (!stream.write(piece)) await drained(stream);
    }
    stream.end();
  } catch (error) {
    stream.destroy(error as Error);
  }
}

/** Resolves when the stream accepts more, or has been destroyed. */
const drained = (stream: PassThrough): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    if (stream.closed) resolve();
    else stream.on('drain', done).on('close', done);
  });
