import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body.js';
import { Invalid, InvalidList, PlainError } from '../../core/http/errors.js';
import type { AccountRow } from './account.js';
import { AccountsRepository } from './accounts.repository.js';
import { Cookies, readCookies } from './cookies.js';
import type { LoginDto } from './dto/auth.dto.js';
import { EmailVerification } from './email-verification.js';
import { Entrance } from './entrance.js';
import { PasswordVerifier } from './password-verifier.js';

const INCOMPLETE = 'Must include either "username" or "email" and "password".';
const UNVERIFIED = 'Unverified email';
const REFUSED = 'Unable to log in with provided credentials.';

@Injectable()
export class LoginService {
  constructor(
    @Inject(UnitOfWork) private readonly work: UnitOfWork,
    @Inject(AccountsRepository) private readonly accounts: AccountsRepository,
    @Inject(PasswordVerifier) private readonly passwords: PasswordVerifier,
    @Inject(Entrance) private readonly entrance: Entrance,
    @Inject(EmailVerification) private readonly verification: EmailVerification,
    @Inject(Cookies) private readonly cookies: Cookies,
  ) {}

  /** @returns the person's token; the session goes into cookies */
  async logIn(body: Unvalidated<LoginDto>, request: Request, response: Response): Promise<string> {
    const dto = body.validate();
    const names = { username: dto.username ?? '', email: dto.email ?? '' };
    const password = dto.password ?? '';
    const name = names.username || names.email;
    if (name === '' || password === '') throw new InvalidList(INCOMPLETE);
    const candidates = await this.candidates(names);
    const account = await this.passwords.find(candidates, password, name, request.ip ?? '');
    if (account?.is_active !== true) throw new Invalid({ non_field_errors: [REFUSED] });
    if (this.verification.blocks(account)) {
      this.verification.send(account);
      throw new PlainError(400, UNVERIFIED);
    }
    const previous = readCookies(request).session;
    const entry = await this.work.run((tx) => this.entrance.enter(tx, account.id, account.password, previous));
    if (entry === null) throw new Invalid({ non_field_errors: [REFUSED] }); // it was changed in between
    this.cookies.logIn(response, entry.sessionKey);
    return entry.tokenKey;
  }

  /** Ends the session of the request. @param userId whose token ends too, if anybody's */
  async logOut(userId: number | null, request: Request, response: Response): Promise<void> {
    await this.work.run((tx) => this.entrance.leave(tx, userId, readCookies(request).session));
    this.cookies.logOut(response);
  }

  /** Where both are given, both must be the same person's. */
  private async candidates({ username, email }: { username: string; email: string }): Promise<AccountRow[]> {
    if (email === '') return this.accounts.byName(username);
    const owners = await this.accounts.byEmail(email);
    return username === '' ? owners : owners.filter((owner) => owner.username.toLowerCase() === username.toLowerCase());
  }
}
