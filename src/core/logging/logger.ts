import type { DestinationStream } from 'pino';
import { activeSpanContext } from '../../engines/tracing/tracing.js';
import { currentRequest, requestId } from '../http/request/request-context.js';
import { type Logger, plainLogger } from './plain-logger.js';

export type { Logger } from './plain-logger.js';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('Logger');

/**
 * Messages logged while a request that may change something is handled have its id as `request`, the `X-Request-Id` of
 * the response. If traces are exported, messages logged within a span have its ids.
 * @param destination default: standard error
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  return plainLogger(level, context, destination);
}

function context(): object {
  const response = currentRequest()?.res;
  return { ...(response === undefined ? {} : { request: requestId(response) }), ...traceIds() };
}

function traceIds(): { readonly trace_id?: string; readonly span_id?: string } {
  const span = activeSpanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
