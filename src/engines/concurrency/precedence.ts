import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 20;

/** Makes background work pause between its steps while somebody waits for other work. */
export class Precedence {
  private running = 0;
  private lastEnd = -Infinity;

  /**
   * @param lingerMs how long background work also pauses after other work ends, since users often send several requests
   */
  constructor(private readonly lingerMs: number) {}

  /** Runs work that somebody is waiting for. */
  async first<T>(work: () => Promise<T>): Promise<T> {
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
      this.lastEnd = performance.now();
    }
  }

  /** Waits while other work has precedence, at most `maxMs`. Call it before each step of background work. */
  async giveWay(maxMs: number): Promise<void> {
    const end = performance.now() + maxMs;
    while (this.isBusy() && performance.now() < end) await pause(POLL_MS);
  }

  private isBusy(): boolean {
    return this.running > 0 || performance.now() - this.lastEnd < this.lingerMs;
  }
}
