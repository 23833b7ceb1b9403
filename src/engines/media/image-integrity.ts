import { readFile } from 'node:fs/promises';
import { encodePreview } from './image-encode.js';
import { type ImageInfo, type ImageStart, readHeader, readStart } from './image-probe.js';
import { hasEndMarker, withEndMarker } from './jpeg/end-marker.js';
import { type ReadPart, windowed } from './jpeg/header.js';
import { defaultImageLimits, naming, readOptions, strictIf, withParts, type ImageLimits } from './image-source.js';
import { sharp } from './libvips.js';

const tailBytes = 4096;
const headBytes = 16;

/**
 * Reads the header of an image, and rejects images without some of their pixels. For formats with an end marker, checks the
 * marker, which takes two small reads. Decodes other formats, and files with unexpected data at the end.
 * @param name the client's name for the file, for errors
 * @throws MediaError that names the file
 */
export function probeWholeImage(
  path: string,
  name: string,
  limits: ImageLimits = defaultImageLimits,
): Promise<ImageInfo> {
  return naming(name, async () => {
    const ends = readEnds(path);
    const info = await readHeader(ends, path, name, limits);
    if (!hasItsEnd(info.format, ends)) await requirePixels(await readFile(path), name, limits);
    return info;
  });
}

/** Decodes an image. A preview does not need the last lines of a JPEG, so those of one without its end are read. */
async function requirePixels(file: Buffer, name: string, limits: ImageLimits): Promise<void> {
  const complete = withEndMarker(file);
  if (complete === file) await encodePreview(file, name, limits);
  else await sharp(complete, { ...readOptions(limits), ...strictIf(true) }).stats();
}

interface Ends extends ImageStart {
  tail: Buffer;
  size: number;
  /** For PNG only. */
  hasAllChunks: boolean;
}

const readEnds = (path: string): Ends =>
  withParts(path, ({ size, read }) => ({
    ...readStart(read),
    tail: read(Math.max(0, size - tailBytes), tailBytes),
    size,
    hasAllChunks: hasAllChunks(read, size),
  }));

/** Cameras pad their files, so other bytes may follow an end marker. */
function hasItsEnd(format: string, { head, tail, size, hasAllChunks: isComplete }: Ends): boolean {
  switch (format) {
    case 'jpeg':
      return hasEndMarker(tail);
    case 'png':
      return isComplete;
    case 'webp':
      return head.length >= 8 && head.readUInt32LE(4) + 8 <= size;
    case 'bmp':
      return head.length >= 6 && head.readUInt32LE(2) > headBytes && head.readUInt32LE(2) <= size;
    default:
      return false;
  }
}

const pngSignature = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/**
 * Checks that the chunks of a PNG are contiguous up to its end. A PNG with a missing part in the middle also has an end
 * marker. Each chunk starts with its length (PNG specification, 5.3), so only the starts are read.
 */
function hasAllChunks(read: ReadPart, size: number): boolean {
  if (!read(0, pngSignature.length).equals(pngSignature)) return false;
  // A file can consist of empty chunks.
  const bytes = windowed(read);
  let at = pngSignature.length;
  while (at + 8 <= size) {
    const start = bytes(at, 8);
    const type = start.toString('latin1', 4);
    if (type === 'IEND') return true;
    if (!/^[A-Za-z]{4}$/.test(type)) return false;
    at += 12 + start.readUInt32BE(0);
  }
  return false;
}
