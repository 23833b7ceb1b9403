import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReadEvent } from './outbox.reader.js';

/** Reports an error that nobody handled, in what a call of an extension's listener has started. */
type Report = (error: unknown) => void;

const reports = new AsyncLocalStorage<Report>();

/**
 * To be called with an error that nobody has handled, in the context in which Node reports it.
 * @returns whether an extension's listener has caused it. The error then counts as a failure of the listener.
 */
export function isErrorOfListener(error: unknown): boolean {
  const report = reports.getStore();
  report?.(error);
  return report !== undefined;
}

/** An error outside of a listener's call, and the events that the call was about. */
export interface StrayError {
  readonly events: readonly ReadEvent[];
  readonly error: unknown;
  /** Whether what the listener has written for these events is stored. */
  readonly isCommitted: boolean;
}

/** The calls of a listener in one transaction. */
export class ListenerAttempt {
  private isCommitted: boolean | undefined;
  private hasReturned = false;
  private readonly stray: Omit<StrayError, 'isCommitted'>[] = [];
  private fail: Report = () => undefined;
  private readonly failure = new Promise<never>((_, reject) => (this.fail = reject));

  constructor(
    readonly events: readonly ReadEvent[],
    /** Whether they were in quarantine. */
    readonly isLate: boolean,
    private readonly onStray: (stray: StrayError) => void,
  ) {
    this.failure.catch(() => undefined); // may happen when nobody waits
  }

  /**
   * Calls the listener so that errors of what it starts are reported here.
   * @throws its error, or one that occurs in what an earlier call of the transaction has started
   */
  watch(events: readonly ReadEvent[], call: () => unknown): Promise<unknown> {
    const report = (error: unknown): void => {
      if (!this.hasReturned) this.fail(error);
      else if (this.isCommitted === undefined) this.stray.push({ events, error });
      else this.onStray({ events, error, isCommitted: this.isCommitted });
    };
    return this.orFailure(reports.run(report, async () => await call()));
  }

  /** Waits for something that belongs to the calls. @throws as `watch` */
  orFailure<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.failure]);
  }

  /** All calls have returned: later errors cannot undo the transaction. */
  returned(): void {
    this.hasReturned = true;
  }

  /** The transaction has ended. */
  settle(isCommitted: boolean): void {
    this.hasReturned = true;
    this.isCommitted = isCommitted;
    for (const stray of this.stray.splice(0)) this.onStray({ ...stray, isCommitted });
  }
}
