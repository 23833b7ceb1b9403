import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { mapBounded } from '../../engines/concurrency/concurrency.js';
import { replaceFile } from '../../engines/files/replace-file.js';
import { MediaStorageFull, MediaStorageUnavailable } from '../../engines/media/media-error.js';
import { temporaryPath } from '../../engines/media/temporary.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import type { S3Objects } from '../../engines/object-storage/s3-objects.js';
import { type ByteRange, isUpload, type MediaPlace, type ObjectInfo, type OpenObject } from './media-place.js';

/** The pieces of an upload: `uploads/<id>.pieces/<offset of the end, padded>`. */
const PIECES = '.pieces/';
const OFFSET_DIGITS = 16;
const REMOVED_AT_A_TIME = 16;
/** Objects are sent in parts of this size, each of which is in memory while it is sent. */
const PART_BYTES = 8 * 2 ** 20;

/** A prefix in a bucket with the Amazon S3 protocol. Objects cannot grow, so each piece of an upload is an object. */
export class BucketPlace implements MediaPlace {
  readonly growsFromNothing = true;

  /**
   * @param prefix empty, or ends with `/`
   * @param scratch a folder for pieces while they arrive
   */
  constructor(
    readonly url: string,
    private readonly objects: S3Objects,
    private readonly prefix: string,
    private readonly scratch: string,
  ) {}

  info(key: string): Promise<ObjectInfo | undefined> {
    return asMediaErrors(async () => {
      const found = await this.objects.info(this.prefix + key);
      if (found !== undefined) return { ...found, key };
      return isUpload(key) ? this.infoOfPieces(key) : undefined;
    });
  }

  open(key: string, range?: ByteRange): Promise<OpenObject | undefined> {
    return asMediaErrors(async () => {
      const found = await this.objects.open(this.prefix + key, range);
      if (found !== undefined) return { ...found, stream: withMediaErrors(found.stream) };
      if (!isUpload(key)) return undefined;
      const whole = await this.infoOfPieces(key);
      if (whole === undefined) return undefined;
      return { bytes: whole.bytes, stream: Readable.from(this.readPieces(key), { objectMode: false }) };
    });
  }

  put(key: string, content: Buffer): Promise<void> {
    return asMediaErrors(() => this.objects.put(this.prefix + key, content));
  }

  async putFile(key: string, file: string, { keep = false } = {}): Promise<void> {
    await asMediaErrors(() => this.objects.upload(this.prefix + key, file, { partBytes: PART_BYTES }));
    if (!keep) await rm(file, { force: true });
  }

  async download(key: string, target: string): Promise<boolean> {
    const opened = await this.open(key);
    if (opened === undefined) return false;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await replaceFile(target, (part) => pipeline(opened.stream, createWriteStream(part)));
    return true;
  }

  copy(from: string, to: string): Promise<boolean> {
    return asMediaErrors(() => this.objects.copy(this.prefix + from, this.prefix + to));
  }

  async remove(key: string): Promise<void> {
    await asMediaErrors(() => this.objects.remove(this.prefix + key));
    if (isUpload(key)) await this.removeFolder(key + PIECES);
  }

  removeFolder(folder: string): Promise<void> {
    return asMediaErrors(async () => {
      const group: string[] = [];
      const flush = async (): Promise<void> => {
        await mapBounded(group.splice(0), REMOVED_AT_A_TIME, (key) => this.objects.remove(key));
      };
      for await (const { key } of this.objects.list(this.prefix + folder)) if (group.push(key) >= 256) await flush();
      await flush();
    });
  }

  async *list(folder: string): AsyncGenerator<ObjectInfo> {
    let upload: ObjectInfo | undefined;
    for await (const object of this.listed(folder)) {
      const [name = '', piece] = object.key.split(PIECES);
      const info = piece === undefined ? object : { ...object, key: name, bytes: Number(piece) };
      if (upload !== undefined && upload.key !== info.key) yield upload;
      upload = piece === undefined ? undefined : info;
      if (piece === undefined) yield info;
    }
    if (upload !== undefined) yield upload;
  }

  async *names(folder: string): AsyncGenerator<string> {
    try {
      yield* this.objects.names(this.prefix + folder);
    } catch (error) {
      throw mediaError(error);
    }
  }

  /** The database, or the description of the upload, shows that it was announced. */
  begin(): Promise<void> {
    return Promise.resolve();
  }

  /** A piece is first written to this machine's disk, because its size is not known before it has ended. */
  async append(key: string, offset: number, body: AsyncIterable<Buffer>, take: (end: number) => void): Promise<number> {
    await mkdir(this.scratch, { recursive: true, mode: 0o700 });
    const file = temporaryPath(this.scratch);
    let end = offset;
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of body) {
        take(end + piece.length);
        end += piece.length;
        yield piece;
      }
    };
    try {
      try {
        await pipeline(Readable.from(counted(), { objectMode: false }), createWriteStream(file));
      } finally {
        if (end > offset) end = await this.storePiece(key, offset, file);
      }
      return end;
    } finally {
      await rm(file, { force: true });
    }
  }

  private async storePiece(key: string, offset: number, file: string): Promise<number> {
    const { size } = await stat(file); // after an error, less than was received
    if (size > 0) await this.putFile(this.pieceKey(key, offset + size), file);
    return offset + size;
  }

  private pieceKey(key: string, end: number): string {
    return `${key}${PIECES}${String(end).padStart(OFFSET_DIGITS, '0')}`;
  }

  private async infoOfPieces(key: string): Promise<ObjectInfo | undefined> {
    let last: ObjectInfo | undefined;
    for await (const piece of this.listed(key + PIECES)) last = piece;
    return last === undefined ? undefined : { key, bytes: endOf(last.key), modified: last.modified };
  }

  /** @throws MediaStorageUnavailable if pieces are missing */
  private async *readPieces(key: string): AsyncGenerator<Buffer> {
    let at = 0;
    for await (const piece of this.listed(key + PIECES)) {
      const end = endOf(piece.key);
      if (at + piece.bytes !== end) throw new MediaStorageUnavailable(`${this.url}/${key} is incomplete at ${at}`);
      const opened = await this.open(piece.key);
      if (opened === undefined) throw new MediaStorageUnavailable(`${this.url}/${piece.key} was removed`);
      yield* opened.stream as AsyncIterable<Buffer>;
      at = end;
    }
  }

  private async *listed(folder: string): AsyncGenerator<ObjectInfo> {
    try {
      for await (const object of this.objects.list(this.prefix + folder))
        yield { ...object, key: object.key.slice(this.prefix.length) };
    } catch (error) {
      throw mediaError(error);
    }
  }
}

const endOf = (key: string): number => Number(key.slice(-OFFSET_DIGITS));

async function asMediaErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw mediaError(error);
  }
}

function withMediaErrors(stream: Readable): Readable {
  const read = async function* (): AsyncGenerator<Buffer> {
    try {
      yield* stream as AsyncIterable<Buffer>;
    } catch (error) {
      throw mediaError(error);
    }
  };
  return Readable.from(read(), { objectMode: false });
}

function mediaError(error: unknown): unknown {
  if (!(error instanceof ObjectStorageError)) return error;
  const type = error.problem === 'full' ? MediaStorageFull : MediaStorageUnavailable;
  return new type(error.message, { cause: error });
}
