import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** Decodes a body. */
export type Decode = (body: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

/** `deflate` is zlib (RFC 9110, 8.4.1.2), but some servers send the compressed data without its header. */
const isZlib = (first: Buffer): boolean => ((first[0] ?? 0) & 0x0f) === 8 && first.readUInt16BE() % 31 === 0;

const DECODERS: Readonly<Record<string, Decode>> = {
  gzip: through(() => createGunzip()),
  'x-gzip': through(() => createGunzip()),
  deflate: through((first) => (first.length > 1 && isZlib(first) ? createInflate() : createInflateRaw())),
  br: through(() => createBrotliDecompress()),
};

/** `aws-chunked` is how a file was sent to a bucket, which some servers repeat. */
const PLAIN: ReadonlySet<string> = new Set(['', 'identity', 'aws-chunked']);

/**
 * How to decode a body.
 * @param header `Content-Encoding`: the codings in the order in which they were applied
 * @returns the name of a coding that is not known instead
 */
export function decoderOf(header: string | undefined): Decode | string {
  const codings = (header ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  const decoders: Decode[] = [];
  for (const coding of codings.filter((each) => !PLAIN.has(each)).toReversed()) {
    const decode = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
    if (decode === undefined) return coding;
    decoders.push(decode);
  }
  return (body) => decoders.reduce((decoded, decode) => decode(decoded), body);
}

/** Whether an error is one of decoding: the body is not what its header says. */
export const isOfDecoding = (code: unknown): boolean => typeof code === 'string' && /^(?:Z_|ERR_BROTLI|ERR__ERROR)/.test(code); // prettier-ignore

/** @param open makes the stream, from the first bytes of the body */
function through(open: (first: Buffer) => Transform): Decode {
  return async function* (body) {
    const pieces = body[Symbol.asyncIterator]();
    const first = await pieces.next();
    if (first.done === true) return;
    const all = async function* (): AsyncGenerator<Buffer> {
      yield first.value;
      yield* { [Symbol.asyncIterator]: () => pieces };
    };
    // Its errors, and those of the body, reach the reader of the stream.
    const decoded = pipeline(Readable.from(all()), open(first.value), () => undefined);
    yield* decoded as AsyncIterable<Buffer>;
  };
}
