import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { ApiError } from '../errors/errors.js';

const SECURITY_HEADERS = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Accept, Origin, Cookie',
} as const;

/**
 * First middleware. Sets the request id and the common headers, and refuses requests with two Host headers, because a
 * proxy may have checked the other one.
 */
export function commonHeaders(request: Request, response: Response, next: NextFunction): void {
  response.setHeader('X-Request-Id', randomUUID());
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  forbidStoring(response);
  leaveConnection(request, response);
  next(hasTwoHosts(request) ? new ApiError(400, { detail: 'The request has more than one Host header.' }) : undefined);
}

/**
 * HTTP/1.1 keeps connections alive implicitly. HTTP/1.0 proxies forward a client's keep-alive request without
 * supporting it and wait for the end of the response, so they get a closed connection.
 */
function leaveConnection(request: Request, response: Response): void {
  if (request.httpVersion === '1.0') response.setHeader('Connection', 'close');
  else if (response.shouldKeepAlive) response.removeHeader('Connection');
}

/** Responses without caching headers and without an entity tag must not be stored. */
function forbidStoring(response: Response): void {
  const writeHead = response.writeHead.bind(response) as (...values: unknown[]) => Response;
  response.writeHead = (...values: unknown[]) => {
    if (!response.hasHeader('ETag') && !response.hasHeader('Cache-Control'))
      response.setHeader('Cache-Control', 'private, no-store');
    return writeHead(...values);
  };
}

/** Node keeps only the first Host header. */
function hasTwoHosts({ rawHeaders }: Request): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1;
}
