import { partsOf, segmentsOf } from './segments.js';

const APP0 = 0xe0;
const APP2 = 0xe2;
const SIGNATURE = 'ICC_PROFILE\0';
/** Of the profile in a segment: after the signature, its number and the number of all. */
const PROFILE_START = SIGNATURE.length + 2;
/** Of the four letters in a profile that name its colour space (ICC.1:2010, 7.2). */
const SPACE_OFFSET = PROFILE_START + 16;
/** Profiles of cameras and screens have 500 to 3,000 bytes; those of printers, with their tables, are far larger. */
const MAX_BYTES = 4096;

export interface SplitJpeg {
  /** The file without its colour profile. */
  readonly plain: Buffer;
  /** The segment of the profile; empty for sRGB, which is what a JPEG without a profile has. */
  readonly profile: Buffer;
}

/**
 * Takes the colour profile out of a JPEG, so that its pixels can be encoded as they are and the profile put back.
 * @returns undefined for a profile that has to be applied: a large one, or one that is not of RGB
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

/** A JPEG with the profile that {@link splitProfile} found: after the JFIF segment, which has to be the first. */
export function withProfile(jpeg: Buffer, profile: Buffer): Buffer {
  if (profile.length === 0) return jpeg;
  const at = jpeg[3] === APP0 ? 4 + jpeg.readUInt16BE(4) : 2;
  return Buffer.concat([jpeg.subarray(0, at), profile, jpeg.subarray(at)]);
}
