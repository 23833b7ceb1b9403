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
    if (request.headers['accept-encoding'] === undefined) return next();
    compress(request, response, () => {
      compressAtOnce(response);
      next();
    });
  };
}

/** Whoever takes over `end` later, to keep what is answered, gets it as it was. */
function compressAtOnce(response: Response): void {
  const end = response.end.bind(response) as (...values: unknown[]) => Response;
  response.end = ((content: unknown, ...rest: unknown[]) => {
    if (!isFit(response, content)) return end(content, ...rest);
    const sent = gzipSync(content);
    response.setHeader('Content-Encoding', 'gzip');
    response.setHeader('Content-Length', sent.length);
    return end(sent, ...rest);
  }) as typeof response.end;
}

/** Is it a whole answer that is short, and does the client ask for it to be compressed? */
function isFit(response: Response, content: unknown): content is string | Buffer {
  if (response.headersSent || (typeof content !== 'string' && !Buffer.isBuffer(content))) return false;
  const length = Buffer.byteLength(content);
  if (length < COMPRESS_FROM_BYTES || length > AT_ONCE_BYTES || response.req.method === 'HEAD') return false;
  if (response.hasHeader('Content-Encoding') || !isCompressible(response.req, response)) return false;
  return response.req.acceptsEncodings('gzip') !== false;
}

/** JPEGs and archives of them do not get smaller. */
function isCompressible(_request: unknown, response: { getHeader(name: string): unknown }): boolean {
  const type = response.getHeader('Content-Type');
  return typeof type === 'string' && /json|text|xml|yaml|javascript|svg/.test(type);
}
