import { gzipSync } from 'node:zlib';
import compression from 'compression';
import type { RequestHandler, Response } from 'express';

/** From this size on answers are compressed when the client asks for it. */
const COMPRESS_FROM_BYTES = 200;

/**
 * Up to here at once, by the thread that answers: half the work of a stream, and no waiting behind whatever else the
 * threads for files and streams have to do.
 */
const AT_ONCE_BYTES = 32_768;

/** Compresses what streams, and what is long, for those who ask; the others' answers are not even wrapped. */
export function compressed(): RequestHandler {
  const compress = compression({ threshold: COMPRESS_FROM_BYTES, filter: isCompressible });
  return (request, response, next) => {
    if (request.headers['accept-encoding'] === undefined) next();
    else compress(request, response, next);
  };
}

/** A whole answer as it goes out: compressed, with the header that says so, if it is short and the client asks for it. */
export function compressedAtOnce(response: Response, content: string | Buffer): string | Buffer {
  const { req: request } = response;
  const length = Buffer.byteLength(content);
  const isFit = length >= COMPRESS_FROM_BYTES && length <= AT_ONCE_BYTES && isCompressible(request, response);
  if (!isFit || request.method === 'HEAD' || response.hasHeader('Content-Encoding')) return content;
  if (request.headers['accept-encoding'] === undefined || !request.acceptsEncodings('gzip')) return content;
  response.setHeader('Content-Encoding', 'gzip');
  return gzipSync(content);
}

/** JPEGs and archives of them do not get smaller. */
function isCompressible(_request: unknown, response: { getHeader(name: string): unknown }): boolean {
  const type = response.getHeader('Content-Type');
  return typeof type === 'string' && /json|text|xml|yaml|javascript|svg/.test(type);
}
