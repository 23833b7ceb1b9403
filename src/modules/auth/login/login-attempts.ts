import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../config/config.js';
import { Throttle } from '../../../core/access/throttle.js';
import { Clock } from '../../../core/clock.js';
import { Throttled } from '../../../core/http/errors.js';

const WINDOW_MS = 5 * 60_000;
/** Many people may share an address (an office, a proxy), and an attacker may use many addresses. */
const WIDE_FACTOR = 10;
/** How long an address from which an account has logged in counts as known. */
const KNOWN_MS = 30 * 86_400_000;
const MAX_KNOWN = 100_000;

/**
 * Limits the rate of password guessing. Failures are counted per pair of account and address, so that a stranger cannot lock
 * the owner out; per address; and per account, for all addresses from which it has not logged in yet.
 */
@Injectable()
export class LoginAttempts {
  private readonly pairs: Throttle;
  private readonly addresses: Throttle;
  private readonly accounts: Throttle;
  /** Expiry times of known addresses, by pair of account and address. */
  private readonly known = new Map<string, number>();
  private readonly now: () => number;

  constructor(@Inject(CONFIG) config: Config, clock: Clock) {
    this.now = () => clock.now().getTime();
    const failures = config.limits.loginFailures;
    this.pairs = new Throttle(failures, WINDOW_MS, this.now);
    this.addresses = new Throttle(failures * WIDE_FACTOR, WINDOW_MS, this.now);
    this.accounts = new Throttle(failures * WIDE_FACTOR, WINDOW_MS, this.now);
  }

  /**
   * Counts an attempt as a failure before anything is verified, so that concurrent guesses are all counted.
   * @param accounts identify the accounts that the name may mean, even if they do not exist
   * @returns a function to call on success, which uncounts the failure and remembers the address
   * @throws Throttled after too many failures for one of them, before the attempt is made
   */
  begin(accounts: readonly string[], address: string): () => void {
    const counters: (readonly [Throttle, string])[] = [[this.addresses, address]];
    const pairs = accounts.map((account) => `${address}\0${account}`);
    for (const pair of pairs) counters.push([this.pairs, pair]);
    for (const [index, account] of accounts.entries())
      if (!this.isKnown(pairs[index] ?? '')) counters.push([this.accounts, account]);
    const seconds = Math.max(...counters.map(([throttle, key]) => throttle.blocked(key)));
    if (seconds > 0) throw new Throttled(seconds);
    for (const [throttle, key] of counters) throttle.hit(key);
    return () => {
      for (const [throttle, key] of counters) throttle.takeBack(key);
      for (const pair of pairs) this.remember(pair);
    };
  }

  private isKnown(pair: string): boolean {
    return (this.known.get(pair) ?? 0) > this.now();
  }

  private remember(pair: string): void {
    this.known.delete(pair); // the newest is last
    const oldest = this.known.keys().next();
    if (this.known.size >= MAX_KNOWN && oldest.done !== true) this.known.delete(oldest.value);
    this.known.set(pair, this.now() + KNOWN_MS);
  }
}
