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
import { type Counter, type Limit, Throttles } from '../../../core/access/throttles.js';
import { Throttled } from '../../../core/http/errors/errors.js';

const WINDOW_MS = 5 * 60_000;
/** Many people may share an address (an office, a proxy), and an attacker may use many addresses. */
const WIDE_FACTOR = 10;
/** How long an address from which an account has logged in counts as known. */
const KNOWN: Limit = { name: 'known addresses', most: 1, windowMs: 30 * 86_400_000 };

/**
 * Limits the rate of password guessing. Failures are counted per pair of account and address, so that a stranger cannot lock
 * the owner out; per address; and per account, for all addresses from which it has not logged in yet. All servers count
 * together.
 */
@Injectable()
export class LoginAttempts {
  private readonly pairs: Limit;
  private readonly addresses: Limit;
  private readonly accounts: Limit;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly throttles: Throttles,
  ) {
    const failures = config.limits.loginFailures;
    this.pairs = { name: 'log-ins of an account from an address', most: failures, windowMs: WINDOW_MS };
    this.addresses = { name: 'log-ins from an address', most: failures * WIDE_FACTOR, windowMs: WINDOW_MS };
    this.accounts = { name: 'log-ins of an account', most: failures * WIDE_FACTOR, windowMs: WINDOW_MS };
  }

  /**
   * Counts an attempt as a failure before anything is verified, so that concurrent guesses are all counted.
   * @param accounts identify the accounts that the name may mean, even if they do not exist
   * @returns a function to call on success, which uncounts the failure and remembers the address
   * @throws Throttled after too many failures for one of them, before the attempt is made
   */
  async begin(accounts: readonly string[], address: string): Promise<() => Promise<void>> {
    const pairs = accounts.map((account) => `${address}\0${account}`);
    const known = await this.throttles.remembered(KNOWN, pairs);
    const strangers = accounts.filter((_, index) => !known.has(pairs[index] ?? ''));
    const counters: Counter[] = [
      { limit: this.addresses, key: address },
      ...pairs.map((key) => ({ limit: this.pairs, key })),
      ...strangers.map((key) => ({ limit: this.accounts, key })),
    ];
    const seconds = await this.throttles.hitAll(counters);
    if (seconds > 0) throw new Throttled(seconds);
    return async () => {
      await this.throttles.takeBack(counters);
      await this.throttles.remember(KNOWN, pairs);
    };
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
   * @param elsewhere called if no candidate has the password; finds an account by a password that is not stored here
   * @returns undefined, after about the same time, if no candidate has it
   * @throws Throttled after too many failures; what `elsewhere` throws, which counts as a failure
   */
  async find(
    candidates: readonly AccountRow[],
    password: string,
    name: string,
    address: string,
    elsewhere: () => Promise<AccountRow | undefined> = nowhere,
  ): Promise<AccountRow | undefined> {
    const known = candidates.find((account) => this.isRemembered(account, password, address));
    if (known !== undefined) return known;
    const key = this.keysOf(candidates, password, name, address).join();
    const inProgress = this.inProgress.get(key);
    if (inProgress !== undefined) return inProgress;
    const found = this.attempt(candidates, password, name, address, elsewhere).finally(() =>
      this.inProgress.delete(key),
    );
    this.inProgress.set(key, found);
    return found;
  }

  /** Counted for every account that the name may mean, so that another name for an account gives no more guesses. */
  private async attempt(
    candidates: readonly AccountRow[],
    password: string,
    name: string,
    address: string,
    elsewhere: () => Promise<AccountRow | undefined>,
  ): Promise<AccountRow | undefined> {
    const accounts = candidates.length > 0 ? candidates.map(({ id }) => String(id)) : [`name ${normal(name)}`];
    const succeeded = await this.attempts.begin(accounts, address);
    for (const candidate of candidates) {
      const found = await this.verify(candidate, password, address);
      if (found === null) continue;
      await succeeded();
      return found;
    }
    if (!candidates.some(({ password: stored }) => isVerifiable(stored) && !isOutdated(stored))) {
      await this.spendTime(password);
    }
    const found = await elsewhere();
    if (found !== undefined) await succeeded();
    return found;
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

const nowhere = (): Promise<undefined> => Promise.resolve(undefined);

/** Truncates long names, because they stay in memory for a while. */
const normal = (name: string): string => name.toLowerCase().slice(0, 254);
