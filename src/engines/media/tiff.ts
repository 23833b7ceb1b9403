import { constants } from 'node:fs';
import { copyFile, type FileHandle, open, writeFile } from 'node:fs/promises';
import { firstOffsetAt, type Layout, layoutOf, number, offset } from './first-page.js';
import { inFormat } from './image-encode.js';
import { type ImageLimits, naming, readOptions } from './image-source.js';
import { sharp } from './libvips.js';
import { brokenImage, errorCode, MediaError, quoted } from './media-error.js';
import type { DocumentPage, JobProgress } from './pdf.js';

/** Tags of a directory, by TIFF 6.0: what its picture is for. */
const NEW_SUBFILE_TYPE = 254;
const REDUCED = 1;
const MASK = 4;
const SUBFILE_TYPE = 255;
const OLD_REDUCED = 2;

/** What libtiff counts to. */
const MOST_DIRECTORIES = 65_535;
const MOST_ENTRIES = 65_535;

/** Directories with no more are read at once. */
const USUAL_ENTRIES = 32;

/** A page, a smaller copy of one, or a mask. */
interface Directory {
  readonly at: number;
  readonly isPicture: boolean;
  /** Where the next one is; 0: there is none. */
  readonly next: number;
  /** Where that is said. */
  readonly nextAt: number;
}

/**
 * The pages of a TIFF that are pictures of their own: smaller copies of another page and masks are not. The numbers are
 * those of libvips. No pixels are read.
 * @returns page 0 alone for what is no TIFF, or not there: whoever reads it will say so
 * @throws MediaError for directories that end early or go round in a circle
 */
export async function tiffPages(path: string, name: string): Promise<number[]> {
  const file = await open(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return [0];
  try {
    const { directories } = (await readDirectories(file, name)) ?? { directories: [] };
    const pages = directories.flatMap(({ isPicture }, page) => (isPicture ? [page] : []));
    return pages.length === 0 ? [0] : pages;
  } finally {
    await file.close();
  }
}

export interface TiffPageOptions {
  readonly limits: ImageLimits;
  /** A place for a copy of the file. The caller removes it. */
  readonly scratch: string;
  /** Of the files of all pages together. */
  readonly maxBytes: number;
}

/**
 * Writes pages as TIFF files of their own, upright, without loss.
 *
 * The decoder goes through all directories of a file before it reads a page, so pages are read from a copy in which the
 * page is the only one: its directory is made the first, with none after it. The time per page does not depend on how many
 * there are.
 * @returns how many bytes the files have
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
  await writeFile(target, data); // of a full disk libvips would say that the image is broken
  return data.length;
}

/** Makes a directory the only one of the file. */
async function showOnly(
  file: FileHandle,
  layout: Layout,
  directory: Directory | undefined,
  name: string,
): Promise<void> {
  if (directory === undefined) throw brokenImage(name);
  await file.write(offset(directory.at, layout), 0, layout.offsetBytes, firstOffsetAt(layout));
  await file.write(offset(0, layout), 0, layout.offsetBytes, directory.nextAt);
}

/** @returns undefined for what is no TIFF */
async function readDirectories(
  file: FileHandle,
  name: string,
): Promise<{ readonly layout: Layout; readonly directories: Directory[] } | undefined> {
  const head = await read(file, 0, 16);
  const layout = layoutOf(head);
  if (layout === undefined) return undefined;
  const seen = new Set<number>();
  const directories: Directory[] = [];
  let at = number(head, firstOffsetAt(layout), layout.offsetBytes, layout);
  while (at !== 0) {
    if (!Number.isSafeInteger(at) || seen.has(at) || seen.size === MOST_DIRECTORIES) throw brokenImage(name);
    const directory = await readDirectory(file, at, layout);
    if (directory === undefined) throw brokenImage(name);
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
  if (entries === 0 || entries > MOST_ENTRIES) return undefined;
  const length = entries * entryBytes + offsetBytes;
  const body = entries <= USUAL_ENTRIES ? start.subarray(countBytes) : await read(file, at + countBytes, length);
  if (body.length < entries * entryBytes + offsetBytes) return undefined;
  let isPicture = true;
  for (let entry = 0; entry < entries; entry++) {
    const tag = number(body, entry * entryBytes, 2, layout);
    const value = entry * entryBytes + entryBytes - offsetBytes;
    if (tag === NEW_SUBFILE_TYPE && (number(body, value, 4, layout) & (REDUCED | MASK)) !== 0) isPicture = false;
    if (tag === SUBFILE_TYPE && number(body, value, 2, layout) === OLD_REDUCED) isPicture = false;
  }
  const next = number(body, entries * entryBytes, offsetBytes, layout);
  return { at, isPicture, next, nextAt: at + countBytes + entries * entryBytes };
}

/** As many bytes as there are, up to `length`. */
async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
