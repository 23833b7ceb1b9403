import type { Request, RequestHandler, Response } from 'express';
import { openSpan, type Span, SpanKind } from '../../engines/tracing/tracing.js';
import { requestId } from '../http/request/request-context.js';
import { routeOf } from '../metrics/metrics.js';

/** Requests of monitoring systems and load balancers, which would hide all others. */
const IGNORED = /^\/(metrics|api\/server\/(health|live|ready)\/?)$/;

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Middleware that records a span for each request, until its last byte. It continues the trace of the client. */
export function traceRequests(): RequestHandler {
  return (request, response, next) => {
    if (IGNORED.test(request.path)) return next();
    const { traceparent } = request.headers;
    const parent = typeof traceparent === 'string' ? traceparent : null;
    const isPassedOn = !READING.has(request.method); // to events, deliveries and background requests
    openSpan(request.method, { kind: SpanKind.SERVER, parent, isPassedOn }, (open) => {
      response.once('close', () => {
        if (open === undefined) return;
        if (open.span.isRecording()) describe(open.span, request, response);
        open.end();
      });
      next();
    });
  };
}

function describe(span: Span, request: Request, response: Response): void {
  const route = routeOf(request);
  // The client disconnected before the response; nginx's status for this.
  const status = response.writableFinished ? response.statusCode : 499;
  span.updateName(`${request.method} ${route}`).setAttributes({
    'http.request.method': request.method,
    'http.route': route,
    'http.response.status_code': status,
    'url.path': request.path,
    'cairn.request_id': requestId(response),
  });
  if (status >= 500) span.setAttribute('error.type', String(status)).setStatus({ code: 2 });
}
