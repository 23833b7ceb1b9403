const START_OF_IMAGE = Buffer.of(0xff, 0xd8);
const START_OF_SCAN = Buffer.of(0xff, 0xda);
const END_OF_IMAGE = Buffer.of(0xff, 0xd9);

/**
 * Whether the last scan in these bytes has its end marker (ITU-T T.81, B.2.1). Within the data of a scan, no byte after
 * 0xff is that of a marker.
 * @param bytes a JPEG, or its last part
 */
export function hasEndMarker(bytes: Buffer): boolean {
  const end = bytes.lastIndexOf(END_OF_IMAGE);
  return end >= 0 && !bytes.includes(START_OF_SCAN, end);
}

/**
 * Adds the end marker to a JPEG that lacks it, which decoders take for a truncated one. Some cameras omit it, and some
 * programs cut it off. Other files are returned as they are.
 */
export function withEndMarker(file: Buffer): Buffer {
  const isJpeg = file.subarray(0, START_OF_IMAGE.length).equals(START_OF_IMAGE);
  return !isJpeg || hasEndMarker(file) ? file : Buffer.concat([file, END_OF_IMAGE]);
}
