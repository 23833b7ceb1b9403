import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const SECURITY_HEADERS = {
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Accept, Origin, Cookie',
} as const;

/** First middleware: gives every answer its id and the headers that every answer has. */
export function commonHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('X-Request-Id', randomUUID());
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  next();
}

/** The id that the answer carries and the log repeats. */
export function requestId(response: Response): string {
  return String(response.getHeader('X-Request-Id') ?? '');
}
