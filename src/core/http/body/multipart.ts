import { closeSync, constants, fsync, open, writev } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Request } from 'express';
import pLimit from 'p-limit';
import { freeMemory } from '../../../engines/memory/memory.js';
import { ApiError, PlainError } from '../errors/errors.js';
import { baseName, type FileStream, parseForm } from './form-parser.js';

/** A file that was uploaded and stored, but belongs to no task yet. */
export interface SentFile {
  /** The base name of the client's file name. */
  readonly name: string;
  readonly fileId: string;
  readonly bytes: number;
}

export interface SentForm {
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** In upload order. */
  readonly files: readonly SentFile[];
}

export interface MultipartOptions {
  /** The folder where files are stored under new ids. */
  readonly folder: string;
  readonly newId: () => string;
  /** Whether to store a file part. Others are skipped. */
  readonly isFile: (field: string) => boolean;
  /** Called when a file is complete on disk. Further files may follow; a later error in the body deletes it. */
  readonly onFile?: (file: SentFile) => void;
  /** Per file. */
  readonly maxFileBytes: number;
  /** For all fields together. */
  readonly maxFieldBytes: number;
}

/** Maximum number of files, and of fields. */
const MAX_PARTS = 100_000;
const PIECE_BYTES = 2 ** 20;
/**
 * Maximum number of buffers per write: a buffer has overhead even for one byte, and the system accepts this many per
 * call.
 */
const PIECE_PARTS = 1024;
/** The parser continues with the next file while a disk is slow. */
const FILES_AT_A_TIME = 16;

/**
 * Reads a multipart body. Files are streamed to disk and synchronized. After an error, no files remain.
 * @throws ApiError 400 for a malformed form, 413 above the limits; errors of the file system
 */
export async function readMultipart(request: Request, options: MultipartOptions): Promise<SentForm> {
  const reader = new MultipartReader(options);
  try {
    return await reader.read(request);
  } catch (error) {
    await reader.discard();
    throw error;
  }
}

/** Deletes the files of a form that was read and then refused. */
export async function discardFiles(folder: string, files: readonly SentFile[]): Promise<void> {
  for (const { fileId } of files) await rm(join(folder, fileId), { force: true });
}

interface Writing {
  readonly name: string;
  readonly fileId: string;
  readonly written: Promise<number>;
}

class MultipartReader {
  private readonly fields: [string, string][] = [];
  private readonly writing: Writing[] = [];
  private readonly inTurn = pLimit(FILES_AT_A_TIME);
  private fieldBytes = 0;

  constructor(private readonly options: MultipartOptions) {}

  async read(request: Request): Promise<SentForm> {
    const { maxFileBytes, maxFieldBytes } = this.options;
    const limits = { fileSize: maxFileBytes, files: MAX_PARTS, fields: MAX_PARTS, fieldSize: maxFieldBytes };
    await parseForm(request, limits, {
      onField: (name, value) => this.onField(name, value),
      onFile: (field, stream, filename, fail) => this.onFile(field, stream, filename, fail),
    });
    const files: SentFile[] = [];
    for (const { name, fileId, written } of this.writing) files.push({ name, fileId, bytes: await written });
    return { fields: this.fields, files };
  }

  async discard(): Promise<void> {
    await Promise.allSettled(this.writing.map(({ written }) => written));
    for (const { fileId } of this.writing) await rm(join(this.options.folder, fileId), { force: true });
  }

  private onField(name: string, value: string): void {
    this.fieldBytes += name.length + value.length;
    if (this.fieldBytes > this.options.maxFieldBytes) throw tooLarge(this.options.maxFieldBytes);
    this.fields.push([name, value]);
  }

  private onFile(
    field: string,
    stream: FileStream,
    filename: string | undefined,
    fail: (error: unknown) => void,
  ): boolean {
    if (!this.options.isFile(field)) return false;
    const [name, fileId, { onFile }] = [baseName(filename), this.options.newId(), this.options];
    const written = this.inTurn(() => this.write(stream, fileId));
    written.then((bytes) => onFile?.({ name, fileId, bytes })).catch(fail);
    this.writing.push({ name, fileId, written });
    return true;
  }

  private async write(stream: FileStream, fileId: string): Promise<number> {
    const bytes = await store(join(this.options.folder, fileId), inPieces(stream));
    const { maxFileBytes } = this.options;
    if (stream.truncated === true) throw fileTooLarge(maxFileBytes);
    return bytes;
  }
}

interface Piece {
  readonly parts: readonly Buffer[];
  /** Whether the stream has ended. */
  readonly isLast: boolean;
}

/**
 * Groups the chunks of a stream. Another thread writes them, and waking it costs more than copying. The chunks are not
 * concatenated, because that allocates memory that makes the garbage collector run twice as often.
 * @throws the stream's error
 */
export async function* inPieces(stream: Readable): AsyncGenerator<Piece, undefined> {
  for (let isLast = false; !isLast;) {
    const piece = await nextPiece(stream);
    ({ isLast } = piece);
    yield piece;
  }
}

function nextPiece(stream: Readable): Promise<Piece> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const take = (part: Buffer): void => {
      parts.push(part);
      bytes += part.length;
      if (bytes >= PIECE_BYTES || parts.length >= PIECE_PARTS) give(false);
    };
    const give = (isLast: boolean): void => {
      leave();
      stream.off('data', take).pause();
      resolve({ parts, isLast });
    };
    const leave = finished(stream, { writable: false }, (error) => {
      if (error == null) give(true);
      else reject(error);
    });
    stream.on('data', take).resume();
  });
}

const [openFile, writeParts, sync] = [promisify(open), promisify(writev), promisify(fsync)];

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
/** Not available on every system. */
const WRITES_SYNCHRONISE: number | undefined = constants.O_DSYNC;

/**
 * Writes a new file and synchronizes it. For a single piece the write itself synchronizes: each step runs on another
 * thread, and waking that thread is most of the cost.
 */
async function store(path: string, pieces: AsyncGenerator<Piece, undefined>): Promise<number> {
  let [file, bytes]: [number | undefined, number] = [undefined, 0];
  let isSynchronised = false;
  try {
    for await (const { parts, isLast } of pieces) {
      if (file === undefined) {
        isSynchronised = isLast && WRITES_SYNCHRONISE !== undefined;
        file = await openFile(path, isSynchronised ? NEW_FILE | (WRITES_SYNCHRONISE ?? 0) : NEW_FILE);
      }
      bytes += await append(file, parts);
    }
    if (file !== undefined && !isSynchronised) await sync(file);
  } finally {
    if (file !== undefined) closeSync(file);
  }
  return bytes;
}

/** Frees the buffers. @returns their total size in bytes */
async function append(file: number, parts: readonly Buffer[]): Promise<number> {
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  let { bytesWritten: written } = await writeParts(file, parts);
  if (written < bytes) {
    const all = Buffer.concat(parts);
    while (written < bytes) written += (await writeParts(file, [all.subarray(written)])).bytesWritten;
  }
  for (const part of parts) freeMemory(part);
  return bytes;
}

/** The contract's response to files above the limit, for every kind of upload. */
export const fileTooLarge = (limit: number): PlainError =>
  new PlainError(413, `"File size exceeds max limit of ${limit} bytes"`);

const tooLarge = (limit: number): ApiError =>
  new ApiError(413, { detail: `The fields of the form are larger than the limit of ${limit} bytes.` });
