import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { none } from 'stream-chain/core';
import { streamArray, type StreamArrayItem } from 'stream-json/streamers/stream-array.js';
import { CvatImportError } from './cvat-import-error.js';
import { DumpRecord } from './dump-record.js';

/** In characters. Records that begin in the piece with the damage are lost: small, so that the last good one is near. */
const PIECE = 256;

/**
 * The records of a dump, one after the other, whatever its length.
 * @throws CvatImportError when the file cannot be read, is cut short, or is no list of records
 */
export async function* readDump(path: string): AsyncGenerator<DumpRecord> {
  await requireFile(path);
  let last: DumpRecord | undefined;
  let position = 0;
  try {
    for await (const value of elements(path)) {
      last = DumpRecord.of(value, position);
      position += 1;
      yield last;
    }
  } catch (error) {
    if (error instanceof CvatImportError) throw error;
    if (isFileError(error)) throw unreadable(path, error);
    const place = last === undefined ? 'at its beginning' : `after ${last.name} (record ${position})`;
    throw new CvatImportError(`The dump ${path} is damaged or cut short ${place}.`, { cause: error });
  }
}

/** The library's types know neither the end (`none`) nor that what is composed is a generator. */
type Parse = (piece: string | typeof none) => AsyncIterable<StreamArrayItem>;

async function* elements(path: string): AsyncGenerator<unknown> {
  const parse = streamArray.withParser() as unknown as Parse;
  for await (const piece of pieces(path)) {
    for await (const element of parse(piece)) yield element.value;
  }
  for await (const element of parse(none)) yield element.value;
}

async function* pieces(path: string): AsyncGenerator<string> {
  const source: AsyncIterable<string> = createReadStream(path, 'utf8');
  for await (const text of source) {
    for (let start = 0; start < text.length; start += PIECE) yield text.slice(start, start + PIECE);
  }
}

async function requireFile(path: string): Promise<void> {
  const file = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!file.isFile()) throw new CvatImportError(`The dump ${path} is not a file.`);
}

const isFileError = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;

const unreadable = (path: string, error: unknown): CvatImportError =>
  new CvatImportError(`The dump ${path} cannot be read: ${(error as Error).message}.`, { cause: error });
