import { createHmac, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import {
  encodePassword,
  isOutdated,
  isVerifiable,
  isUsable,
  verifyPassword,
} from '../../engines/password/encoded-password.js';
import { LOGGER, type Logger } from '../../core/logging/logger.js';
import type { AccountRow } from './account.js';
import { AccountsRepository } from './accounts.repository.js';
import { LoginAttempts } from './login-attempts.js';

const REMEMBER_MS = 5 * 60_000;
const MAX_REMEMBERED = 1000;

/** Recognises people by name and password. */
@Injectable()
export class PasswordVerifier {
  private readonly remembered = new Map<string, number>();
  private readonly salt = randomBytes(32);
  /** Clients send many requests at a time: those with the same password from the same address are one attempt. */
  private readonly underWay = new Map<string, Promise<AccountRow | undefined>>();
  private nobody: Promise<string> | undefined;

  constructor(
    @Inject(AccountsRepository) private readonly accounts: AccountsRepository,
    @Inject(LoginAttempts) private readonly attempts: LoginAttempts,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * The one of `candidates` whose password this is.
   * @param name what was typed in
   * @returns undefined, after about the same time, when it is nobody's
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
    const underWay = this.underWay.get(key);
    if (underWay !== undefined) return underWay;
    const found = this.attempt(candidates, password, name, address).finally(() => this.underWay.delete(key));
    this.underWay.set(key, found);
    return found;
  }

  /** Name and e-mail address of a person are the same account: attempts with both are counted together. */
  private async attempt(
    candidates: readonly AccountRow[],
    password: string,
    name: string,
    address: string,
  ): Promise<AccountRow | undefined> {
    const account = candidates.length > 0 ? candidates.map(({ id }) => id).join() : `name ${normal(name)}`;
    const succeeded = this.attempts.begin(account, address);
    for (const candidate of candidates) {
      const found = await this.verify(candidate, password, address);
      if (found === null) continue;
      succeeded();
      return found;
    }
    if (!candidates.some(({ password: stored }) => isVerifiable(stored) && !isOutdated(stored))) {
      await this.pretend(password);
    }
    return undefined;
  }

  private keysOf(candidates: readonly AccountRow[], password: string, name: string, address: string): string[] {
    if (candidates.length > 0) return candidates.map((account) => this.keyOf(account, password, address));
    return [this.keyOf({ id: 0, password: normal(name) }, password, address)];
  }

  /**
   * Is the password still right? Not counted as an attempt: for those who were let in with it already.
   * @param candidates as they are now
   */
  async holds(candidates: readonly AccountRow[], password: string, address: string): Promise<boolean> {
    for (const account of candidates) {
      if (this.isRemembered(account, password, address) || (await this.verify(account, password, address)) !== null)
        return true;
    }
    return false;
  }

  /** @returns the account with the password as it is stored now; null when it is another one */
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
    // somebody else may have encoded the same password anew, or have set another one
    return stored !== undefined && (await verifyPassword(password, stored)) ? { ...account, password: stored } : null;
  }

  /** Takes as long as verifying, so that the time does not tell which names exist. */
  private async pretend(password: string): Promise<void> {
    this.nobody ??= encodePassword(randomBytes(16).toString('hex'));
    await verifyPassword(password, await this.nobody);
  }

  /**
   * Verifying is slow on purpose, and a client with Basic authentication would pay for it on each request. The key
   * contains the stored hash, so a changed password is never taken for right; the password itself is not kept. It
   * contains the client's address, too: a stranger who is throttled does not learn which guess is right.
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

/** Long names are cut: they are kept in memory for a while. */
const normal = (name: string): string => name.toLowerCase().slice(0, 254);
