import type { Request, RequestHandler } from 'express';
import type { Metrics } from './metrics.js';

/** Middleware that counts requests by route and measures the time until their last byte. */
export function measureRequests(metrics: Metrics): RequestHandler {
  const times = metrics.times({
    name: 'http_request_duration_seconds',
    help: 'Requests by route, method and status of the response',
    labels: ['method', 'route', 'status'],
  });
  return (request, response, next) => {
    const start = performance.now();
    response.once('close', () => {
      // The client disconnected before the response; nginx's status for this.
      const status = response.writableFinished ? response.statusCode : 499;
      const labels = { method: methodOf(request), route: routeOf(request), status: String(status) };
      times.observe(labels, (performance.now() - start) / 1000);
    });
    next();
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Clients can send arbitrary methods and paths, so the number of labels must stay small. */
const methodOf = ({ method }: Request): string => (METHODS.has(method) ? method : 'other');

function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { readonly path?: unknown };
  return typeof path === 'string' ? path : 'none';
}
