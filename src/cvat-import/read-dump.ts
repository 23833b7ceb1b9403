import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { none } from 'stream-chain/core';
import { streamArray, type StreamArrayItem } from 'stream-json/streamers/stream-array.js';
import { CvatImportError } from './cvat-import-error.js';
import { DumpRecord } from './dump-record.js';
import type { OnProgress } from './progress.js';

/** In characters. Records that begin in a damaged piece are lost, so a small piece keeps the last good record near. */
const PIECE = 256;

/**
 * Yields the records of a dump one after the other, whatever its length.
 * @throws CvatImportError if the file cannot be read, is truncated, or is not a list of records
 */
export async function* readDump(path: string, onProgress: OnProgress = ignore): AsyncGenerator<DumpRecord> {
  const totalBytes = await sizeOf(path);
  let last: DumpRecord | undefined;
  let position = 0;
  try {
    const source = createReadStream(path, 'utf8');
    for await (const value of elements(source)) {
      last = DumpRecord.of(value, position);
      position += 1;
      onProgress({ step: 'read', done: position, bytes: source.bytesRead, totalBytes });
      yield last;
    }
  } catch (error) {
    if (error instanceof CvatImportError) throw error;
    if (isFileError(error)) throw unreadable(path, error);
    const place = last === undefined ? 'at its beginning' : `after ${last.name} (record ${position})`;
    throw new CvatImportError(`The dump ${path} is damaged or incomplete ${place}.`, { cause: error });
  }
}

/** The library's types lack the end marker (`none`), and that a composed pipeline is a generator. */
type Parse = (piece: string | typeof none) => AsyncIterable<StreamArrayItem>;

async function* elements(source: AsyncIterable<string>): AsyncGenerator<unknown> {
  const parse = streamArray.withParser() as unknown as Parse;
  for await (const piece of pieces(source)) {
    for await (const element of parse(piece)) yield element.value;
  }
  for await (const element of parse(none)) yield element.value;
}

async function* pieces(source: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const text of source) {
    for (let start = 0; start < text.length; start += PIECE) yield text.slice(start, start + PIECE);
  }
}

const ignore = (): void => undefined;

async function sizeOf(path: string): Promise<number> {
  const file = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!file.isFile()) throw new CvatImportError(`The dump ${path} is not a file.`);
  return file.size;
}

const isFileError = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;

const unreadable = (path: string, error: unknown): CvatImportError =>
  new CvatImportError(`The dump ${path} cannot be read: ${(error as Error).message}.`, { cause: error });
