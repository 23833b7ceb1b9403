import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { ApiError } from './errors.js';

const SECURITY_HEADERS = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Accept, Origin, Cookie',
} as const;

/**
 * First middleware: gives every answer its id and the headers that every answer has, and refuses a request for two hosts,
 * of which a proxy may have judged the other one.
 */
export function commonHeaders(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('X-Request-Id', randomUUID());
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  forbidStoring(response);
  leaveConnection(request, response);
  next(hasTwoHosts(request) ? new ApiError(400, { detail: 'The request has more than one Host header.' }) : undefined);
}

/**
 * HTTP/1.1 keeps connections without saying so. Proxies of HTTP/1.0 pass on the wish of a client to keep one, which they
 * do not understand, and wait for the end of the answer: they get it.
 */
function leaveConnection(request: Request, response: Response): void {
  if (request.httpVersion === '1.0') response.setHeader('Connection', 'close');
  else if (response.shouldKeepAlive) response.removeHeader('Connection');
}

/** What says nothing of caching, and has no tag by which it could be asked for again, is kept nowhere. */
function forbidStoring(response: Response): void {
  const writeHead = response.writeHead.bind(response) as (...values: unknown[]) => Response;
  response.writeHead = (...values: unknown[]) => {
    if (!response.hasHeader('ETag') && !response.hasHeader('Cache-Control'))
      response.setHeader('Cache-Control', 'private, no-store');
    return writeHead(...values);
  };
}

/** Node keeps the first one alone. */
function hasTwoHosts({ rawHeaders }: Request): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1;
}

/** The id that the answer carries and the log repeats. */
export function requestId(response: Response): string {
  return String(response.getHeader('X-Request-Id') ?? '');
}
