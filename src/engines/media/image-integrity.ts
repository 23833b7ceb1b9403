import { readFile } from 'node:fs/promises';
import { encodePreview } from './image-encode.js';
import { type ImageInfo, type ImageStart, readHeader, readStart } from './image-probe.js';
import { defaultImageLimits, naming, withParts, type ImageLimits } from './image-source.js';

const tailBytes = 4096;
const headBytes = 16;

/**
 * Reads the header of an image, and refuses one whose pixels end early. Formats that say where they end are believed
 * when the end is there, which takes two small reads; the others, and files with something unusual at their end, are
 * decoded.
 * @param name how the client calls the file, for errors
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
    if (!hasItsEnd(info.format, ends)) await encodePreview(await readFile(path), name, limits);
    return info;
  });
}

interface Ends extends ImageStart {
  tail: Buffer;
  size: number;
}

const readEnds = (path: string): Ends =>
  withParts(path, ({ size, read }) => ({
    ...readStart(read),
    tail: read(Math.max(0, size - tailBytes), tailBytes),
    size,
  }));

/** Cameras pad their files, so an end mark may be followed by something. */
function hasItsEnd(format: string, { head, tail, size }: Ends): boolean {
  switch (format) {
    case 'jpeg':
      return tail.includes(Buffer.of(0xff, 0xd9));
    case 'png':
      return tail.includes('IEND');
    case 'webp':
      return head.length >= 8 && head.readUInt32LE(4) + 8 <= size;
    case 'bmp':
      return head.length >= 6 && head.readUInt32LE(2) > headBytes && head.readUInt32LE(2) <= size;
    default:
      return false;
  }
}
