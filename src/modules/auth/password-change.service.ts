import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { identityOf } from '../../core/access/current-actor.decorator.js';
import { Db } from '../../core/database/db.js';
import type { Unvalidated } from '../../core/http/body.js';
import { Invalid, Unauthenticated } from '../../core/http/errors.js';
import type { Actor } from '../../shared/policy/actor.js';
import { AccountsRepository } from './accounts.repository.js';
import { Cookies } from './cookies.js';
import type { ChangePasswordDto } from './dto/auth.dto.js';
import { NewPasswords } from './new-passwords.js';
import { PasswordVerifier } from './password-verifier.js';
import { Sessions } from './sessions.js';

const WRONG_OLD = 'Your old password was entered incorrectly. Please enter it again.';

@Injectable()
export class PasswordChangeService {
  constructor(
    @Inject(AccountsRepository) private readonly accounts: AccountsRepository,
    @Inject(PasswordVerifier) private readonly passwords: PasswordVerifier,
    @Inject(NewPasswords) private readonly newPasswords: NewPasswords,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Db) private readonly db: Db,
    @Inject(Cookies) private readonly cookies: Cookies,
  ) {}

  /**
   * A client with a session or its token goes on in a new session. One that sends the password with every request gets
   * none: its cookie would take precedence over the password, and the old one would seem to be accepted.
   */
  async change(
    actor: Actor,
    body: Unvalidated<ChangePasswordDto>,
    request: Request,
    response: Response,
  ): Promise<void> {
    const kind = identityOf(request)?.credential.kind;
    const dto = body.validate();
    const account = await this.accounts.byId(actor.id);
    if (account === undefined) throw new Unauthenticated('User inactive or deleted.');
    const known = await this.passwords.find([account], dto.old_password, account.username, request.ip ?? '');
    if (known === undefined) throw new Invalid({ old_password: [WRONG_OLD] });
    await this.newPasswords.set(account, dto);
    if (kind !== 'session' && kind !== 'token') return;
    const session = await this.sessions.start(this.db, account.id);
    if (kind === 'session') this.cookies.session(response, session);
    else this.cookies.logIn(response, session);
  }
}
