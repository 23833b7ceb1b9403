import type { Request } from 'express';

/**
 * Scheme and host under which a client reached the server, without a trailing slash. The configured public address
 * wins; else the request's own, with `X-Forwarded-Proto/-Host` believed from trusted proxies only.
 */
export function baseUrlOf(request: Request, publicUrl: string): string {
  return publicUrl === '' ? `${request.protocol}://${request.host}` : publicUrl;
}
