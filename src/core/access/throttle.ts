/**
 * Counts events of this process per key in fixed windows. Memory is bounded because all counters are dropped when the
 * window ends. For limits that protect the process itself; see `Throttles` for limits of all servers together.
 */
export class Throttle {
  private counts = new Map<string, number>();
  private windowEnd = 0;

  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    private readonly now: () => number,
  ) {}

  /** Counts one event. @returns seconds to wait if the limit is exceeded, else 0 */
  hit(key: string): number {
    this.roll();
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    return count > this.limit ? this.wait() : 0;
  }

  private wait(): number {
    return Math.max(1, Math.ceil((this.windowEnd - this.now()) / 1000));
  }

  private roll(): void {
    if (this.now() < this.windowEnd) return;
    this.counts = new Map();
    this.windowEnd = this.now() + this.windowMs;
  }
}
