/** Where the fields of a directory stand; BigTIFF has longer ones. */
export interface Layout {
  readonly little: boolean;
  readonly countBytes: 2 | 8;
  readonly entryBytes: 12 | 20;
  readonly offsetBytes: 4 | 8;
}

/** Where the offset of the first directory stands. */
export const firstOffsetAt = ({ offsetBytes }: Layout): number => offsetBytes;

/** @param head of the file, 16 bytes. @returns undefined for what is no TIFF */
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

/** An offset as it stands in the file. */
export function offset(value: number, { little, offsetBytes }: Layout): Buffer {
  const bytes = Buffer.alloc(offsetBytes);
  if (offsetBytes === 8) {
    if (little) bytes.writeBigUInt64LE(BigInt(value));
    else bytes.writeBigUInt64BE(BigInt(value));
  } else if (little) bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value);
  return bytes;
}
