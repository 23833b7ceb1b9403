import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/**
 * How long a computation may go on before other work of the process gets a turn. A request waits for several turns: one
 * for each response of the database.
 */
const TURN_MS = 3;

/** Lets other requests have their turn between the steps of a long computation, and stops it when it is cancelled. */
export class Turns {
  private begun = performance.now();

  /** @param signal absent if the work cannot be cancelled */
  constructor(private readonly signal?: AbortSignal) {}

  /** @throws the reason of the signal */
  readonly take = async (): Promise<void> => this.pause();

  /** The same for very short steps: undefined if it is not yet time. */
  readonly pause = (): Promise<void> | undefined =>
    performance.now() - this.begun < TURN_MS ? undefined : this.next();

  private async next(): Promise<void> {
    await yieldToEventLoop();
    this.signal?.throwIfAborted();
    this.begun = performance.now();
  }
}
