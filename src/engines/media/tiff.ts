import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, writeFile } from 'node:fs/promises';
import { firstOffsetAt, type Layout, layoutOf, number, offset } from './first-page.js';
import { inFormat } from './image-encode.js';
import { type ImageLimits, naming, readOptions } from './image-source.js';
import { sharp } from './libvips.js';
import { errorCode, MediaError, quoted, unreadableImage } from './media-error.js';
import type { DocumentPage, JobProgress } from './pdf.js';

/** Tags of a directory (TIFF 6.0) that state the purpose of its image. */
const NEW_SUBFILE_TYPE = 254;
const REDUCED = 1;
const MASK = 4;
const SUBFILE_TYPE = 255;
const OLD_REDUCED = 2;

/** The limit of libtiff. */
const MAX_DIRECTORIES = 65_535;
const MAX_ENTRIES = 65_535;

/** Directories with at most this many entries are read at once. */
const USUAL_ENTRIES = 32;

/** A page, a reduced copy of one, or a mask. */
interface Directory {
  readonly at: number;
  readonly isPage: boolean;
  /** Offset of the next directory; 0 if there is none. */
  readonly next: number;
  /** Position of that offset in the file. */
  readonly nextAt: number;
}

/**
 * Lists the pages of a TIFF that are images of their own, without reduced copies and masks. Page numbers are those of
 * libvips. Reads no pixels.
 * @returns only page 0 if the file is not a TIFF or missing: its reader reports the error
 * @throws MediaError for directories that are truncated or form a cycle
 */
export async function tiffPages(path: string, name: string): Promise<number[]> {
  const file = await open(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return [0];
  try {
    const { directories } = (await readDirectories(file, name)) ?? { directories: [] };
    const pages = directories.flatMap(({ isPage }, page) => (isPage ? [page] : []));
    return pages.length === 0 ? [0] : pages;
  } finally {
    await file.close();
  }
}

export interface TiffPageOptions {
  readonly limits: ImageLimits;
  /** Path for a copy of the file. The caller removes it. */
  readonly scratch: string;
  /** Maximum total size of the files of all pages. */
  readonly maxBytes: number;
}

/**
 * Writes pages as separate TIFF files, upright and lossless.
 *
 * The decoder scans all directories of a file before it reads a page. Each page is therefore read from a copy in which
 * its directory is the first and only one, so the time per page does not depend on the number of pages.
 * @returns the total size of the files in bytes
 * @throws MediaError that names the file; the signal's reason
 */
export async function writeTiffPages(
  path: string,
  name: string,
  pages: readonly DocumentPage[],
  { limits, scratch, maxBytes }: TiffPageOptions,
  { signal, onProgress }: JobProgress = {},
): Promise<number> {
  await copyFile(path, scratch, constants.COPYFILE_FICLONE);
  const copy = await open(scratch, 'r+');
  try {
    const file = await readDirectories(copy, name);
    let bytes = 0;
    for (const [done, { page, target }] of pages.entries()) {
      signal?.throwIfAborted();
      if (file !== undefined) await showOnly(copy, file.layout, file.directories[page], name);
      bytes += await naming(name, () => writePage(scratch, target, limits));
      if (bytes > maxBytes)
        throw new MediaError(`ValueError: The pages of ${quoted(name)} take more than ${maxBytes} bytes`);
      onProgress?.((done + 1) / pages.length);
    }
    return bytes;
  } finally {
    await copy.close();
  }
}

async function writePage(file: string, target: string, limits: ImageLimits): Promise<number> {
  const options = readOptions(limits);
  const { depth, space } = await sharp(file, options).metadata();
  const image = sharp(file, { ...options, autoOrient: true }).keepIccProfile();
  const data = await inFormat(image, { format: 'tiff', depth, space }).toBuffer();
  await writeFile(target, data); // libvips would report a full disk as a broken image
  return data.length;
}

/** Makes a directory the only one of the file. */
async function showOnly(
  file: FileHandle,
  layout: Layout,
  directory: Directory | undefined,
  name: string,
): Promise<void> {
  if (directory === undefined) throw unreadableImage(name);
  await file.write(offset(directory.at, layout), 0, layout.offsetBytes, firstOffsetAt(layout));
  await file.write(offset(0, layout), 0, layout.offsetBytes, directory.nextAt);
}

/** @returns undefined if it is not a TIFF */
async function readDirectories(
  file: FileHandle,
  name: string,
): Promise<{ readonly layout: Layout; readonly directories: Directory[] } | undefined> {
  const head = await read(file, 0, 16);
  const layout = layoutOf(head);
  if (layout === undefined) return undefined;
  // Directories can overlap each other, so that a small file has billions of entries.
  let { size: left } = await file.stat();
  const seen = new Set<number>();
  const directories: Directory[] = [];
  let at = number(head, firstOffsetAt(layout), layout.offsetBytes, layout);
  while (at !== 0) {
    if (!Number.isSafeInteger(at) || seen.has(at) || seen.size === MAX_DIRECTORIES) throw unreadableImage(name);
    const directory = await readDirectory(file, at, layout);
    if (directory === undefined || (left -= directory.nextAt - at) < 0) throw unreadableImage(name);
    directories.push(directory);
    seen.add(at);
    at = directory.next;
  }
  return { layout, directories };
}

async function readDirectory(file: FileHandle, at: number, layout: Layout): Promise<Directory | undefined> {
  const { countBytes, entryBytes, offsetBytes } = layout;
  const start = await read(file, at, countBytes + USUAL_ENTRIES * entryBytes + offsetBytes);
  const entries = start.length < countBytes ? 0 : number(start, 0, countBytes, layout);
  if (entries === 0 || entries > MAX_ENTRIES) return undefined;
  const length = entries * entryBytes + offsetBytes;
  const body = entries <= USUAL_ENTRIES ? start.subarray(countBytes) : await read(file, at + countBytes, length);
  if (body.length < entries * entryBytes + offsetBytes) return undefined;
  let isPage = true;
  for (let entry = 0; entry < entries; entry++) {
    const tag = number(body, entry * entryBytes, 2, layout);
    const value = entry * entryBytes + entryBytes - offsetBytes;
    if (tag === NEW_SUBFILE_TYPE && (number(body, value, 4, layout) & (REDUCED | MASK)) !== 0) isPage = false;
    if (tag === SUBFILE_TYPE && number(body, value, 2, layout) === OLD_REDUCED) isPage = false;
  }
  const next = number(body, entries * entryBytes, offsetBytes, layout);
  return { at, isPage, next, nextAt: at + countBytes + entries * entryBytes };
}

/** Reads up to `length` bytes. */
async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
