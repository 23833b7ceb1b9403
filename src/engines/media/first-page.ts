import { partsOf, type ReadPart } from './jpeg/header.js';

/** Field positions in a directory; BigTIFF has longer fields. */
export interface Layout {
  readonly little: boolean;
  readonly countBytes: 2 | 8;
  readonly entryBytes: 12 | 20;
  readonly offsetBytes: 4 | 8;
}

/** Position of the offset of the first directory. */
export const firstOffsetAt = ({ offsetBytes }: Layout): number => offsetBytes;

/**
 * @param head the first 16 bytes of the file
 * @returns undefined if it is not a TIFF
 */
export function layoutOf(head: Buffer): Layout | undefined {
  const order = head.toString('latin1', 0, 2);
  if (head.length < 8 || (order !== 'II' && order !== 'MM')) return undefined;
  const little = order === 'II';
  const version = little ? head.readUInt16LE(2) : head.readUInt16BE(2);
  if (version === 42) return { little, countBytes: 2, entryBytes: 12, offsetBytes: 4 };
  return version === 43 && head.length === 16 ? { little, countBytes: 8, entryBytes: 20, offsetBytes: 8 } : undefined;
}

export function number(from: Buffer, at: number, bytes: 2 | 4 | 8, { little }: Layout): number {
  if (bytes === 8) return Number(little ? from.readBigUInt64LE(at) : from.readBigUInt64BE(at));
  return little ? from.readUIntLE(at, bytes) : from.readUIntBE(at, bytes);
}

/** Encodes an offset as in the file. */
export function offset(value: number, { little, offsetBytes }: Layout): Buffer {
  const bytes = Buffer.alloc(offsetBytes);
  if (offsetBytes === 8) {
    if (little) bytes.writeBigUInt64LE(BigInt(value));
    else bytes.writeBigUInt64BE(BigInt(value));
  } else if (little) bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value);
  return bytes;
}

// Decoders scan all pages of a TIFF and all frames of an animated WebP before they read the first, which takes seconds
// for tens of thousands of pages. (GIFs are read only as far as necessary.)

/** Whether an image has further pages or frames, which its decoder would scan. */
export const hasMorePages = (read: ReadPart): boolean => nextDirectoryAt(read) !== undefined || isAnimatedWebp(read);

/** Returns an image of the first page or frame alone: a copy, or the file itself if it has only one. */
export function firstPage(file: Buffer): Buffer {
  const read = partsOf(file);
  const nextAt = nextDirectoryAt(read);
  if (nextAt !== undefined) {
    const copy = Buffer.from(file);
    copy.fill(0, nextAt.from, nextAt.to);
    return copy;
  }
  return isAnimatedWebp(read) ? firstFrame(file) : file;
}

/** Position of the offset of a TIFF's second directory, if it has one. */
function nextDirectoryAt(read: ReadPart): { readonly from: number; readonly to: number } | undefined {
  const head = read(0, 16);
  const layout = layoutOf(head);
  if (layout === undefined) return undefined;
  const { countBytes, entryBytes, offsetBytes } = layout;
  const at = number(head, firstOffsetAt(layout), offsetBytes, layout);
  const count = read(at, countBytes);
  if (count.length < countBytes) return undefined;
  const from = at + countBytes + number(count, 0, countBytes, layout) * entryBytes;
  const next = read(from, offsetBytes);
  if (next.length < offsetBytes || next.equals(offset(0, layout))) return undefined;
  return { from, to: from + offsetBytes };
}

/** Length of the header of a WebP container: the file type, and the name and length of its first chunk. */
const WEBP_HEAD = 12;
const CHUNK_HEAD = 8;
const ANIMATION = 0x02;
const FRAME = Buffer.from('ANMF').readUInt32LE();

function isAnimatedWebp(read: ReadPart): boolean {
  const head = read(0, WEBP_HEAD + CHUNK_HEAD + 1);
  const [riff, webp, chunk] = [
    head.toString('latin1', 0, 4),
    head.toString('latin1', 8, 12),
    head.toString('latin1', 12, 16),
  ];
  return riff === 'RIFF' && webp === 'WEBP' && chunk === 'VP8X' && ((head[20] ?? 0) & ANIMATION) !== 0;
}

/** Removes all frames of a WebP except the first, and keeps everything else (WebP container specification). */
function firstFrame(file: Buffer): Buffer {
  // A file can consist of empty chunks, so there is no list of them.
  const image = Buffer.from(file);
  let [frames, kept] = [0, WEBP_HEAD];
  for (let at = WEBP_HEAD; at + CHUNK_HEAD <= file.length;) {
    const length = file.readUInt32LE(at + 4);
    const end = at + CHUNK_HEAD + length + (length % 2);
    const isFrame = file.readUInt32LE(at) === FRAME;
    if (!isFrame || frames === 0) kept += file.copy(image, kept, at, end);
    if (isFrame) frames += 1;
    at = end;
  }
  image.writeUInt32LE(kept - 8, 4);
  return image.subarray(0, kept);
}
