import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { timingSafeEqual } from 'node:crypto';
import { CONFIG, type Config } from '../../../config/config.js';
import type { Authenticated, Authenticator } from '../../../core/access/auth.guard.js';
import { claimsToBe } from '../../../core/event-log/request-trail.js';
import { Forbidden, Unauthenticated } from '../../../core/http/errors/errors.js';
import { type AccountRow, AccountsRepository, fingerprint, toUser } from '../accounts/accounts.repository.js';
import { Cookies, readCookies, Sessions } from '../sessions/sessions.js';
import { EmailVerification } from '../accounts/email-verification.js';
import { acceptsPasswords, NO_PASSWORDS } from '../passwords/local-passwords.js';
import { Credentials } from './credentials.js';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Authenticates requests: by token, then by the session's cookie, then by name and password. */
@Injectable()
export class RequestAuthenticator implements Authenticator {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly credentials: Credentials,
    private readonly sessions: Sessions,
    private readonly verification: EmailVerification,
    private readonly cookies: Cookies,
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

  async isStillValid(request: Request): Promise<boolean> {
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
    if (!account.is_use_recorded) await this.accounts.recordUse(account.token_id);
    return {
      user,
      credential: { kind: 'bearer', id: account.token_id, name: account.token_name, readOnly: account.read_only },
    };
  }

  /** Deletes the cookie of an expired session, and renews a live session about once a day. */
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
    if (!acceptsPasswords(this.config)) throw new Unauthenticated(NO_PASSWORDS);
    claimsToBe(request, shown.name);
    const account = await this.credentials.find({ username: shown.name, email: '' }, shown.password, request);
    if (account?.is_active !== true) throw new Unauthenticated('Invalid username/password.');
    if (this.verification.blocks(account)) throw new Unauthenticated('Unverified email');
    return { user: toUser(account), credential: { kind: 'basic', id: account.id, readOnly: false } };
  }

  private async passwordHolds(request: Request): Promise<boolean> {
    const shown = readAuthorization(request.headers.authorization);
    if (shown?.scheme !== 'basic') return false;
    return this.credentials.hold({ username: shown.name, email: '' }, shown.password, request);
  }
}

const isByPassword = ({ headers }: Request): boolean => /^\s*basic(\s|$)/i.test(headers.authorization ?? '');

function activeUser(account: AccountRow): Authenticated['user'] {
  if (!account.is_active) throw new Unauthenticated('User inactive or deleted.');
  return toUser(account);
}

/** The supported contents of an `Authorization` header. */
type ShownCredentials =
  | { readonly scheme: 'token' | 'bearer'; readonly value: string }
  | { readonly scheme: 'basic'; readonly name: string; readonly password: string };

/**
 * Reads an `Authorization` header.
 * @returns null without a header and for unknown schemes
 * @throws Unauthenticated if the header is malformed
 */
function readAuthorization(header: string | undefined): ShownCredentials | null {
  const [scheme = '', ...rest] = (header ?? '').trim().split(/\s+/);
  const kind = scheme.toLowerCase();
  if (kind === 'token' || kind === 'bearer') return { scheme: kind, value: onlyPart(rest, 'token', 'Token') };
  if (kind === 'basic') return { scheme: 'basic', ...readBasic(onlyPart(rest, 'basic', 'Credentials')) };
  return null;
}

function onlyPart(parts: readonly string[], header: string, content: string): string {
  const [value, ...more] = parts;
  if (value === undefined) throw new Unauthenticated(`Invalid ${header} header. No credentials provided.`);
  if (more.length > 0)
    throw new Unauthenticated(`Invalid ${header} header. ${content} string should not contain spaces.`);
  return value;
}

function readBasic(text: string): { name: string; password: string } {
  const letters = text.replace(/[^A-Za-z0-9+/]/g, '');
  const padding = text.length - text.replace(/(?<!=)=+$/, '').length;
  if (letters.length % 4 === 1 || (letters.length % 4 !== 0 && padding < 4 - (letters.length % 4))) {
    throw new Unauthenticated('Invalid basic header. Credentials not correctly base64 encoded.');
  }
  const credentials = decode(Buffer.from(letters, 'base64'));
  const colon = credentials.indexOf(':');
  return colon < 0
    ? { name: credentials, password: '' }
    : { name: credentials.slice(0, colon), password: credentials.slice(colon + 1) };
}

/** Decodes UTF-8, or else Latin-1. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

/** The parts of a request that the CSRF check reads. */
export interface CsrfEvidence {
  /** Value of the csrftoken cookie; empty if there is none. */
  readonly cookie: string;
  /** Value of X-CSRFToken. */
  readonly header: string | undefined;
  readonly origin: string | undefined;
  readonly referer: string | undefined;
  /** Whether the request came over HTTPS. */
  readonly secure: boolean;
  /** Origins (`https://host:port`) of this server. */
  readonly own: readonly string[];
  /** More trusted origins; `https://*.example.org` stands for every host below it. */
  readonly trusted: readonly string[];
}

const SECRET_LENGTH = 32;
const CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const HEADER = "CSRF token from the 'X-Csrftoken' HTTP header";

/** @returns the reason to refuse a changing request of a session, or null */
export function csrfProblem(evidence: CsrfEvidence): string | null {
  return originProblem(evidence) ?? tokenProblem(evidence);
}

function originProblem({ origin, referer, secure, own, trusted }: CsrfEvidence): string | null {
  if (origin !== undefined) {
    return isAllowed(origin, own, trusted)
      ? null
      : `Origin checking failed - ${origin} does not match any trusted origins.`;
  }
  if (!secure) return null;
  if (referer === undefined) return 'Referer checking failed - no Referer.';
  if (!URL.canParse(referer)) return 'Referer checking failed - Referer is malformed.';
  const { origin: from, protocol } = new URL(referer);
  if (protocol !== 'https:') return 'Referer checking failed - Referer is insecure while host is secure.';
  return isAllowed(from, own, trusted)
    ? null
    : `Referer checking failed - ${referer} does not match any trusted origins.`;
}

function isAllowed(text: string, own: readonly string[], trusted: readonly string[]): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, host } = new URL(text);
  if (origin === 'null') return false;
  return (
    own.some((one) => sameOrigin(one, origin)) ||
    trusted.some((one) => sameOrigin(one, origin) || isBelow(one, protocol, host))
  );
}

const sameOrigin = (one: string, origin: string): boolean => URL.canParse(one) && new URL(one).origin === origin;

function isBelow(pattern: string, protocol: string, host: string): boolean {
  const [scheme = '', domain] = pattern.split('://*.');
  return domain !== undefined && `${scheme}:` === protocol && host.endsWith(`.${domain.toLowerCase()}`);
}

function tokenProblem({ cookie, header }: CsrfEvidence): string | null {
  if (cookie === '') return 'CSRF cookie not set.';
  const cookieForm = formProblem(cookie);
  if (cookieForm !== null) return `CSRF cookie ${cookieForm}.`;
  if (header === undefined || header === '') return 'CSRF token missing.';
  const headerForm = formProblem(header);
  if (headerForm !== null) return `${HEADER} ${headerForm}.`;
  return timingSafeEqual(Buffer.from(unmask(cookie)), Buffer.from(unmask(header))) ? null : `${HEADER} incorrect.`;
}

function formProblem(token: string): string | null {
  if (token.length !== SECRET_LENGTH && token.length !== 2 * SECRET_LENGTH) return 'has incorrect length';
  return /^[A-Za-z0-9]+$/.test(token) ? null : 'has invalid characters';
}

/** A token is the secret, or a random mask followed by the secret shifted by it, character by character. */
function unmask(token: string): string {
  if (token.length === SECRET_LENGTH) return token;
  const index = (position: number): number => CHARACTERS.indexOf(token.charAt(position));
  return Array.from({ length: SECRET_LENGTH }, (_, position) =>
    CHARACTERS.at((index(SECRET_LENGTH + position) - index(position)) % CHARACTERS.length),
  ).join('');
}
