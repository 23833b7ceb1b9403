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
  private nobody: Promise<string> | undefined;

  constructor(
    @Inject(AccountsRepository) private readonly accounts: AccountsRepository,
    @Inject(LoginAttempts) private readonly attempts: LoginAttempts,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * The one of `candidates` whose password this is.
   * @param name what was typed in, for counting failures
   * @returns undefined, after about the same time, when it is nobody's
   * @throws Throttled after too many failures
   */
  async find(
    candidates: readonly AccountRow[],
    password: string,
    name: string,
    address: string,
  ): Promise<AccountRow | undefined> {
    const known = candidates.find((account) => this.isRemembered(account, password));
    if (known !== undefined) return known;
    this.attempts.check(name, address);
    for (const account of candidates) {
      const known = await this.verify(account, password);
      if (known !== null) return known;
    }
    if (!candidates.some((account) => isVerifiable(account.password))) await this.pretend(password);
    this.attempts.failed(name, address);
    return undefined;
  }

  /**
   * Is the password still right? Not counted as an attempt: for those who were let in with it already.
   * @param candidates as they are now
   */
  async holds(candidates: readonly AccountRow[], password: string): Promise<boolean> {
    for (const account of candidates) {
      if (this.isRemembered(account, password) || (await this.verify(account, password)) !== null) return true;
    }
    return false;
  }

  /** @returns the account with the password as it is stored now; null when it is another one */
  private async verify(account: AccountRow, password: string): Promise<AccountRow | null> {
    if (isUsable(account.password) && !isVerifiable(account.password)) {
      this.log.warn(
        { user: account.id },
        'the stored password has an encoding that is not supported; it must be reset',
      );
    }
    if (!(await verifyPassword(password, account.password))) return null;
    const current = isOutdated(account.password) ? await this.reencode(account, password) : account;
    if (current !== null) this.remember(current, password);
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
   * contains the stored hash, so a changed password is never taken for right; the password itself is not kept.
   */
  private remember(account: AccountRow, password: string): void {
    const oldest = this.remembered.keys().next();
    if (this.remembered.size >= MAX_REMEMBERED && oldest.done !== true) this.remembered.delete(oldest.value);
    this.remembered.set(this.keyOf(account, password), this.clock.now().getTime() + REMEMBER_MS);
  }

  private isRemembered(account: AccountRow, password: string): boolean {
    const key = this.keyOf(account, password);
    const until = this.remembered.get(key);
    if (until === undefined) return false;
    if (until > this.clock.now().getTime()) return true;
    this.remembered.delete(key);
    return false;
  }

  private keyOf({ id, password: stored }: AccountRow, password: string): string {
    return createHmac('sha256', this.salt).update(`${id}\0${stored}\0${password}`).digest('base64');
  }
}
