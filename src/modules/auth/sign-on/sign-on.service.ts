import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { Db } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { RequestTrail } from '../../../core/event-log/request-trail.js';
import { baseUrlOf } from '../../../core/http/request/base-url.js';
import { LOGGER, type Logger } from '../../../core/logging/logger.js';
import { ServerSecret } from '../../../core/secret.js';
import { openSecret, sealSecret } from '../../../engines/signature/secret-box.js';
import { sql } from '../../../engines/sql/sql.js';
import { type AccountRow, fingerprint } from '../accounts/accounts.repository.js';
import type { LoginMethodsDto } from '../auth.dto.js';
import { LoginRecords } from '../login/login.service.js';
import { acceptsPasswords } from '../passwords/local-passwords.js';
import { Cookies, readCookies } from '../sessions/sessions.js';
import { type EndedSessions, type Identity, IdentityProvider } from './identity-provider.js';
import { PendingLogins, pagePath } from './pending-logins.js';
import { SignOnAccounts } from './sign-on-accounts.js';
import { SignOnProblem } from './sign-on-problem.js';
import { SignOnRoles } from './sign-on-roles.js';

const LOGIN = '/api/auth/oidc/login';
const CALLBACK = '/api/auth/oidc/callback';

/** Sessions that began at the identity provider. */
@Injectable()
export class SignOnSessions {
  private readonly key: KeyObject;

  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly records: LoginRecords,
    private readonly accounts: SignOnAccounts,
    private readonly roles: SignOnRoles,
    secret: ServerSecret,
  ) {
    this.key = createSecretKey(secret.keyFor('id tokens'));
  }

  /** @param previous the session that the new one replaces @throws SignOnProblem */
  start(identity: Identity, baseUrl: string, previous: string): Promise<{ account: AccountRow; sessionKey: string }> {
    return this.work.run(async (tx) => {
      const change = { by: null, baseUrl };
      const { account, identityId } = await this.accounts.resolve(tx, change, identity);
      await this.roles.apply(tx, change, account.id, identity.rules.groupRules, identity.groups);
      const sessionKey = await this.records.startSession(tx, account.id, previous);
      await tx.query(sql`
        insert into sign_on_session (session_key, identity_id, sid, id_token)
        values (${fingerprint(sessionKey)}, ${identityId}, ${identity.sid}, ${sealSecret(identity.idToken, this.key)})`);
      return { account, sessionKey };
    });
  }

  /** @returns the ID token of the session; null if it did not begin at the provider */
  async idTokenOf(sessionKey: string): Promise<string | null> {
    if (sessionKey === '') return null;
    const [row] = await this.db.query<{ id_token: string }>(sql`
      select id_token from sign_on_session where session_key = ${fingerprint(sessionKey)}`);
    try {
      return row === undefined ? null : openSecret(row.id_token, this.key);
    } catch {
      return null; // the server's secret was replaced
    }
  }

  /** Ends the sessions that the provider has ended: one, or all of a person. */
  async end({ issuer, subject, sid }: EndedSessions): Promise<void> {
    const ofPerson = subject === null ? sql`true` : sql`sign_on_identity.subject = ${subject}`;
    const ofSession = sid === null ? sql`true` : sql`sign_on_session.sid = ${sid}`;
    await this.work.run((tx: Tx) =>
      tx.query(sql`
        delete from session using sign_on_session join sign_on_identity on sign_on_identity.id = identity_id
        where sign_on_session.session_key = session.key_hash and sign_on_identity.issuer = ${issuer}
          and ${ofPerson} and ${ofSession}`),
    );
  }
}

/** Logs people in at the identity provider, and out. */
@Injectable()
export class SignOnService {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly pending: PendingLogins,
    private readonly sessions: SignOnSessions,
    private readonly cookies: Cookies,
    private readonly trail: RequestTrail,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  methods(): LoginMethodsDto {
    const { localPasswords, registration, signOn } = this.config;
    return {
      password: acceptsPasswords(this.config),
      password_reset: localPasswords,
      registration: localPasswords ? registration : 'closed',
      single_sign_on: this.provider.isConfigured ? { name: signOn.name, url: LOGIN } : null,
    };
  }

  /** @returns the URL of the provider's login page, or of our own one with an explanation */
  async begin(next: unknown, request: Request, response: Response): Promise<string> {
    const page = pagePath(next);
    try {
      const { url, pending } = await this.provider.begin(this.callbackOf(request));
      this.pending.remember(response, pending, page);
      return url.href;
    } catch (error) {
      return this.explain(error, page);
    }
  }

  /** Ends the login that began in this browser. @returns the path of the page to show */
  async finish(request: Request, response: Response): Promise<string> {
    const { state } = request.query;
    const login = this.pending.take(request, response, typeof state === 'string' ? state : '');
    const page = login?.next ?? '/';
    try {
      if (login === null) throw new SignOnProblem('expired', 'the login did not begin in this browser, or has expired');
      const callback = new URL(`${this.callbackOf(request)}${new URL(request.url, 'http://local').search}`);
      const identity = await this.provider.finish(callback, login);
      const baseUrl = baseUrlOf(request, this.config.publicUrl);
      const { account, sessionKey } = await this.sessions.start(identity, baseUrl, readCookies(request).session);
      this.cookies.logIn(response, sessionKey);
      this.trail.note('login', request, account);
      return page;
    } catch (error) {
      return this.explain(error, page);
    }
  }

  /** @returns the URL at which the browser ends the provider's session, too; null if there is none. Call it before the log-out. */
  async logoutUrl(request: Request): Promise<string | null> {
    if (!this.provider.isConfigured) return null;
    const idToken = await this.sessions.idTokenOf(readCookies(request).session);
    if (idToken === null) return null;
    return this.provider.endSessionUrl(idToken, `${baseUrlOf(request, this.config.publicUrl)}/login`);
  }

  /** Handles the provider's request to end sessions. @returns false for a token that is not valid */
  async endSessions(token: string): Promise<boolean> {
    try {
      await this.sessions.end(await this.provider.verifyLogout(token));
      return true;
    } catch (error) {
      this.log.warn({ err: error }, 'a logout token of the identity provider was refused');
      return false;
    }
  }

  private callbackOf(request: Request): string {
    return `${baseUrlOf(request, this.config.publicUrl)}${CALLBACK}`;
  }

  private explain(error: unknown, next: string): string {
    if (!(error instanceof SignOnProblem)) throw error;
    const { code } = error;
    this.log.warn({ err: error.cause, problem: code }, `a login at the identity provider failed: ${error.message}`);
    return `/login?${new URLSearchParams({ problem: code, ...(next === '/' ? {} : { next }) }).toString()}`;
  }
}
