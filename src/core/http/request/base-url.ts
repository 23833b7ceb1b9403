import type { Request } from 'express';

/**
 * Scheme and host under which a client reached the server, without a trailing slash. The configured public URL takes
 * precedence. Otherwise it comes from the request; `X-Forwarded-Proto/-Host` is trusted only from trusted proxies.
 */
export function baseUrlOf(request: Request, publicUrl: string): string {
  if (publicUrl !== '') return publicUrl;
  const { headers } = request;
  const forwarded = headers['x-forwarded-proto'] !== undefined || headers['x-forwarded-host'] !== undefined;
  // Express evaluates the proxy trust on every call, and there is usually no proxy.
  if (!forwarded) return `${'encrypted' in request.socket ? 'https' : 'http'}://${headers.host ?? ''}`;
  return `${request.protocol}://${request.host}`;
}
