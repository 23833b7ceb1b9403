import { randomUUID } from 'node:crypto';
import { currentRequest } from './request-context.js';
import { requestId } from './request-id.js';

/** W3C Trace Context: version, trace, parent, flags. All zeros are no ids. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

/**
 * The trace of the request that is being handled: the one that it came with, else one whose trace id is its
 * `X-Request-Id`. Null outside of requests.
 */
export function currentTrace(): string | null {
  const request = currentRequest();
  if (request === undefined) return null;
  const { traceparent } = request.headers;
  if (typeof traceparent === 'string' && TRACEPARENT.test(traceparent)) return traceparent;
  return request.res === undefined ? null : traceOf(requestId(request.res));
}

/** 16 hexadecimal digits. Node draws the randomness of UUIDs for many at once; their version and variant are left out. */
function spanId(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(28);
}

/** A trace named by a UUID. */
export const traceOf = (uuid: string): string => `00-${uuid.replaceAll('-', '')}-${spanId()}-01`;

/** The same trace as the next one is told of it: with a new parent. */
export function nextSpan(traceparent: string): string {
  const [, trace, flags] = TRACEPARENT.exec(traceparent) ?? [];
  return trace === undefined ? traceparent : `00-${trace}-${spanId()}-${flags}`;
}
