import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { type AccountRow, AccountsRepository } from '../accounts/accounts.repository.js';
import { PasswordVerifier } from '../passwords/password-verifier.js';
import { DirectoryLogins } from '../sign-on/directory-logins.js';

/** What a person entered. An empty text: not entered. */
export interface EnteredNames {
  readonly username: string;
  readonly email: string;
}

/**
 * Verifies what a person entered: passwords that are stored here first, so that they work while the directory does not,
 * then those of the directory.
 */
@Injectable()
export class Credentials {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly passwords: PasswordVerifier,
    private readonly directory: DirectoryLogins,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * @returns undefined if name or password is wrong
   * @throws Throttled; Forbidden for people of the directory who cannot have an account; Unavailable
   */
  async find(names: EnteredNames, password: string, request: Request): Promise<AccountRow | undefined> {
    const name = names.username || names.email;
    const elsewhere = (): Promise<AccountRow | undefined> => this.directory.find(names, password, request);
    return this.passwords.find(await this.candidates(names), password, name, request.ip ?? '', elsewhere);
  }

  /** Checks whether a client that was authenticated with this password still is. */
  async hold(names: EnteredNames, password: string, request: Request): Promise<boolean> {
    const candidates = await this.candidates(names);
    return (
      (await this.passwords.holds(candidates, password, request.ip ?? '')) ||
      (await this.directory.accepts(names, password))
    );
  }

  /** If both are given, both must be the same user's. */
  private async candidates({ username, email }: EnteredNames): Promise<AccountRow[]> {
    if (!this.config.localPasswords) return [];
    if (email === '') return this.accounts.byName(username);
    const owners = await this.accounts.byEmail(email);
    return username === '' ? owners : owners.filter((owner) => owner.username.toLowerCase() === username.toLowerCase());
  }
}
