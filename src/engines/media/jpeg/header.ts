import { type ReadPart, segmentsOf, START_OF_SCAN } from './segments.js';

export interface JpegHeader {
  /** Pixels as they are stored. */
  readonly width: number;
  readonly height: number;
  /** EXIF: 1 is upright, 5 to 8 are turned by a quarter. */
  readonly orientation: number;
}

const EXIF = 0xe1;
/** Baseline, extended and progressive, Huffman coded. */
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
/** Without a length of their own, or of kinds that are left to the decoder: arithmetic coding, lossless, hierarchical. */
const UNUSUAL = (marker: number): boolean =>
  marker < 0xc0 || (marker > 0xc2 && marker < 0xd0 && marker !== 0xc4) || (marker >= 0xd0 && marker <= 0xd9);

/**
 * The size of a JPEG by its own markers, some twenty times as fast as asking the decoder.
 * @returns undefined for everything out of the ordinary: the decoder has the last word there
 */
export function readJpegHeader(read: ReadPart): JpegHeader | undefined {
  let found: JpegHeader | undefined;
  let orientation: number | undefined;
  for (const { marker, body } of segmentsOf(read)) {
    if (marker === START_OF_SCAN) return found && { ...found, orientation: orientation ?? 1 };
    if (UNUSUAL(marker)) return undefined;
    if (FRAMES.has(marker)) {
      found = readFrame(body);
      if (found === undefined) return undefined;
    } else if (marker === EXIF && orientation === undefined && body.toString('latin1', 0, 6) === 'Exif\0\0') {
      orientation = readOrientation(body.subarray(6));
      if (orientation === undefined) return undefined;
    }
  }
  return undefined;
}

/** Grey and YCbCr of 8 bits. */
function readFrame(body: Buffer): JpegHeader | undefined {
  if (body.length < 6) return undefined;
  const [precision, height, width] = [body.readUInt8(0), body.readUInt16BE(1), body.readUInt16BE(3)];
  const components = body.readUInt8(5);
  const isUsual = precision === 8 && (components === 1 || components === 3);
  return isUsual && width > 0 && height > 0 ? { width, height, orientation: 1 } : undefined;
}

/** Of the first directory of a TIFF header (EXIF 2.32, 4.6.4); 1 when it says nothing. */
function readOrientation(tiff: Buffer): number | undefined {
  const order = tiff.toString('latin1', 0, 4);
  if (order !== 'II*\0' && order !== 'MM\0*') return undefined;
  const short = (at: number): number => (order === 'II*\0' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number): number => (order === 'II*\0' ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  if (tiff.length < 8) return undefined;
  const directory = long(4);
  if (directory + 2 > tiff.length) return undefined;
  const count = short(directory);
  if (directory + 2 + count * 12 > tiff.length) return undefined;
  for (let entry = directory + 2; entry < directory + 2 + count * 12; entry += 12) {
    if (short(entry) !== 0x0112) continue;
    const isOneShort = short(entry + 2) === 3 && long(entry + 4) === 1;
    const value = short(entry + 8);
    return isOneShort && value >= 1 && value <= 8 ? value : undefined;
  }
  return 1;
}
