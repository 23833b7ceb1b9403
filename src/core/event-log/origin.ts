import type { Request } from 'express';
import type { RequestOrigin } from '../../shared/policy/actor.js';
import { identityOf } from '../access/current-actor.decorator.js';
import { currentRequest, requestId } from '../http/request/request-context.js';

const MAX_USER_AGENT = 500;

/** The client of a request and its credential. The address is the one that throttling uses: proxies must be trusted. */
export function originOf(request: Request): RequestOrigin {
  const credential = identityOf(request)?.credential;
  const isAccessToken = credential?.kind === 'bearer';
  return {
    requestId: request.res === undefined ? null : requestId(request.res),
    userAgent: request.headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null,
    address: request.ip ?? null,
    credential: credential?.kind ?? null,
    tokenId: isAccessToken && typeof credential.id === 'number' ? credential.id : null,
    tokenName: isAccessToken ? (credential.name ?? null) : null,
  };
}

/** The origin of the current request; null outside of requests, and for handlers that cannot change anything. */
export function currentOrigin(): RequestOrigin | null {
  const request = currentRequest();
  return request === undefined ? null : originOf(request);
}
