/** A longer time between two looks counts as this: then the supervisor itself was paused, and so was perhaps the machine. */
const MOST_MS = 2_000;

/** How long a process has given no sign of life, while this one was watching. */
export class Silence {
  private silentMs = 0;
  private lastLook: number;

  /** @param now monotonic milliseconds */
  constructor(now: number) {
    this.lastLook = now;
  }

  heard(): void {
    this.silentMs = 0;
  }

  /** Call it at short intervals. @returns milliseconds */
  look(now: number): number {
    this.silentMs += Math.min(now - this.lastLook, MOST_MS);
    this.lastLook = now;
    return this.silentMs;
  }
}
