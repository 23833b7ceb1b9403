import { partsOf, type ReadPart } from './jpeg/segments.js';
import { firstOffsetAt, layoutOf, number, offset } from './tiff-layout.js';

// Decoders go through all pages of a TIFF and all frames of an animated WebP before they read the first, which takes
// seconds for tens of thousands of them. (GIFs are read as far as they are needed.)

/** Whether an image has more pages or frames than the first, which its decoder would go through. */
export const hasMorePages = (read: ReadPart): boolean => nextDirectoryAt(read) !== undefined || isAnimatedWebp(read);

/** An image of the first page or frame alone: a copy, unless it has no other. */
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

/** Where a TIFF says where its second directory is, if it has one. */
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

/** Of the header of a WebP container: what the file is, the name and the length of its first chunk. */
const WEBP_HEAD = 12;
const CHUNK_HEAD = 8;
const ANIMATION = 0x02;

function isAnimatedWebp(read: ReadPart): boolean {
  const head = read(0, WEBP_HEAD + CHUNK_HEAD + 1);
  const [riff, webp, chunk] = [
    head.toString('latin1', 0, 4),
    head.toString('latin1', 8, 12),
    head.toString('latin1', 12, 16),
  ];
  return riff === 'RIFF' && webp === 'WEBP' && chunk === 'VP8X' && ((head[20] ?? 0) & ANIMATION) !== 0;
}

/** Drops all frames of a WebP but the first, and keeps everything else (WebP container specification). */
function firstFrame(file: Buffer): Buffer {
  const kept = [file.subarray(0, WEBP_HEAD)];
  let frames = 0;
  for (let at = WEBP_HEAD; at + CHUNK_HEAD <= file.length;) {
    const length = file.readUInt32LE(at + 4);
    const end = at + CHUNK_HEAD + length + (length % 2);
    const isFrame = file.toString('latin1', at, at + 4) === 'ANMF';
    if (!isFrame || frames === 0) kept.push(file.subarray(at, end));
    if (isFrame) frames += 1;
    at = end;
  }
  const image = Buffer.concat(kept);
  image.writeUInt32LE(image.length - 8, 4);
  return image;
}
