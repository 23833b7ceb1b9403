import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { ServerSecret } from '../../../core/secret.js';
import { openSecret, sealSecret } from '../../../engines/signature/secret-box.js';
import type { PendingLogin } from './identity-provider.js';

interface Kept extends PendingLogin {
  /** Path of the page to show after the login. */
  readonly next: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

const VALID_MS = 10 * 60_000;
const PATH = '/api/auth/oidc';

/**
 * Logins that wait for the provider. The browser keeps each in an encrypted cookie of its own, so that any server can
 * continue it, and that several tabs can log in at the same time.
 */
@Injectable()
export class PendingLogins {
  private readonly key: KeyObject;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
    secret: ServerSecret,
  ) {
    this.key = createSecretKey(secret.keyFor('sign-on'));
  }

  remember(response: Response, login: PendingLogin, next: string): void {
    const kept: Kept = { ...login, next, expires: this.clock.now().getTime() + VALID_MS };
    this.write(response, nameOf(login.state), sealSecret(JSON.stringify(kept), this.key), VALID_MS / 1000);
  }

  /** Takes the login with this state, which can be continued once. @returns null for an unknown or expired one */
  take(request: Request, response: Response, state: string): Kept | null {
    if (state === '') return null;
    const sealed = parseCookie(request.headers.cookie ?? '')[nameOf(state)] ?? '';
    if (sealed === '') return null;
    this.write(response, nameOf(state), '', 0);
    try {
      const kept = JSON.parse(openSecret(sealed, this.key)) as Kept;
      return kept.state === state && kept.expires > this.clock.now().getTime() ? kept : null;
    } catch {
      return null; // not a cookie of this server
    }
  }

  private write(response: Response, name: string, value: string, seconds: number): void {
    const secure = this.config.cookieSecure ? 'Secure; ' : '';
    response.appendHeader(
      'Set-Cookie',
      `${name}=${value}; HttpOnly; ${secure}Max-Age=${seconds}; Path=${PATH}; SameSite=Lax`,
    );
  }
}

/** A state has letters that cookies' names can have; whatever else a client sends as one is not found. */
const nameOf = (state: string): string => `signon-${state.replaceAll(/[^\w-]/g, '').slice(0, 12)}`;

/** @returns the path of a page of the app; `/` for everything else, so that no link can lead to another site */
export function pagePath(next: unknown): string {
  const base = 'http://app.invalid';
  if (typeof next !== 'string' || !/^\/(?![/\\])[^\s\\]*$/.test(next) || !URL.canParse(next, base)) return '/';
  const { origin, pathname, search, hash } = new URL(next, base); // without `.` and `..`
  const isPage = origin === base && !pathname.startsWith('//') && !/^\/api(\/|$)/i.test(pathname);
  return isPage ? `${pathname}${search}${hash}` : '/';
}
