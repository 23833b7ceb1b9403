import type { AbortOrder, EndCause } from '../core/process-group/messages.js';

/** How long a request that was told to stop may take, in milliseconds. */
export const PATIENCE = {
  /** To undo its work, as long as its process reacts. */
  undoMs: 60_000,
  /** To react. */
  deafMs: 5_000,
  /** To stop, if the server shuts down. */
  stopMs: 3_000,
};

/** What a request process may use for one request. */
export interface RequestLimits extends Readonly<typeof PATIENCE> {
  /** Bytes. */
  readonly memory: number;
  readonly timeMs: number;
  /** How long its event loop may stand still. */
  readonly frozenMs: number;
}

/** How a request process is doing. */
export interface Condition {
  /** Bytes. */
  readonly memory: number;
  /** Since its request began. */
  readonly runningMs: number;
  /** How long its event loop has stood still. */
  readonly silentMs: number;
  /** The order to stop, and how long ago it was. */
  readonly abort?: { readonly reason: AbortOrder['reason']; readonly ageMs: number };
}

/** @returns why the process must be ended; undefined if it may go on */
export function excess(limits: RequestLimits, condition: Condition): EndCause | undefined {
  const { memory, runningMs, silentMs, abort } = condition;
  if (abort?.reason === 'cancelled') {
    const isDeaf = Math.min(silentMs, abort.ageMs) > limits.deafMs;
    if (isDeaf || abort.ageMs > limits.undoMs) return 'cancelled';
  } else if (abort !== undefined && abort.ageMs > limits.stopMs) return 'stopping';
  if (memory > limits.memory) return 'memory';
  if (runningMs > limits.timeMs) return 'time';
  if (silentMs > limits.frozenMs) return 'frozen';
  return undefined;
}

/** Why a process ended that the supervisor has not ended. V8 aborts a process whose heap is full. */
export function causeOfEnd(signal: NodeJS.Signals | null): EndCause {
  if (signal === 'SIGABRT') return 'memory';
  return signal === 'SIGKILL' ? 'killed' : 'crashed';
}
