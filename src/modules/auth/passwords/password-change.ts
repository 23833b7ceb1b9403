import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { identityOf } from '../../../core/access/current-actor.decorator.js';
import { RequestTrail } from '../../../core/event-log/request-trail.js';
import { currentRequest } from '../../../core/http/request/request-context.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Invalid, Unauthenticated } from '../../../core/http/errors/errors.js';
import type { Actor } from '../../../shared/policy/actor.js';
import { type AccountRow, AccountsRepository } from '../accounts/accounts.repository.js';
import { Cookies, Sessions } from '../sessions/sessions.js';
import type { ChangePasswordDto, NewPasswordDto, ConfirmResetDto, ResetPasswordDto } from '../auth.dto.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { randomText } from '../../../core/random-text.js';
import { encodePassword, isUsable } from '../../../engines/password/encoded-password.js';
import { passwordProblems, similarityProblems } from '../../../engines/password/password-rules.js';
import { sql } from '../../../engines/sql/sql.js';
import { ApiTokens } from '../tokens/api-tokens.js';
import { Clock } from '../../../core/clock.js';
import { Mailer } from '../../../core/mail/mailer.js';
import { ServerSecret } from '../../../core/secret.js';
import { PasswordVerifier } from './password-verifier.js';
import { fromUid, isMailedToken, makeMailedToken, toUid } from './mailed-token.js';

/** Of a password that nobody knows. */
export const RANDOM_LENGTH = 40;
const WRONG_OLD = 'Your old password was entered incorrectly. Please enter it again.';

/** Replaces passwords. */
@Injectable()
export class NewPasswords {
  constructor(
    private readonly work: UnitOfWork,
    private readonly sessions: Sessions,
    private readonly tokens: ApiTokens,
    private readonly trail: RequestTrail,
  ) {}

  /**
   * Stores the password, and revokes what was obtained with the old one: the user's sessions, login token and, unless the
   * body says to keep them, access tokens.
   * @param use uses the link, if there is one, in the transaction. A mailed link proves that the address is the user's.
   * @throws Invalid if the password is not acceptable
   */
  async set(account: AccountRow, dto: NewPasswordDto, use?: (tx: Tx) => Promise<OpenedLink>): Promise<void> {
    requireGoodPassword(account, dto);
    const encoded = await encodePassword(dto.new_password1);
    await this.work.run(async (tx) => {
      const byMail = (await use?.(tx))?.delivery === 'mailed';
      await tx.query(
        sql`update app_user set password = ${encoded}, email_verified = email_verified or ${byMail} where id = ${account.id}`,
      );
      await this.revoke(tx, account.id, dto.keep_access_tokens === true);
      tx.afterCommit(() => this.trail.note('update:password', currentRequest(), account));
    });
  }

  /** Replaces the password by a random one that nobody knows, with the same consequences. @returns the account after it */
  async discard(tx: Tx, account: AccountRow, keepAccessTokens: boolean): Promise<AccountRow> {
    const password = await encodePassword(randomText(RANDOM_LENGTH));
    await tx.query(sql`update app_user set password = ${password} where id = ${account.id}`);
    await this.revoke(tx, account.id, keepAccessTokens);
    return { ...account, password };
  }

  private async revoke(tx: Tx, userId: number, keepAccessTokens: boolean): Promise<void> {
    await this.sessions.stopAll(tx, userId);
    await this.tokens.delete(tx, userId);
    if (!keepAccessTokens) await tx.query(sql`delete from access_token where owner_id = ${userId}`);
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

/**
 * How a link reaches the user. Only a mailed one proves that the e-mail address is theirs: a shown one is passed on by
 * an administrator, or by whoever reads the server's log.
 */
type Delivery = (typeof DELIVERIES)[number];
const DELIVERIES = ['mailed', 'shown'] as const;

interface OpenedLink {
  readonly account: AccountRow;
  readonly delivery: Delivery;
}

/** The query parameters of a link. */
type Proof = Pick<ConfirmResetDto, 'uid' | 'token'>;

/** Links with which the owner of an account sets a new password, once. */
@Injectable()
export class PasswordLinks {
  constructor(
    private readonly db: Db,
    private readonly accounts: AccountsRepository,
    private readonly secret: ServerSecret,
    private readonly clock: Clock,
  ) {}

  /** @returns path and query of the page */
  pathFor(account: AccountRow, delivery: Delivery): string {
    const token = makeMailedToken(this.key, subjectOf(account, delivery), this.clock.now());
    const query = new URLSearchParams({ uid: toUid(account.id), token });
    return `/auth/password/reset/confirm?${query.toString()}`;
  }

  /** @throws Invalid for a link that is wrong, expired or used */
  async open({ uid, token }: Proof, db: Queryable = this.db): Promise<OpenedLink> {
    const account = await this.accounts.byId(fromUid(uid), db);
    if (account?.is_active !== true) throw new Invalid({ uid: ['Invalid value'] });
    const delivery = DELIVERIES.find((one) =>
      isMailedToken(this.key, subjectOf(account, one), token, this.clock.now()),
    );
    if (delivery === undefined) throw new Invalid({ token: ['Invalid value'] });
    return { account, delivery };
  }

  /** Locks the account, so that only one of several requests with the same link finds it unused. @throws as `open` */
  async use(tx: Tx, proof: Proof): Promise<OpenedLink> {
    await tx.query(sql`select 1 from app_user where id = ${fromUid(proof.uid)} for update`);
    return this.open(proof, tx);
  }

  private get key(): Buffer {
    return this.secret.keyFor('password reset');
  }
}

/** Lets users set a new password with a link that is sent to them. */
@Injectable()
export class PasswordResetService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly newPasswords: NewPasswords,
    private readonly links: PasswordLinks,
    private readonly mailer: Mailer,
  ) {}

  /** Sends a link to all active accounts with this address and a password. Does not reveal whether there are any. */
  async request(body: Unvalidated<ResetPasswordDto>): Promise<void> {
    const { email } = body.validate();
    for (const account of await this.accounts.byEmail(email)) {
      if (!account.is_active || !isUsable(account.password)) continue;
      const path = this.links.pathFor(account, this.mailer.isConfigured ? 'mailed' : 'shown');
      this.mailer.send({ to: account.email, subject: 'Set a new password', path });
    }
  }

  async confirm(body: Unvalidated<ConfirmResetDto>): Promise<void> {
    const dto = body.validate();
    const { account } = await this.links.open(dto);
    await this.newPasswords.set(account, dto, (tx) => this.links.use(tx, dto));
  }
}

/** A token becomes invalid when the password or the e-mail address of the account changes, or the account is disabled. */
const subjectOf = ({ id, password, email, disabled_date: disabled }: AccountRow, delivery: Delivery) => ({
  id,
  state: `${password}\0${email}\0${disabled ?? 'never'}\0${delivery}`,
});
