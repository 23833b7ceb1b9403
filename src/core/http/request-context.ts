import { AsyncLocalStorage } from 'node:async_hooks';
import type { NextFunction, Request, Response } from 'express';

const current = new AsyncLocalStorage<Request>();
const CARRIED = ['if-match', 'idempotency-key'];

/** Middleware: carries requests with headers that matter where the transaction is. */
export function carryRequest(request: Request, _response: Response, next: NextFunction): void {
  if (CARRIED.some((header) => request.headers[header] !== undefined)) current.run(request, next);
  else next();
}

/** The request being handled, if it carries one of those headers. */
export const carriedRequest = (): Request | undefined => current.getStore();
