import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request } from 'express';

const current = new AsyncLocalStorage<Request>();
let running = 0;

/**
 * Carries the request of a handler that may change something to where its transactions are, until the handler is done:
 * also when the client has gone before. Before Node 24 every promise of the process costs more while a request is
 * carried, those of reading requests too; so nothing is carried when no such handler runs.
 */
export const carryingRequest =
  <Rest extends unknown[]>(handler: (request: Request, ...rest: Rest) => unknown) =>
  async (request: Request, ...rest: Rest): Promise<void> => {
    running += 1;
    try {
      await current.run(request, () => handler(request, ...rest));
    } finally {
      running -= 1;
      if (running === 0) current.disable();
    }
  };

/** The request being handled, if it may change something. */
export const currentRequest = (): Request | undefined => current.getStore();
