import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract, type Extract, type Header } from 'tar-stream';
import { type ArchiveFolder, archivedLink, extractInto, type ExtractOptions } from './archive-folder.js';
import { unbzip2 } from './bzip2.js';
import { errorCode, MediaError, quoted } from './media-error.js';
import { ProgramFailure, runProgram } from './program.js';

/** Converts every format it can read to tar; part of libarchive. */
const CONVERTER = 'bsdtar';
const LONGEST_SIGNATURE = 265;

type Kind = 'tar' | 'gzip' | 'bzip2' | 'converted';

/** Detects the type of an archive by its first bytes, regardless of its name. */
const SIGNATURES: readonly (readonly [kind: Kind, offset: number, bytes: string])[] = [
  ['tar', 257, 'ustar'],
  ['gzip', 0, '\x1f\x8b'],
  ['converted', 0, '7z\xbc\xaf\x27\x1c'],
  ['converted', 0, 'Rar!\x1a\x07'],
  ['bzip2', 0, 'BZh'],
  ['converted', 0, '\xfd7zXZ\0'],
  ['converted', 0, '\x28\xb5\x2f\xfd'],
  ['converted', 0, '070701'],
  ['converted', 0, '070702'],
  ['converted', 0, '070707'],
];

/**
 * Extracts the images of a tar archive, plain or compressed, or of a 7z, rar or cpio archive, as a stream. The rules
 * are those of zip archives. A libarchive program converts 7z, rar, cpio, xz and Zstandard to tar.
 * @param folder is created; must be absent or empty, and is emptied after an error
 * @returns paths of the extracted files relative to the folder, in archive order
 * @throws MediaError that names the archive or the entry; MediaStorageFull
 */
export async function extractArchive(archive: string, folder: string, options: ExtractOptions): Promise<string[]> {
  const kind = await kindOf(archive);
  if (kind === undefined) throw brokenArchive(options.name);
  return extractKind(archive, kind, folder, options);
}

/** Does the same for an archive of any type that the libarchive program reads. */
export function extractConverted(archive: string, folder: string, options: ExtractOptions): Promise<string[]> {
  return extractKind(archive, 'converted', folder, options);
}

async function extractKind(archive: string, kind: Kind, folder: string, options: ExtractOptions): Promise<string[]> {
  const { size } = await stat(archive);
  return extractInto(folder, size, options, async (target) => {
    try {
      await takeAll(opened(archive, { kind, size }, options), target, options);
    } catch (error) {
      throw archiveError(error, options);
    }
  });
}

/** An error of the reader means that the archive is corrupt; a system error does not. */
function archiveError(error: unknown, { name, signal }: ExtractOptions): unknown {
  if (signal?.aborted === true) return signal.reason;
  const code = errorCode(error);
  if (error instanceof MediaError) return error;
  const ofReader = typeof code !== 'string' || /^(Z_|ERR_)/.test(code);
  if (error instanceof ProgramFailure || ofReader) {
    return brokenArchive(name, error);
  }
  return error;
}

async function kindOf(archive: string): Promise<Kind | undefined> {
  const file = await open(archive);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_SIGNATURE), 0, LONGEST_SIGNATURE, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    return SIGNATURES.find(([, offset, bytes]) => head.startsWith(bytes, offset))?.[0];
  } finally {
    await file.close();
  }
}

/** The bytes of the tar archive inside. */
function opened(
  archive: string,
  { kind, size }: { readonly kind: Kind; readonly size: number },
  options: ExtractOptions,
): AsyncIterable<Buffer> {
  if (kind === 'converted') return converted(archive, options);
  const file = counted(archive, size, options);
  if (kind === 'tar') return file;
  if (kind === 'bzip2') return unbzip2(file);
  const tar = new PassThrough();
  // An error destroys the last stream, and its reader throws it.
  pipeline(Readable.from(file), createGunzip(), tar).catch(() => undefined);
  return tar as AsyncIterable<Buffer>;
}

async function* counted(archive: string, size: number, { onProgress }: ExtractOptions): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const piece of createReadStream(archive) as AsyncIterable<Buffer>) {
    yield piece;
    read += piece.length;
    onProgress?.(read / size);
  }
}

function converted(archive: string, { name, signal }: ExtractOptions): AsyncGenerator<Buffer> {
  const args = ['-c', '-f', '-', '--format', 'pax', `@${archive}`];
  return runProgram(CONVERTER, args, { name, signal });
}

/** The types of the library lack this option. */
const NAMES_AS_BYTES = { filenameEncoding: 'latin1' } as Parameters<typeof extract>[0];

/** Extracts the entries of a tar stream one by one. */
async function takeAll(
  tar: AsyncIterable<Buffer>,
  target: ArchiveFolder,
  { signal, name }: ExtractOptions,
): Promise<void> {
  const entries = extract(NAMES_AS_BYTES);
  const closed = new Promise<void>((resolve) => entries.on('close', resolve));
  const feeding = feed(budgeted(tar, target), entries, closed).catch((error: Error) => entries.destroy(error));
  try {
    for await (const entry of entries) {
      signal?.throwIfAborted();
      await take(target, entry, name);
    }
  } finally {
    entries.destroy();
    await feeding;
  }
}

/** Counts what is not part of any file, too: compressed zeros after the last one would never end. */
async function* budgeted(tar: AsyncIterable<Buffer>, { raw }: ArchiveFolder): AsyncGenerator<Buffer> {
  for await (const piece of tar) {
    raw.countBytes(piece.length);
    yield piece;
  }
}

/** Fields of a header in the pax format, those for all files included. */
const MAX_FIELDS = 1_000;

async function feed(tar: AsyncIterable<Buffer>, entries: Extract, closed: Promise<void>): Promise<void> {
  for await (const piece of tar) {
    if (entries.destroyed) return;
    if (!entries.write(piece)) await Promise.race([new Promise<void>((go) => entries.once('drain', go)), closed]);
  }
  entries.end(undefined);
}

async function take(target: ArchiveFolder, entry: TarEntry, name: string): Promise<void> {
  const { header } = entry;
  const entryName = nameOf(header);
  const path = target.accept(entryName);
  // Each file gets a copy of the fields for all.
  if (Object.keys(header.pax ?? {}).length > MAX_FIELDS) throw brokenArchive(name);
  if (header.type === 'symlink') throw archivedLink(entryName, 'symbolic');
  if (header.type === 'link') throw archivedLink(entryName, 'hard');
  // Skipped entries count as well, since they must be read.
  target.budget.countBytes(header.size);
  if (path === undefined || (header.type !== 'file' && header.type !== 'contiguous-file')) entry.resume();
  else await target.write(path, [Readable.from(entry)], `tarfile.ReadError: ${quoted(name)}`);
}

/**
 * Only pax headers are always UTF-8. Other names are bytes in the encoding of the system that wrote the archive, which is
 * UTF-8 or, on older systems, usually Latin-1.
 */
function nameOf({ name, pax }: Header): string {
  if ((pax as Partial<Record<string, string>> | null | undefined)?.['path'] !== undefined) return name;
  const bytes = Buffer.from(name, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : name;
}

type TarEntry = AsyncIterable<unknown> & { readonly header: Header; resume(): unknown };

const brokenArchive = (name: string, cause?: unknown): MediaError =>
  new MediaError(`patoolib.util.PatoolError: ${quoted(name)} is not an archive, or a broken one`, { cause });
