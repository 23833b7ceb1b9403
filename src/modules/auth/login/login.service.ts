import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { identityOf } from '../../../core/access/current-actor.decorator.js';
import { claimsToBe, RequestTrail } from '../../../core/event-log/request-trail.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../../core/http/body/body.js';
import { Invalid, InvalidList, PlainError } from '../../../core/http/errors/errors.js';
import { Cookies, readCookies, Sessions } from '../sessions/sessions.js';
import type { LoginDto } from '../auth.dto.js';
import { EmailVerification } from '../accounts/email-verification.js';
import { Clock } from '../../../core/clock.js';
import type { Queryable } from '../../../core/database/db.js';
import { sql } from '../../../engines/sql/sql.js';
import { ApiTokens } from '../tokens/api-tokens.js';
import { Credentials } from './credentials.js';

const INCOMPLETE = 'Must include either "username" or "email" and "password".';
const UNVERIFIED = 'Unverified email';
const REFUSED = 'Unable to log in with provided credentials.';

/** The credentials that a login gives the client. */
export interface LoginCredentials {
  readonly tokenKey: string;
  readonly sessionKey: string;
}

/** Records logins and log-outs: sessions, tokens and the time of the last login. */
@Injectable()
export class LoginRecords {
  constructor(
    private readonly tokens: ApiTokens,
    private readonly sessions: Sessions,
    private readonly clock: Clock,
  ) {}

  /**
   * Records the login, and replaces the request's session by a new one.
   * @param password the stored password at the time of verification
   * @returns null if the password has changed since
   */
  async logIn(
    db: Queryable,
    userId: number,
    password: string,
    previousSession: string,
  ): Promise<LoginCredentials | null> {
    const found = await db.query(sql`
      update app_user set last_login = ${this.clock.now()} where id = ${userId} and password = ${password} returning id`);
    if (found.length === 0) return null;
    await this.sessions.stop(db, previousSession);
    return { tokenKey: await this.tokens.keyOf(db, userId), sessionKey: await this.sessions.start(db, userId) };
  }

  /** Records a login without a password, and replaces the request's session by a new one. @returns the session's key */
  async startSession(db: Queryable, userId: number, previousSession: string): Promise<string> {
    await db.query(sql`update app_user set last_login = ${this.clock.now()} where id = ${userId}`);
    await this.sessions.stop(db, previousSession);
    return this.sessions.start(db, userId);
  }

  /** @param userId the user whose token is deleted, too; null to keep tokens */
  async logOut(db: Queryable, userId: number | null, session: string): Promise<void> {
    await this.sessions.stop(db, session);
    if (userId !== null) await this.tokens.delete(db, userId);
  }
}

/** Logs people in and out, with a user name or e-mail address and a password. */
@Injectable()
export class LoginService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly credentials: Credentials,
    private readonly records: LoginRecords,
    private readonly verification: EmailVerification,
    private readonly cookies: Cookies,
    private readonly trail: RequestTrail,
  ) {}

  /** Sets the session's cookies. @returns the user's token */
  async logIn(body: Unvalidated<LoginDto>, request: Request, response: Response): Promise<string> {
    const dto = body.validate();
    const names = { username: dto.username ?? '', email: dto.email ?? '' };
    const password = dto.password ?? '';
    const name = names.username || names.email;
    if (name === '' || password === '') throw new InvalidList(INCOMPLETE);
    claimsToBe(request, name);
    const account = await this.credentials.find(names, password, request);
    if (account?.is_active !== true) throw new Invalid({ non_field_errors: [REFUSED] });
    if (this.verification.blocks(account)) {
      await this.verification.send(account);
      throw new PlainError(400, UNVERIFIED);
    }
    const previous = readCookies(request).session;
    const entry = await this.work.run((tx) => this.records.logIn(tx, account.id, account.password, previous));
    if (entry === null) throw new Invalid({ non_field_errors: [REFUSED] }); // the password has changed in the meantime
    this.cookies.logIn(response, entry.sessionKey);
    this.trail.note('login', request, account);
    return entry.tokenKey;
  }

  /** Ends the session of the request. @param userId the user whose token is deleted, too; null to keep tokens */
  async logOut(userId: number | null, request: Request, response: Response): Promise<void> {
    await this.work.run((tx) => this.records.logOut(tx, userId, readCookies(request).session));
    this.cookies.logOut(response);
    const actor = identityOf(request)?.actor;
    if (actor !== undefined) this.trail.note('logout', request, actor);
  }
}
