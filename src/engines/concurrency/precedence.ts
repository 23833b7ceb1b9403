import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 20;

/** Lets work that nobody waits for stand back, piece by piece, while other work goes on. */
export class Precedence {
  private running = 0;
  private lastEnd = -Infinity;

  /** @param lingerMs who is waited for often asks for the next thing at once: so long nothing is begun in between */
  constructor(private readonly lingerMs: number) {}

  /** Does work that somebody waits for. */
  async first<T>(work: () => Promise<T>): Promise<T> {
    this.running += 1;
    try {
      return await work();
    } finally {
      this.running -= 1;
      this.lastEnd = performance.now();
    }
  }

  /** Waits while others have precedence, at most so long: called before each piece of work that can wait. */
  async giveWay(mostMs: number): Promise<void> {
    const end = performance.now() + mostMs;
    while (this.isTaken() && performance.now() < end) await pause(LOOK_MS);
  }

  private isTaken(): boolean {
    return this.running > 0 || performance.now() - this.lastEnd < this.lingerMs;
  }
}
