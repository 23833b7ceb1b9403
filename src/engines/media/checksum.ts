import { crc32 } from 'node:zlib';

const checkedBytes = 1000;

/**
 * The `X-Checksum` of a chunk: CRC-32 of its first 1000 bytes, seeded with the CRC-32 of its length in decimal digits;
 * as a decimal number.
 */
export function chunkChecksum(chunk: Buffer): string {
  const seed = crc32(String(chunk.length));
  return String(crc32(chunk.subarray(0, checkedBytes), seed));
}
