import { setTimeout as pause } from 'node:timers/promises';
import { ApiError } from '../../../core/http/errors/errors.js';
import { FunctionFailure } from '../function-failure.js';

/** Delays before calls are repeated, for functions that restart or are busy. */
const RETRY_MS = [500, 2_000, 8_000];

/** Repeats a call that fails because the function is away or busy, or because a frame is still being decoded. */
export async function repeated<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      const isTemporary = error instanceof FunctionFailure ? error.isTemporary : isNotReady(error);
      const delay = RETRY_MS[attempt];
      if (!isTemporary || delay === undefined) throw error;
      await pause(delay, undefined, { signal });
    }
  }
}

const isNotReady = (error: unknown): boolean => error instanceof ApiError && error.status === 429;
