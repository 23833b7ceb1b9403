import { readFile } from 'node:fs/promises';
import { encodePreview } from './image-encode.js';
import { type ImageInfo, type ImageStart, readHeader, readStart } from './image-probe.js';
import type { ReadPart } from './jpeg/header.js';
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
  /** Of a PNG. */
  hasAllChunks: boolean;
}

const readEnds = (path: string): Ends =>
  withParts(path, ({ size, read }) => ({
    ...readStart(read),
    tail: read(Math.max(0, size - tailBytes), tailBytes),
    size,
    hasAllChunks: hasAllChunks(read, size),
  }));

/** Cameras pad their files, so an end mark may be followed by something. */
function hasItsEnd(format: string, { head, tail, size, hasAllChunks: isComplete }: Ends): boolean {
  switch (format) {
    case 'jpeg':
      return tail.includes(Buffer.of(0xff, 0xd9));
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
 * Do the chunks of a PNG follow each other to its end? One that lacks a part in its middle has the mark of its end, too.
 * Each says how long it is (PNG specification, 5.3), so only their starts are read.
 */
function hasAllChunks(read: ReadPart, size: number): boolean {
  if (!read(0, pngSignature.length).equals(pngSignature)) return false;
  let at = pngSignature.length;
  while (at + 8 <= size) {
    const start = read(at, 8);
    const type = start.toString('latin1', 4);
    if (type === 'IEND') return true;
    if (!/^[A-Za-z]{4}$/.test(type)) return false;
    at += 12 + start.readUInt32BE(0);
  }
  return false;
}
