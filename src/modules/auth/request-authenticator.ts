import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../config/config.js';
import type { Authenticated, Authenticator } from '../../core/access/authenticator.js';
import { Forbidden, Unauthenticated } from '../../core/http/errors.js';
import { type AccountRow, toUser } from './account.js';
import { AccountsRepository, fingerprint } from './accounts.repository.js';
import { readAuthorization } from './authorization-header.js';
import { Cookies, readCookies } from './cookies.js';
import { csrfProblem } from './csrf.js';
import { EmailVerification } from './email-verification.js';
import { PasswordVerifier } from './password-verifier.js';
import { Sessions } from './sessions.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Tries the credentials of a request in order: tokens, the session's cookie, name and password. */
@Injectable()
export class RequestAuthenticator implements Authenticator {
  constructor(
    @Inject(AccountsRepository) private readonly accounts: AccountsRepository,
    @Inject(PasswordVerifier) private readonly passwords: PasswordVerifier,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(EmailVerification) private readonly verification: EmailVerification,
    @Inject(Cookies) private readonly cookies: Cookies,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async authenticate(request: Request, response: Response): Promise<Authenticated | null> {
    const { authorization } = request.headers;
    const isBasic = isByPassword(request);
    const shown = isBasic ? null : readAuthorization(authorization);
    if (shown?.scheme === 'token') return this.byToken(shown.value);
    if (shown?.scheme === 'bearer') return this.byAccessToken(shown.value);
    const session = await this.bySession(request, response);
    if (session !== null || !isBasic) return session;
    return this.byPassword(request);
  }

  async stillHolds(request: Request): Promise<boolean> {
    const isBasic = isByPassword(request);
    const shown = isBasic ? null : readAuthorization(request.headers.authorization);
    if (shown?.scheme === 'token') return (await this.accounts.byToken(shown.value)) !== undefined;
    if (shown?.scheme === 'bearer') return (await this.accounts.byAccessToken(shown.value))?.is_expired === false;
    if ((await this.accounts.bySession(readCookies(request).session)) !== undefined) return true;
    return isBasic && (await this.passwordHolds(request));
  }

  private async byToken(key: string): Promise<Authenticated> {
    const account = await this.accounts.byToken(key);
    if (account === undefined) throw new Unauthenticated('Invalid token.');
    return { user: activeUser(account), credential: { kind: 'token', id: account.id, readOnly: false } };
  }

  private async byAccessToken(value: string): Promise<Authenticated> {
    const account = await this.accounts.byAccessToken(value);
    if (account === undefined) throw new Unauthenticated('Invalid token.');
    if (account.is_expired) throw new Unauthenticated('The access token has expired.');
    const user = activeUser(account);
    if (!account.is_use_recorded) await this.accounts.noteUse(account.token_id);
    return { user, credential: { kind: 'bearer', id: account.token_id, readOnly: account.read_only } };
  }

  /** A cookie of no live session is taken back; a live one is renewed about once a day. */
  private async bySession(request: Request, response: Response): Promise<Authenticated | null> {
    const { session: key, fresh } = readCookies(request);
    if (key === '') return null;
    const account = await this.accounts.bySession(key);
    if (account === undefined) {
      this.cookies.forgetSession(response);
      return null;
    }
    if (fresh === '') {
      await this.sessions.renew(key);
      this.cookies.session(response, key);
    }
    if (!SAFE.has(request.method)) this.requireProof(request);
    return { user: toUser(account), credential: { kind: 'session', id: fingerprint(key), readOnly: false } };
  }

  private requireProof(request: Request): void {
    const header = request.headers['x-csrftoken'];
    const problem = csrfProblem({
      cookie: readCookies(request).csrf,
      header: Array.isArray(header) ? header[0] : header,
      origin: request.headers.origin,
      referer: request.headers.referer,
      secure: request.secure,
      own: [`${request.protocol}://${request.host}`, this.config.publicUrl],
      trusted: this.config.trustedOrigins,
    });
    if (problem !== null) throw new Forbidden(`CSRF Failed: ${problem}`);
  }

  private async byPassword(request: Request): Promise<Authenticated> {
    const shown = readAuthorization(request.headers.authorization);
    if (shown?.scheme !== 'basic') throw new Unauthenticated();
    const candidates = await this.accounts.byName(shown.name);
    const account = await this.passwords.find(candidates, shown.password, shown.name, request.ip ?? '');
    if (account?.is_active !== true) throw new Unauthenticated('Invalid username/password.');
    if (this.verification.blocks(account)) throw new Unauthenticated('Unverified email');
    return { user: toUser(account), credential: { kind: 'basic', id: account.id, readOnly: false } };
  }

  private async passwordHolds(request: Request): Promise<boolean> {
    const shown = readAuthorization(request.headers.authorization);
    return (
      shown?.scheme === 'basic' &&
      this.passwords.holds(await this.accounts.byName(shown.name), shown.password, request.ip ?? '')
    );
  }
}

const isByPassword = ({ headers }: Request): boolean => /^\s*basic(\s|$)/i.test(headers.authorization ?? '');

function activeUser(account: AccountRow): Authenticated['user'] {
  if (!account.is_active) throw new Unauthenticated('User inactive or deleted.');
  return toUser(account);
}
