import { crc32 } from 'node:zlib';

export interface ZipMember {
  name: string;
  data: Buffer;
}

const localHeaderSize = 30;
const centralHeaderSize = 46;
const endSize = 22;
const version = 20;
const utf8Names = 0x800;
/** 1980-01-01, the earliest date: the same members always give the same bytes. */
const date = 0x21;

/**
 * A zip archive whose members are stored, not deflated, in one buffer. Made for chunks, whose members are compressed
 * already and in memory: a copy and a CRC is all that there is to do.
 * @throws RangeError beyond 65,535 members or 4 GiB (no zip64)
 */
export function storedZip(members: readonly ZipMember[]): Buffer {
  const named = members.map((member) => ({ ...member, encodedName: Buffer.from(member.name) }));
  const total = named.reduce(
    (sum, { data, encodedName }) => sum + localHeaderSize + centralHeaderSize + 2 * encodedName.length + data.length,
    endSize,
  );
  if (members.length > 0xffff || total > 0xffffffff) throw new RangeError('Too much for a zip archive without zip64');

  const zip = Buffer.alloc(total);
  let at = 0;
  const directory = named.map(({ encodedName, data }) => {
    const offset = at;
    const common = commonHeader(encodedName, data);
    zip.writeUInt32LE(0x04034b50, at);
    at += 4;
    at += common.copy(zip, at);
    at += encodedName.copy(zip, at);
    at += data.copy(zip, at);
    return { encodedName, common, offset };
  });
  const directoryStart = at;
  for (const { encodedName, common, offset } of directory) {
    zip.writeUInt32LE(0x02014b50, at);
    zip.writeUInt16LE(version, at + 4);
    common.copy(zip, at + 6);
    zip.writeUInt32LE(offset, at + 42);
    at += centralHeaderSize;
    at += encodedName.copy(zip, at);
  }
  zip.writeUInt32LE(0x06054b50, at);
  zip.writeUInt16LE(members.length, at + 8);
  zip.writeUInt16LE(members.length, at + 10);
  zip.writeUInt32LE(at - directoryStart, at + 12);
  zip.writeUInt32LE(directoryStart, at + 16);
  return zip;
}

/** @returns a member of an archive that {@link storedZip} made. @throws RangeError */
export function storedMember(zip: Buffer, number: number): Buffer {
  let at = 0;
  for (let member = 0; at + localHeaderSize <= zip.length && zip.readUInt32LE(at) === 0x04034b50; member += 1) {
    const start = at + localHeaderSize + zip.readUInt16LE(at + 26);
    const end = start + zip.readUInt32LE(at + 22);
    if (member === number) return zip.subarray(start, end);
    at = end;
  }
  throw new RangeError(`The archive has no member ${number}`);
}

/** The 26 bytes that stand in the local header and in the directory alike. */
function commonHeader(encodedName: Buffer, data: Buffer): Buffer {
  const header = Buffer.alloc(localHeaderSize - 4);
  header.writeUInt16LE(version, 0);
  header.writeUInt16LE(utf8Names, 2);
  header.writeUInt16LE(date, 8);
  header.writeUInt32LE(crc32(data), 10);
  header.writeUInt32LE(data.length, 14);
  header.writeUInt32LE(data.length, 18);
  header.writeUInt16LE(encodedName.length, 22);
  return header;
}
