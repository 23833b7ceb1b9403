import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request, Response } from 'express';

const current = new AsyncLocalStorage<Request>();
let running = 0;

/**
 * Makes the request of a writing handler available to its transactions until the handler completes, even if the client
 * has disconnected. Before Node 24, async context makes every promise in the process slower, including those of reads,
 * so the context is only active while such a handler runs.
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

/** The current request, if its handler can change something. */
export const currentRequest = (): Request | undefined => current.getStore();

/** The request id, as in the response and the log. */
export function requestId(response: Response): string {
  return String(response.getHeader('X-Request-Id') ?? '');
}
