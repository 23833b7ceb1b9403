import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { codeOf } from './failure.js';

/** Why a response body is not kept. */
export type Omitted = 'too-large' | 'undecodable';

export interface ResponseText {
  /** The body as UTF-8, with U+FFFD for invalid bytes; empty if it is omitted. */
  text: string;
  omitted: Omitted | null;
}

const EMPTY = Buffer.alloc(0);

/** Collects response bytes up to a limit, in one buffer, so that a million chunks of one byte use one megabyte. */
export class ResponseBytes {
  private buffer: Buffer = EMPTY;
  private length = 0;
  constructor(private readonly limit: number) {}

  /** Returns false when the limit is exceeded. The caller can then stop reading. */
  push(chunk: Buffer): boolean {
    const length = this.length + chunk.length;
    if (length > this.limit) return false;
    if (this.length === 0) {
      this.buffer = chunk;
    } else {
      if (length > this.buffer.length) this.grow(length);
      chunk.copy(this.buffer, this.length);
    }
    this.length = length;
    return true;
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.limit, Math.max(needed, 2 * this.buffer.length, 1024)));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

const options = (limit: number) => ({ maxOutputLength: Math.max(limit, 1) });
const DECODERS: Readonly<Record<string, (bytes: Buffer, limit: number) => Promise<Buffer>>> = {
  gzip: (bytes, limit) => promisify<Buffer, object, Buffer>(gunzip)(bytes, options(limit)),
  'x-gzip': (bytes, limit) => promisify<Buffer, object, Buffer>(gunzip)(bytes, options(limit)),
  deflate: (bytes, limit) => promisify<Buffer, object, Buffer>(inflate)(bytes, options(limit)),
  br: (bytes, limit) => promisify<Buffer, object, Buffer>(brotliDecompress)(bytes, options(limit)),
};

/** Whether the `Content-Encoding` of a response means that the body is not encoded. */
export function isPlain(encoding: string | undefined): boolean {
  return encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity';
}

/** The text of a body with one content encoding (gzip, deflate, br), at most `limit` bytes after decoding. */
export async function decodeResponse(
  bytes: Buffer,
  encoding: string | undefined,
  limit: number,
): Promise<ResponseText> {
  if (isPlain(encoding) || bytes.length === 0) return { text: bytes.toString('utf8'), omitted: null };
  const decode = DECODERS[(encoding ?? '').trim().toLowerCase()];
  if (!decode) return { text: '', omitted: 'undecodable' };
  try {
    return { text: (await decode(bytes, limit)).toString('utf8'), omitted: null };
  } catch (error) {
    const tooLarge = codeOf(error) === 'ERR_BUFFER_TOO_LARGE';
    return { text: '', omitted: tooLarge ? 'too-large' : 'undecodable' };
  }
}
