import type { Turns } from './request.repository.js';

/** Owners beyond it are forgotten, and count as not yet served. */
const MOST_REMEMBERED = 1_000;

export interface TurnLimits {
  /** Requests of all owners at a time. */
  readonly total: number;
  /** Of one owner. */
  readonly each: number;
}

/**
 * Which owners get a place in this process. The last free place is for an owner who has none, so nobody can fill all of
 * them alone.
 */
export class OwnerTurns {
  private readonly running = new Map<number, number>();
  /** In the order in which they were last served. */
  private readonly served = new Set<number>();
  private count = 0;

  constructor(private readonly limits: TurnLimits) {}

  get hasRoom(): boolean {
    return this.count < this.limits.total;
  }

  turns(): Turns {
    const most = this.limits.total - this.count > 1 ? this.limits.each : 1;
    const full = [...this.running].flatMap(([owner, count]) => (count < most ? [] : [owner]));
    return { full, served: [...this.served] };
  }

  begin(ownerId: number | null): void {
    const owner = ownerId ?? 0;
    this.count += 1;
    this.running.set(owner, (this.running.get(owner) ?? 0) + 1);
    this.served.delete(owner);
    this.served.add(owner);
    const [oldest] = this.served;
    if (this.served.size > MOST_REMEMBERED && oldest !== undefined) this.served.delete(oldest);
  }

  end(ownerId: number | null): void {
    const owner = ownerId ?? 0;
    this.count -= 1;
    const left = (this.running.get(owner) ?? 0) - 1;
    if (left > 0) this.running.set(owner, left);
    else this.running.delete(owner);
  }
}
