import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';

const current = new AsyncLocalStorage<Request>();

/** Middleware: carries requests that may change something to where the transaction is. */
export function carryRequest(request: Request, _response: Response, next: NextFunction): void {
  if (request.method === 'GET' || request.method === 'HEAD') next();
  else current.run(request, next);
}

/** The request being handled, if it may change something. */
export const currentRequest = (): Request | undefined => current.getStore();
