/** Reads bytes of a file from a position on: fewer than requested at its end. */
export type ReadPart = (position: number, length: number) => Buffer;

export const partsOf =
  (file: Buffer): ReadPart =>
  (position, length) =>
    file.subarray(position, position + length);

/** A JPEG marker with its content. */
export interface Segment {
  readonly marker: number;
  /** Only the inspected part: images and colour profiles are longer. */
  readonly body: Buffer;
  /** Offset after the segment. */
  readonly end: number;
}

const WINDOW_BYTES = 4096;
/** Maximum before the first scan. Cameras write about ten; long profiles need one per 64 KB. */
const MAX_SEGMENTS = 1000;

const START_OF_IMAGE = 0xffd8;
export const START_OF_SCAN = 0xda;

/**
 * Yields the segments of a JPEG (ITU-T T.81, annex B) up to that of its first scan. Stops early if the file is not a
 * JPEG.
 */
export function* segmentsOf(read: ReadPart): Generator<Segment, void> {
  const bytes = windowed(read);
  if (bytes(0, 2).length < 2 || bytes(0, 2).readUInt16BE() !== START_OF_IMAGE) return;
  for (let [at, segments] = [2, 0]; segments < MAX_SEGMENTS; segments += 1) {
    const head = bytes(at, 4);
    if (head.length < 4 || head[0] !== 0xff) return;
    const [marker, length] = [head.readUInt8(1), head.readUInt16BE(2)];
    if (length < 2) return;
    const end = at + 2 + length;
    yield { marker, body: bytes(at + 4, Math.min(length - 2, WINDOW_BYTES)), end };
    if (marker === START_OF_SCAN) return;
    at = end;
  }
}

/** Reads from the file only what has not been read yet. */
export function windowed(read: ReadPart): ReadPart {
  let [start, window] = [0, read(0, WINDOW_BYTES)];
  return (position, length) => {
    const isIn = position >= start && position + length <= start + window.length;
    if (!isIn) [start, window] = [position, read(position, WINDOW_BYTES)];
    return window.subarray(position - start, position - start + length);
  };
}

export interface JpegHeader {
  /** Stored pixels, before rotation. */
  readonly width: number;
  readonly height: number;
  /** EXIF: 1 is upright, 5 to 8 are rotated by 90°. */
  readonly orientation: number;
}

const EXIF = 0xe1;
/** Baseline, extended and progressive, Huffman-coded. */
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
/** Markers without a length, or of types left to the decoder: arithmetic coding, lossless, hierarchical. */
const UNUSUAL = (marker: number): boolean =>
  marker < 0xc0 || (marker > 0xc2 && marker < 0xd0 && marker !== 0xc4) || (marker >= 0xd0 && marker <= 0xd9);

/**
 * Reads the size of a JPEG from its markers, about twenty times as fast as the decoder.
 * @returns undefined for anything unusual, which is left to the decoder
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

/** Accepts only 8-bit grey and YCbCr. */
function readFrame(body: Buffer): JpegHeader | undefined {
  if (body.length < 6) return undefined;
  const [precision, height, width] = [body.readUInt8(0), body.readUInt16BE(1), body.readUInt16BE(3)];
  const components = body.readUInt8(5);
  const isUsual = precision === 8 && (components === 1 || components === 3);
  return isUsual && width > 0 && height > 0 ? { width, height, orientation: 1 } : undefined;
}

/** Reads the orientation from the first directory of a TIFF header (EXIF 2.32, 4.6.4); 1 if it is absent. */
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

const APP0 = 0xe0;
const APP2 = 0xe2;
const SIGNATURE = 'ICC_PROFILE\0';
/** Offset of the profile in its segment: after the signature, its number and the total number. */
const PROFILE_START = SIGNATURE.length + 2;
/** Offset of the four letters in a profile that name its colour space (ICC.1:2010, 7.2). */
const SPACE_OFFSET = PROFILE_START + 16;
/** Profiles of cameras and screens have 500 to 3,000 bytes; those of printers contain tables and are far larger. */
const MAX_BYTES = 4096;

export interface SplitJpeg {
  /** The file without its colour profile. */
  readonly plain: Buffer;
  /** The segment of the profile; empty for sRGB, the default of a JPEG without a profile. */
  readonly profile: Buffer;
}

/**
 * Removes the colour profile from a JPEG, so that its pixels can be encoded unchanged and the profile added again.
 * @returns undefined for a profile that must be applied: a large one, or one that is not RGB
 */
export function splitProfile(file: Buffer): SplitJpeg | undefined {
  let profile: Buffer = Buffer.alloc(0);
  let plain = file;
  let start = 2;
  for (const { marker, body, end } of segmentsOf(partsOf(file))) {
    if (marker === APP2 && body.toString('latin1', 0, SIGNATURE.length) === SIGNATURE) {
      const isOne = profile.length === 0 && end - start <= MAX_BYTES;
      if (!isOne || body.toString('latin1', SPACE_OFFSET, SPACE_OFFSET + 4) !== 'RGB ') return undefined;
      profile = file.subarray(start, end);
      plain = Buffer.concat([file.subarray(0, start), file.subarray(end)]);
    }
    start = end;
  }
  return { plain, profile: profile.includes('sRGB IEC61966-2.1') ? Buffer.alloc(0) : profile };
}

/** Adds the profile from {@link splitProfile} to a JPEG: after the JFIF segment, which must be first. */
export function withProfile(jpeg: Buffer, profile: Buffer): Buffer {
  if (profile.length === 0) return jpeg;
  const at = jpeg[3] === APP0 ? 4 + jpeg.readUInt16BE(4) : 2;
  return Buffer.concat([jpeg.subarray(0, at), profile, jpeg.subarray(at)]);
}
