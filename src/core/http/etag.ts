import { createHash } from 'node:crypto';

/** Strong entity tag of an answer's bytes. */
export function etagOf(bytes: Buffer | string): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
}

/** Does an `If-Match` or `If-None-Match` header name this tag? `W/` is ignored: the tags here are strong. */
export function namesEtag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return header.split(',').some((part) => part.trim().replace(/^W\//, '') === etag);
}
