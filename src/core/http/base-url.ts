import type { Request } from 'express';

/**
 * Scheme and host under which a client reached the server, without a trailing slash. The configured public address
 * wins; else the request's own, with `X-Forwarded-Proto/-Host` believed from trusted proxies only.
 */
export function baseUrlOf(request: Request, publicUrl: string): string {
  if (publicUrl !== '') return publicUrl;
  const { headers } = request;
  const forwarded = headers['x-forwarded-proto'] !== undefined || headers['x-forwarded-host'] !== undefined;
  // Express looks up whether the proxy is trusted at every call; mostly there is none
  if (!forwarded) return `${'encrypted' in request.socket ? 'https' : 'http'}://${headers.host ?? ''}`;
  return `${request.protocol}://${request.host}`;
}
