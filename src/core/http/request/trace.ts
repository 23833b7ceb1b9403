import { randomUUID } from 'node:crypto';
import { activeTraceparent } from '../../../engines/tracing/tracing.js';
import { currentRequest, requestId } from './request-context.js';

/** W3C Trace Context: version, trace id, parent id, flags. Ids of all zeros are invalid. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

/**
 * The trace of the current request: the active span if traces are exported, else the trace that the client sent, else
 * one whose trace id is the `X-Request-Id`. Null outside of requests and spans.
 */
export function currentTrace(): string | null {
  const active = activeTraceparent();
  if (active !== null) return active;
  const request = currentRequest();
  if (request === undefined) return null;
  const { traceparent } = request.headers;
  if (typeof traceparent === 'string' && TRACEPARENT.test(traceparent)) return traceparent;
  return request.res === undefined ? null : traceOf(requestId(request.res));
}

/**
 * 16 hexadecimal digits. Taken from UUIDs, whose randomness Node generates in bulk, without their version and variant
 * bits.
 */
function spanId(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(28);
}

/** A trace whose id is a UUID. */
export const traceOf = (uuid: string): string => `00-${uuid.replaceAll('-', '')}-${spanId()}-01`;

/** The trace to pass on to the next service: the same trace id with a new parent id. */
export function nextSpan(traceparent: string): string {
  const [, trace, flags] = TRACEPARENT.exec(traceparent) ?? [];
  return trace === undefined ? traceparent : `00-${trace}-${spanId()}-${flags}`;
}
