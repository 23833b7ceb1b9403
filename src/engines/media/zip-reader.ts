import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { callbackify } from 'node:util';
import {
  type Entry,
  fromRandomAccessReaderPromise,
  getFileNameLowLevel,
  RandomAccessReader,
  type ZipFile,
} from 'yauzl';

/** Signatures and sizes of the records of APPNOTE.TXT, 4.3. */
const DIRECTORY_HEADER = { mark: 'PK\x01\x02', bytes: 46 };
const ZIP64_END = { mark: 'PK\x06\x06', bytes: 56 };
const ZIP64_LOCATOR = { mark: 'PK\x06\x07', bytes: 20 };
const END = { mark: 'PK\x05\x06', bytes: 22 };

/** How far from the end of the file the end record may be: the longest comment, and what a transfer may have appended. */
const SEARCHED_BYTES = 2 ** 16 + 2 ** 20;
/** The end record counts entries with 16 bits. Some programs write more, without ZIP64. */
const COUNTED_ENTRIES = 2 ** 16;
const WINDOW_BYTES = 2 ** 20;
const PIECE_BYTES = 2 ** 16;

/**
 * Opens a zip archive. Unlike yauzl, it accepts bytes before the archive (self-extracting programs) and after it (padding
 * of transfers, comments that were cut off), and more than 65,535 entries without ZIP64, as unzip and Python do.
 * @returns undefined if the file is not an archive; names of entries are decoded by {@link entryName}
 * @throws errors of the file system
 */
export async function openZip(path: string): Promise<ZipFile | undefined> {
  const file = await open(path);
  try {
    const directory = await findDirectory(file);
    if (directory !== undefined) return await openAt(file, directory);
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

function openAt(file: FileHandle, directory: Directory): Promise<ZipFile> {
  const reader = new ArchiveReader(file, directory);
  return fromRandomAccessReaderPromise(reader, reader.bytes, { autoClose: false, decodeStrings: false });
}

/**
 * The name of an entry. Finder and other programs write UTF-8 without saying so. What is not valid UTF-8 is read as code
 * page 437, the default of the format.
 */
export function entryName({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const flags = isUtf8(fileNameRaw) ? generalPurposeBitFlag | UTF8_FLAG : generalPurposeBitFlag & ~UTF8_FLAG;
  return getFileNameLowLevel(flags, fileNameRaw, extraFields, true);
}

const UTF8_FLAG = 0x800;

/** The central directory, with its position in the file. */
interface Directory {
  readonly start: number;
  readonly bytes: number;
  readonly entries: number;
  /** The position that the archive itself states. It differs from `start` if other bytes precede the archive. */
  readonly stated: number;
}

async function findDirectory(file: FileHandle): Promise<Directory | undefined> {
  const { size } = await file.stat();
  const from = Math.max(0, size - SEARCHED_BYTES);
  const tail = await readAt(file, from, size - from);
  // The mark may also occur in the comment, so candidates are checked, beginning with the last.
  for (let at = tail.lastIndexOf(END.mark, undefined, 'latin1'); at >= 0;) {
    const directory = tail.length - at < END.bytes ? undefined : await directoryOf(file, from + at);
    if (directory !== undefined) return directory;
    at = at === 0 ? -1 : tail.lastIndexOf(END.mark, at - 1, 'latin1');
  }
  return undefined;
}

/** @param end the position of what may be an end record */
async function directoryOf(file: FileHandle, end: number): Promise<Directory | undefined> {
  const record = await readAt(file, end, END.bytes);
  const long = await findZip64End(file, end);
  if (long !== undefined) return atEnd(file, long.position, long);
  const disk = record.readUInt16LE(4);
  if (disk !== 0) return undefined;
  const found = await atEnd(file, end, {
    entries: record.readUInt16LE(10),
    bytes: record.readUInt32LE(12),
    stated: record.readUInt32LE(16),
  });
  if (found === undefined || found.bytes < COUNTED_ENTRIES * DIRECTORY_HEADER.bytes) return found;
  return { ...found, entries: await countEntries(file, found) };
}

interface StatedDirectory {
  readonly entries: number;
  readonly bytes: number;
  readonly stated: number;
}

/** Finds the directory directly before its end record; otherwise where the archive says that it is. */
async function atEnd(file: FileHandle, end: number, stated: StatedDirectory): Promise<Directory | undefined> {
  const { entries, bytes } = stated;
  if (entries === 0)
    return bytes === 0 ? { entries, bytes, start: end, stated: Math.min(stated.stated, end) } : undefined;
  const start = end - bytes;
  if (start >= stated.stated && (await hasMark(file, start, DIRECTORY_HEADER))) return { ...stated, start };
  if (stated.stated >= end || !(await hasMark(file, stated.stated, DIRECTORY_HEADER))) return undefined;
  return { entries, bytes: end - stated.stated, start: stated.stated, stated: stated.stated };
}

/** The ZIP64 record is where its locator says, or directly before the locator if other bytes precede the archive. */
async function findZip64End(
  file: FileHandle,
  end: number,
): Promise<(StatedDirectory & { readonly position: number }) | undefined> {
  const locator = end - ZIP64_LOCATOR.bytes;
  if (!(await hasMark(file, locator, ZIP64_LOCATOR))) return undefined;
  const named = number64(await readAt(file, locator, ZIP64_LOCATOR.bytes), 8);
  for (const position of [named, locator - ZIP64_END.bytes]) {
    if (position + ZIP64_END.bytes > locator || !(await hasMark(file, position, ZIP64_END))) continue;
    const record = await readAt(file, position, ZIP64_END.bytes);
    if (record.readUInt32LE(16) !== 0) return undefined;
    return { position, entries: number64(record, 32), bytes: number64(record, 40), stated: number64(record, 48) };
  }
  return undefined;
}

async function countEntries(file: FileHandle, { start, bytes }: Directory): Promise<number> {
  const end = start + bytes;
  let [entries, at, windowAt] = [0, start, start];
  let window: Buffer = Buffer.alloc(0);
  while (at + DIRECTORY_HEADER.bytes <= end) {
    if (at + DIRECTORY_HEADER.bytes > windowAt + window.length) {
      windowAt = at;
      window = await readAt(file, at, Math.min(WINDOW_BYTES, end - at));
    }
    const header = window.subarray(at - windowAt);
    if (!header.toString('latin1', 0, 4).startsWith(DIRECTORY_HEADER.mark)) break;
    at += DIRECTORY_HEADER.bytes + header.readUInt16LE(28) + header.readUInt16LE(30) + header.readUInt16LE(32);
    entries++;
  }
  return entries;
}

async function hasMark(file: FileHandle, position: number, { mark, bytes }: typeof END): Promise<boolean> {
  if (position < 0 || !Number.isSafeInteger(position)) return false;
  const found = await readAt(file, position, bytes);
  return found.length === bytes && found.toString('latin1', 0, mark.length) === mark;
}

/** @returns fewer bytes at the end of the file */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const target = Buffer.allocUnsafe(length);
  const { bytesRead } = await file.read(target, 0, length, position);
  return target.subarray(0, bytesRead);
}

/** A stream of Node.js would close the file when it is destroyed. */
async function* pieces(file: FileHandle, from: number, until: number): AsyncGenerator<Buffer> {
  for (let at = from; at < until;) {
    const piece = await readAt(file, at, Math.min(PIECE_BYTES, until - at));
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

const number64 = (record: Buffer, offset: number): number => Number(record.readBigUInt64LE(offset));

/**
 * Shows yauzl an archive as the standard requires it: without bytes around it, and with a ZIP64 end record, which can
 * express every number of entries.
 */
class ArchiveReader extends RandomAccessReader {
  /** Length of the archive as shown. */
  readonly bytes: number;
  private readonly first: number;
  private readonly contentBytes: number;
  private readonly end: Buffer;

  constructor(
    private readonly file: FileHandle,
    directory: Directory,
  ) {
    super();
    this.first = directory.start - directory.stated;
    this.contentBytes = directory.stated + directory.bytes;
    this.end = endRecords(directory, this.contentBytes);
    this.bytes = this.contentBytes + this.end.length;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const [from, until] = [this.first + start, this.first + Math.min(end, this.contentBytes)];
    return Readable.from(pieces(this.file, from, until), { objectMode: false });
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    callbackify(() => this.fill(target.subarray(offset, offset + length), position))(callback);
  }

  override close(callback: (error: Error | null) => void): void {
    callbackify(() => this.file.close())(callback);
  }

  private async fill(target: Buffer, position: number): Promise<void> {
    const fromFile = Math.max(0, Math.min(target.length, this.contentBytes - position));
    if (fromFile > 0) {
      const { bytesRead } = await this.file.read(target, 0, fromFile, this.first + position);
      if (bytesRead < fromFile) throw new Error('unexpected end of file');
    }
    if (fromFile < target.length) this.end.copy(target, fromFile, position + fromFile - this.contentBytes);
  }
}

function endRecords({ entries, bytes, stated }: Directory, position: number): Buffer {
  const records = Buffer.alloc(ZIP64_END.bytes + ZIP64_LOCATOR.bytes + END.bytes);
  records.write(ZIP64_END.mark, 0, 'latin1');
  records.writeBigUInt64LE(BigInt(ZIP64_END.bytes - 12), 4);
  records.writeBigUInt64LE(BigInt(entries), 24);
  records.writeBigUInt64LE(BigInt(entries), 32);
  records.writeBigUInt64LE(BigInt(bytes), 40);
  records.writeBigUInt64LE(BigInt(stated), 48);
  const locator = records.subarray(ZIP64_END.bytes);
  locator.write(ZIP64_LOCATOR.mark, 0, 'latin1');
  locator.writeBigUInt64LE(BigInt(position), 8);
  locator.subarray(ZIP64_LOCATOR.bytes).write(END.mark, 0, 'latin1');
  return records;
}
