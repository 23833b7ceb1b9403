import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { identityOf } from '../../../core/access/current-actor.decorator.js';
import { Db } from '../../../core/database/db.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Invalid, Unauthenticated } from '../../../core/http/errors/errors.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { type AccountRow, AccountsRepository } from '../accounts/accounts.repository.js';
import { Cookies, Sessions } from '../sessions/sessions.js';
import type { ChangePasswordDto, NewPasswordDto, ConfirmResetDto, ResetPasswordDto } from '../auth.dto.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { encodePassword, isUsable } from '../../../engines/password/encoded-password.js';
import { passwordProblems, similarityProblems } from '../../../engines/password/password-rules.js';
import { sql } from '../../../engines/sql/sql.js';
import { ApiTokens } from '../tokens/api-tokens.js';
import { Clock } from '../../../core/clock.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { ServerSecret } from '../../../core/secret.js';
import { PasswordVerifier } from './password-verifier.js';
import { fromUid, isMailedToken, makeMailedToken, toUid } from './mailed-token.js';

const WRONG_OLD = 'Your old password was entered incorrectly. Please enter it again.';

/** Replaces passwords. */
@Injectable()
export class NewPasswords {
  constructor(
    private readonly work: UnitOfWork,
    private readonly sessions: Sessions,
    private readonly tokens: ApiTokens,
  ) {}

  /**
   * Stores the password, and revokes what was obtained with the old one: the user's sessions, login token and, unless the
   * body says to keep them, access tokens.
   * @param how `byMail`: with a link sent to the e-mail address, which is thereby verified
   * @throws Invalid if the password is not acceptable
   */
  async set(account: AccountRow, dto: NewPasswordDto, how = { byMail: false }): Promise<void> {
    requireGoodPassword(account, dto);
    const encoded = await encodePassword(dto.new_password1);
    await this.work.run(async (tx) => {
      await tx.query(
        sql`update app_user set password = ${encoded}, email_verified = email_verified or ${how.byMail} where id = ${account.id}`,
      );
      await this.sessions.stopAll(tx, account.id);
      await this.tokens.delete(tx, account.id);
      if (dto.keep_access_tokens !== true) await tx.query(sql`delete from access_token where owner_id = ${account.id}`);
    });
  }
}

/** Changes passwords by request of their owners. */
@Injectable()
export class PasswordChangeService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly passwords: PasswordVerifier,
    private readonly newPasswords: NewPasswords,
    private readonly sessions: Sessions,
    private readonly db: Db,
    private readonly cookies: Cookies,
  ) {}

  /**
   * A client with a session or token continues in a new session. A client that uses Basic authentication gets none: its
   * cookie would take precedence over the password, and the old password would seem to be still accepted.
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

function requireGoodPassword(account: AccountRow, dto: NewPasswordDto): void {
  const { new_password1: password, new_password2: repeated } = dto;
  if (password !== repeated) throw new Invalid({ new_password2: ['The two password fields didn’t match.'] });
  const personal = {
    username: account.username,
    'first name': account.first_name,
    'last name': account.last_name,
    'email address': account.email,
  };
  const problems = [...similarityProblems(password, personal), ...passwordProblems(password)];
  if (problems.length > 0) throw new Invalid({ new_password2: problems });
}

/** Lets users set a new password with a link that is sent to them. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly newPasswords: NewPasswords,
    private readonly mailer: Mailer,
    private readonly secret: ServerSecret,
    private readonly clock: Clock,
  ) {}

  /** Sends a link to all active accounts with this address and a password. Does not reveal whether there are any. */
  async request(body: Unvalidated<ResetPasswordDto>): Promise<void> {
    const { email } = body.validate();
    for (const account of await this.accounts.byEmail(email)) {
      if (!account.is_active || !isUsable(account.password)) continue;
      const token = makeMailedToken(this.key, subjectOf(account), this.clock.now());
      const query = new URLSearchParams({ uid: toUid(account.id), token });
      const path = `/auth/password/reset/confirm?${query.toString()}`;
      this.mailer.send({ to: account.email, subject: 'Set a new password', path });
    }
  }

  async confirm(body: Unvalidated<ConfirmResetDto>): Promise<void> {
    const dto = body.validate();
    const account = await this.accounts.byId(fromUid(dto.uid));
    if (account?.is_active !== true) throw new Invalid({ uid: ['Invalid value'] });
    if (!isMailedToken(this.key, subjectOf(account), dto.token, this.clock.now()))
      throw new Invalid({ token: ['Invalid value'] });
    await this.newPasswords.set(account, dto, { byMail: true });
  }

  private get key(): Buffer {
    return this.secret.keyFor('password reset');
  }
}

/** A token becomes invalid when the password or the e-mail address of the account changes. */
const subjectOf = ({ id, password, email }: AccountRow) => ({ id, state: `${password}\0${email}` });
