import { type FileHandle, open, writeFile } from 'node:fs/promises';
import type { FrameSize } from './image-job.js';
import { inFormat } from './image-encode.js';
import { type ImageLimits, naming, readOptions } from './image-source.js';
import { sharp } from './libvips.js';
import { brokenImage, errorCode } from './media-error.js';
import type { DocumentPage } from './pdf.js';

/** Tags of a directory, by TIFF 6.0: what its picture is for. */
const NEW_SUBFILE_TYPE = 254;
const REDUCED = 1;
const MASK = 4;
const SUBFILE_TYPE = 255;
const OLD_REDUCED = 2;

/** What libtiff counts to. */
const MOST_DIRECTORIES = 65_535;
const MOST_ENTRIES = 65_535;

/** Where the fields of a directory stand; BigTIFF has longer ones. */
interface Layout {
  readonly little: boolean;
  readonly countBytes: 2 | 8;
  readonly entryBytes: 12 | 20;
  readonly offsetBytes: 4 | 8;
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
    return await readPages(file, name);
  } finally {
    await file.close();
  }
}

/** Writes pages as TIFF files of their own, upright, without loss. @throws MediaError that names the file */
export async function writeTiffPages(
  file: string,
  name: string,
  pages: readonly DocumentPage[],
  limits: ImageLimits,
): Promise<FrameSize[]> {
  const sizes: FrameSize[] = [];
  for (const { page, target } of pages) sizes.push(await naming(name, () => writePage(file, page, target, limits)));
  return sizes;
}

async function writePage(file: string, page: number, target: string, limits: ImageLimits): Promise<FrameSize> {
  const options = { ...readOptions(limits), page };
  const { depth, space } = await sharp(file, options).metadata();
  const image = sharp(file, { ...options, autoOrient: true }).keepIccProfile();
  const { data, info } = await inFormat(image, { format: 'tiff', depth, space }).toBuffer({
    resolveWithObject: true,
  });
  await writeFile(target, data); // of a full disk libvips would say that the image is broken
  const { width, height } = info;
  return { width, height };
}

async function readPages(file: FileHandle, name: string): Promise<number[]> {
  const head = await read(file, 0, 16);
  const layout = layoutOf(head);
  if (layout === undefined) return [0];
  const seen = new Set<number>();
  const pages: number[] = [];
  let at = layout.offsetBytes === 4 ? number(head, 4, 4, layout) : number(head, 8, 8, layout);
  while (at !== 0) {
    if (seen.has(at) || seen.size === MOST_DIRECTORIES) throw brokenImage(name);
    const directory = await readDirectory(file, at, layout);
    if (directory === undefined) throw brokenImage(name);
    if (directory.isPicture) pages.push(seen.size);
    seen.add(at);
    at = directory.next;
  }
  return pages.length === 0 ? [0] : pages;
}

function layoutOf(head: Buffer): Layout | undefined {
  const order = head.toString('latin1', 0, 2);
  if (head.length < 8 || (order !== 'II' && order !== 'MM')) return undefined;
  const little = order === 'II';
  const version = little ? head.readUInt16LE(2) : head.readUInt16BE(2);
  if (version === 42) return { little, countBytes: 2, entryBytes: 12, offsetBytes: 4 };
  return version === 43 && head.length === 16 ? { little, countBytes: 8, entryBytes: 20, offsetBytes: 8 } : undefined;
}

async function readDirectory(
  file: FileHandle,
  at: number,
  layout: Layout,
): Promise<{ readonly isPicture: boolean; readonly next: number } | undefined> {
  const { countBytes, entryBytes, offsetBytes } = layout;
  const start = await read(file, at, countBytes);
  const entries = start.length < countBytes ? 0 : number(start, 0, countBytes, layout);
  if (entries === 0 || entries > MOST_ENTRIES) return undefined;
  const body = await read(file, at + countBytes, entries * entryBytes + offsetBytes);
  if (body.length < entries * entryBytes + offsetBytes) return undefined;
  let isPicture = true;
  for (let entry = 0; entry < entries; entry++) {
    const tag = number(body, entry * entryBytes, 2, layout);
    const value = entry * entryBytes + entryBytes - offsetBytes;
    if (tag === NEW_SUBFILE_TYPE && (number(body, value, 4, layout) & (REDUCED | MASK)) !== 0) isPicture = false;
    if (tag === SUBFILE_TYPE && number(body, value, 2, layout) === OLD_REDUCED) isPicture = false;
  }
  return { isPicture, next: number(body, entries * entryBytes, offsetBytes, layout) };
}

/** As many bytes as there are, up to `length`. */
async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function number(from: Buffer, at: number, bytes: 2 | 4 | 8, { little }: Layout): number {
  if (bytes === 8) return Number(little ? from.readBigUInt64LE(at) : from.readBigUInt64BE(at));
  return little ? from.readUIntLE(at, bytes) : from.readUIntBE(at, bytes);
}
