import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { ChunkCache } from './chunk-cache.js';

export interface ZipMember {
  name: string;
  data: Buffer;
}

const localHeaderSize = 30;
const centralHeaderSize = 46;
const endSize = 22;
const localSignature = 0x04034b50;
const centralSignature = 0x02014b50;
const endSignature = 0x06054b50;
const version = 20;
const utf8Names = 0x800;
/** 1980-01-01, the earliest date: the same members always give the same bytes. */
const date = 0x21;

/**
 * Creates a zip archive in one buffer whose members are stored, not deflated. Intended for chunks, whose members are
 * compressed already and in memory: it only copies them and computes a CRC.
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
    zip.writeUInt32LE(localSignature, at);
    at += 4;
    at += common.copy(zip, at);
    at += encodedName.copy(zip, at);
    at += data.copy(zip, at);
    return { encodedName, common, offset };
  });
  const directoryStart = at;
  for (const { encodedName, common, offset } of directory) {
    zip.writeUInt32LE(centralSignature, at);
    zip.writeUInt16LE(version, at + 4);
    common.copy(zip, at + 6);
    zip.writeUInt32LE(offset, at + 42);
    at += centralHeaderSize;
    at += encodedName.copy(zip, at);
  }
  zip.writeUInt32LE(endSignature, at);
  zip.writeUInt16LE(members.length, at + 8);
  zip.writeUInt16LE(members.length, at + 10);
  zip.writeUInt32LE(at - directoryStart, at + 12);
  zip.writeUInt32LE(directoryStart, at + 16);
  return zip;
}

/**
 * Positions of the members in an archive created by {@link storedZip}: the offset of each local header, and last the
 * offset of the central directory, where the last member ends.
 */
export type StoredOffsets = Float64Array;

/** Reads the central directory. @returns undefined if the file is not an archive created by {@link storedZip} */
export async function readStoredOffsets(file: FileHandle): Promise<StoredOffsets | undefined> {
  const { size } = await file.stat();
  const end = await readPart(file, Math.max(0, size - endSize), endSize);
  if (end.length < endSize || end.readUInt32LE(0) !== endSignature) return undefined;
  const [count, length, start] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
  const directory = await readPart(file, start, length);
  const offsets = new Float64Array(count + 1);
  for (let [member, at] = [0, 0]; member < count; member += 1) {
    if (at + centralHeaderSize > directory.length) return undefined;
    offsets[member] = directory.readUInt32LE(at + 42);
    at += centralHeaderSize + directory.readUInt16LE(at + 28);
  }
  offsets[count] = start;
  return offsets;
}

/** A member read from a file. */
export interface StoredMember extends ZipMember {
  /** The memory that contains `data` and nothing else of use. */
  readonly memory: Buffer;
}

/**
 * Reads a member with one read of its byte range.
 * @returns undefined if the archive has no such member, or was replaced since the offsets were read
 */
export async function readStoredMember(
  file: FileHandle,
  offsets: StoredOffsets,
  number: number,
): Promise<StoredMember | undefined> {
  const [start, end] = [offsets[number], offsets[number + 1]];
  if (start === undefined || end === undefined) return undefined;
  const memory = await readPart(file, start, end - start);
  if (memory.length < localHeaderSize || memory.readUInt32LE(0) !== localSignature) return undefined;
  const dataStart = localHeaderSize + memory.readUInt16LE(26);
  if (dataStart + memory.readUInt32LE(22) !== end - start || memory.length !== end - start) return undefined;
  return { name: memory.toString('utf8', localHeaderSize, dataStart), data: memory.subarray(dataStart), memory };
}

/** Reads bytes into memory of their own; fewer than requested at the end of the file. */
async function readPart(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const part = Buffer.allocUnsafeSlow(length);
  const { bytesRead } = await file.read(part, 0, length, position);
  return part.subarray(0, bytesRead);
}

/** The 26 bytes that are the same in the local header and in the directory. */
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

/** Number of chunks whose offsets are cached; the least recently read is evicted first. */
const MAX_CHUNKS = 1000;
/** Offsets of larger chunks are read each time, so that the cache takes at most 16 MB. */
const MAX_MEMBERS = 2000;

/** Reads single frames from cached chunks that are archives: a byte range of a file instead of an encoding. */
export class ChunkMembers {
  private readonly offsets = new Map<string, StoredOffsets>();

  constructor(private readonly cache: ChunkCache) {}

  /** @returns undefined if the chunk is not in the cache, or has no such member */
  async read(key: string, number: number): Promise<StoredMember | undefined> {
    const file = await this.cache.open(key);
    if (file === undefined) return undefined;
    try {
      const known = this.offsets.get(key);
      const member = known && (await readStoredMember(file, known, number));
      if (known !== undefined && member !== undefined) {
        this.remember(key, known);
        return member;
      }
      // Not read before, or the chunk was deleted and recreated since.
      const offsets = await readStoredOffsets(file);
      if (offsets === undefined) return undefined;
      this.remember(key, offsets);
      return await readStoredMember(file, offsets, number);
    } finally {
      await file.close();
    }
  }

  private remember(key: string, offsets: StoredOffsets): void {
    this.offsets.delete(key);
    if (offsets.length > MAX_MEMBERS) return;
    this.offsets.set(key, offsets);
    if (this.offsets.size > MAX_CHUNKS) this.offsets.delete(this.offsets.keys().next().value ?? '');
  }
}
