import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import {
  encodePassword,
  isOutdated,
  isUsable,
  isVerifiable,
  verifyPassword,
} from '../../../engines/password/encoded-password.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { type AccountRow, AccountsRepository } from '../accounts/accounts.repository.js';
import { CONFIG, type Config } from '../../../config/config.js';
import { Throttle } from '../../../core/access/throttle.js';
import { Throttled } from '../../../core/http/errors/errors.js';

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

const REMEMBER_MS = 5 * 60_000;
const MAX_REMEMBERED = 1000;

/** Verifies names and passwords. */
@Injectable()
export class PasswordVerifier {
  private readonly remembered = new Map<string, number>();
  private readonly salt = randomBytes(32);
  /** Attempts in progress: concurrent requests with the same password from the same address are one attempt. */
  private readonly inProgress = new Map<string, Promise<AccountRow | undefined>>();
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly attempts: LoginAttempts,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Finds the candidate that has this password.
   * @param name as the user entered it
   * @returns undefined, after about the same time, if no candidate has it
   * @throws Throttled after too many failures
   */
  async find(
    candidates: readonly AccountRow[],
    password: string,
    name: string,
    address: string,
  ): Promise<AccountRow | undefined> {
    const known = candidates.find((account) => this.isRemembered(account, password, address));
    if (known !== undefined) return known;
    const key = this.keysOf(candidates, password, name, address).join();
    const inProgress = this.inProgress.get(key);
    if (inProgress !== undefined) return inProgress;
    const found = this.attempt(candidates, password, name, address).finally(() => this.inProgress.delete(key));
    this.inProgress.set(key, found);
    return found;
  }

  /** Counted for every account that the name may mean, so that another name for an account gives no more guesses. */
  private async attempt(
    candidates: readonly AccountRow[],
    password: string,
    name: string,
    address: string,
  ): Promise<AccountRow | undefined> {
    const accounts = candidates.length > 0 ? candidates.map(({ id }) => String(id)) : [`name ${normal(name)}`];
    const succeeded = this.attempts.begin(accounts, address);
    for (const candidate of candidates) {
      const found = await this.verify(candidate, password, address);
      if (found === null) continue;
      succeeded();
      return found;
    }
    if (!candidates.some(({ password: stored }) => isVerifiable(stored) && !isOutdated(stored))) {
      await this.spendTime(password);
    }
    return undefined;
  }

  private keysOf(candidates: readonly AccountRow[], password: string, name: string, address: string): string[] {
    if (candidates.length > 0) return candidates.map((account) => this.keyOf(account, password, address));
    return [this.keyOf({ id: 0, password: normal(name) }, password, address)];
  }

  /**
   * Checks whether a client that was authenticated with this password still is. Not counted as an attempt.
   * @param candidates the current rows
   */
  async holds(candidates: readonly AccountRow[], password: string, address: string): Promise<boolean> {
    for (const account of candidates) {
      if (this.isRemembered(account, password, address) || (await this.verify(account, password, address)) !== null)
        return true;
    }
    return false;
  }

  /** @returns the account with its stored password; null if the password is wrong */
  private async verify(account: AccountRow, password: string, address: string): Promise<AccountRow | null> {
    if (isUsable(account.password) && !isVerifiable(account.password)) {
      this.log.warn(
        { user: account.id },
        'the stored password has an encoding that is not supported; it must be reset',
      );
    }
    if (!(await verifyPassword(password, account.password))) return null;
    const current = isOutdated(account.password) ? await this.reencode(account, password) : account;
    if (current !== null) this.remember(current, password, address);
    return current;
  }

  private async reencode(account: AccountRow, password: string): Promise<AccountRow | null> {
    const stored = await this.accounts.reencode(account.id, account.password, await encodePassword(password));
    // another request may have reencoded the same password, or set another one
    return stored !== undefined && (await verifyPassword(password, stored)) ? { ...account, password: stored } : null;
  }

  /** Takes as long as a verification, so that the time does not reveal which names exist. */
  private async spendTime(password: string): Promise<void> {
    this.decoy ??= encodePassword(randomBytes(16).toString('hex'));
    await verifyPassword(password, await this.decoy);
  }

  /**
   * Verification is slow on purpose, and a client with Basic authentication would pay for it on each request. The key
   * contains the stored hash, so that a changed password is never accepted; the password itself is not stored. It also
   * contains the client's address, so that a throttled stranger does not learn which guess is right.
   */
  private remember(account: AccountRow, password: string, address: string): void {
    const oldest = this.remembered.keys().next();
    if (this.remembered.size >= MAX_REMEMBERED && oldest.done !== true) this.remembered.delete(oldest.value);
    this.remembered.set(this.keyOf(account, password, address), this.clock.now().getTime() + REMEMBER_MS);
  }

  private isRemembered(account: AccountRow, password: string, address: string): boolean {
    const key = this.keyOf(account, password, address);
    const until = this.remembered.get(key);
    if (until === undefined) return false;
    if (until > this.clock.now().getTime()) return true;
    this.remembered.delete(key);
    return false;
  }

  private keyOf(
    { id, password: stored }: Pick<AccountRow, 'id' | 'password'>,
    password: string,
    address: string,
  ): string {
    return createHmac('sha256', this.salt).update(`${id}\0${stored}\0${address}\0${password}`).digest('base64');
  }
}

/** Truncates long names, because they stay in memory for a while. */
const normal = (name: string): string => name.toLowerCase().slice(0, 254);
