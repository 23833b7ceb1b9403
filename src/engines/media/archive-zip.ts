import { Transform } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { type ArchiveFolder, archivedLink, extractInto, type ExtractOptions } from './archive-folder.js';
import { extractConverted } from './archive-tar.js';
import { MediaError, quoted, storageError } from './media-error.js';
import { ProgramFailure } from './program.js';
import { entryName, openZip } from './zip-reader.js';

/** Compression methods (APPNOTE.TXT, 4.4.5) that yauzl reads: none, and Deflate. */
const READ_METHODS: ReadonlySet<number> = new Set([0, 8]);

/**
 * Extracts the images of a zip archive, including context images, one file at a time. Skips other files and those that
 * operating systems add. A single unsafe, encrypted, duplicate or broken entry rejects the whole archive. An archive
 * with unusual compression (bzip2, LZMA, …) is read like a 7z archive.
 * @param folder is created; must be absent or empty, and is emptied after an error
 * @returns paths of the extracted files relative to the folder, in archive order
 * @throws MediaError that names the archive or the entry; MediaStorageFull
 */
export async function extractZip(archive: string, folder: string, options: ExtractOptions): Promise<string[]> {
  const zip = await openZip(archive).catch((error: unknown) => {
    throw storageError(error);
  });
  if (zip === undefined) throw brokenZip(options.name);
  try {
    return await extractInto(folder, zip.fileSize, options, (target) => extractEntries(zip, target, options));
  } catch (error) {
    if (!(error instanceof UnusualMethod)) throw error;
    return await extractConverted(archive, folder, options).catch((failure: unknown) => {
      throw failure instanceof MediaError && failure.cause instanceof ProgramFailure ? error.unreadable() : failure;
    });
  } finally {
    zip.close();
  }
}

/** Thrown when an entry requires another reader. */
class UnusualMethod extends Error {
  constructor(
    private readonly file: string,
    private readonly method: number,
  ) {
    super(`${quoted(file)} is compressed by method ${method}`);
  }

  unreadable(): MediaError {
    const { file, method } = this;
    const what = `File ${quoted(file)} is compressed in an unusual way (method ${method}), or broken: use Deflate`;
    return new MediaError(`NotImplementedError: ${what}`, { cause: this });
  }
}

async function extractEntries(zip: ZipFile, target: ArchiveFolder, options: ExtractOptions): Promise<void> {
  const { name, signal, onProgress } = options;
  const total = zip.entryCount;
  target.budget.expectEntries(total);
  let done = 0;
  for await (const entry of entriesOf(zip, name)) {
    signal?.throwIfAborted();
    await take(zip, target, entry);
    onProgress?.(++done / total);
  }
}

/** yauzl reports a corrupt directory through the iterator. */
async function* entriesOf(zip: ZipFile, name: string): AsyncGenerator<Entry> {
  const iterator = zip.eachEntry();
  for (;;) {
    const next = await iterator.next().catch((error: unknown) => {
      throw brokenZip(name, error);
    });
    if (next.done) return;
    yield next.value;
  }
}

async function take(zip: ZipFile, target: ArchiveFolder, entry: Entry): Promise<void> {
  const name = entryName(entry);
  const path = target.accept(name);
  if (isSymbolicLink(entry)) throw archivedLink(name, 'symbolic');
  if (path === undefined) return;
  if (entry.isEncrypted()) {
    throw new MediaError(`RuntimeError: File ${quoted(name)} is encrypted, password required for extraction`);
  }
  if (!READ_METHODS.has(entry.compressionMethod)) throw new UnusualMethod(path, entry.compressionMethod);
  // This is the declared size. While reading, yauzl rejects an entry that turns out to be larger.
  target.budget.countBytes(entry.uncompressedSize);
  const bad = 'zipfile.BadZipFile';
  const content = await zip.openReadStreamPromise(entry).catch((cause: unknown) => {
    throw new MediaError(`${bad}: Bad data for file ${quoted(path)}`, { cause });
  });
  await target.write(path, [content, new ChecksumCheck(entry.crc32)], bad);
}

/** Passes data through, and fails at the end if the CRC-32 does not match. yauzl does not check it. */
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

/** The upper half of the attributes contains the Unix mode. */
function isSymbolicLink(entry: Entry): boolean {
  const fileType = (entry.externalFileAttributes >>> 16) & 0o170000;
  return fileType === 0o120000;
}

function brokenZip(name: string, cause?: unknown): MediaError {
  return new MediaError(`zipfile.BadZipFile: File is not a zip file: ${quoted(name)}`, { cause });
}
