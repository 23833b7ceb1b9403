import { unwrap } from './cairn-error.js';
import type { CairnClient } from './client.js';
import type { components } from './schema.js';

export type BackgroundRequest = components['schemas']['Request'];

/** A background request has failed. */
export class RequestFailed extends Error {
  constructor(readonly request: BackgroundRequest) {
    super(request.message.trim());
    this.name = 'RequestFailed';
  }
}

export interface WaitOptions {
  /** Maximum polling interval. Polling starts at a tenth of it. Default: 2000. */
  readonly intervalMs?: number;
  /** Stops waiting. The request continues. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (request: BackgroundRequest) => void;
}

/**
 * Waits until a background request is finished.
 * @param id the `rq_id` from the response that started the request
 * @throws RequestFailed, CairnError, or the reason of `signal`
 */
export async function waitForRequest(
  client: CairnClient,
  id: string,
  { intervalMs = 2000, signal, onProgress }: WaitOptions = {},
): Promise<BackgroundRequest> {
  for (let wait = intervalMs / 10; ; wait = Math.min(intervalMs, wait * 2)) {
    signal?.throwIfAborted();
    const request = unwrap(
      await client.GET('/api/requests/{id}', { params: { path: { id } }, signal: signal ?? null }),
    );
    onProgress?.(request);
    if (request.status === 'finished') return request;
    if (request.status === 'failed') throw new RequestFailed(request);
    await pause(wait, signal);
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}
