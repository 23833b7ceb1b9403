import { hash } from 'node:crypto';

/** Strong entity tag of an answer's bytes. */
export function etagOf(bytes: Buffer | string): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`;
}

/** Does an `If-Match` or `If-None-Match` header name this tag? `W/` is ignored: the tags here are strong. */
export function namesEtag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === etag);
}

/** Is this an answer that has an entity tag: one object, not a page of a list and not a sentence? */
export const isSingleObject = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && !Buffer.isBuffer(body) && !Array.isArray(body) && !('results' in body);
