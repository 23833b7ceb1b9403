import { hash } from 'node:crypto';

/** Strong entity tag of a response body. */
export function etagOf(bytes: Buffer | string): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`;
}

/** Whether an `If-Match` or `If-None-Match` header contains this tag. `W/` is ignored because all tags are strong. */
export function namesEtag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === etag);
}

/** Whether this response has an entity tag: a single object, not a page of a list or a message. */
export const isSingleObject = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Buffer.isBuffer(body) && !Array.isArray(body) && !('results' in body);
