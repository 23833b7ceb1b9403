import { Inject, Injectable } from '@nestjs/common';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../config/config.js';
import { Clock } from '../../core/clock.js';
import { randomText } from '../../core/random-text.js';

const DAY = 86_400;
export const SESSION_SECONDS = 14 * DAY;
const CSRF_SECONDS = 364 * DAY;
const FRESH_SECONDS = DAY;

/** The cookies that matter here; an absent one is the empty string. */
export interface KnownCookies {
  readonly session: string;
  readonly csrf: string;
  readonly fresh: string;
}

export function readCookies(request: Request): KnownCookies {
  const cookies = parseCookie(request.headers.cookie ?? '');
  return {
    session: cookies['sessionid'] ?? '',
    csrf: cookies['csrftoken'] ?? '',
    fresh: cookies['sessionfresh'] ?? '',
  };
}

/**
 * Writes the three cookies of a session. Every Set-Cookie ends in `SameSite=Lax`: a client that joins several with
 * commas cannot read one that ends in a bare flag.
 */
@Injectable()
export class Cookies {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** After a log-in: a new proof against forged requests, then the session. */
  logIn(response: Response, sessionKey: string): void {
    this.set(response, 'csrftoken', randomText(32), CSRF_SECONDS, false);
    this.session(response, sessionKey);
  }

  /** The session's cookie, its time starting anew. */
  session(response: Response, sessionKey: string): void {
    this.set(response, 'sessionfresh', '1', FRESH_SECONDS, true);
    this.set(response, 'sessionid', sessionKey, SESSION_SECONDS, true);
  }

  logOut(response: Response): void {
    this.forgetSession(response);
    this.forget(response, 'sessionfresh');
  }

  forgetSession(response: Response): void {
    this.forget(response, 'sessionid');
  }

  private set(response: Response, name: string, value: string, seconds: number, httpOnly: boolean): void {
    const expires = new Date(this.clock.now().getTime() + seconds * 1000);
    this.write(response, `${name}=${value}`, expires, seconds, httpOnly);
  }

  private forget(response: Response, name: string): void {
    this.write(response, `${name}=""`, new Date(0), 0, false);
  }

  private write(response: Response, pair: string, expires: Date, seconds: number, httpOnly: boolean): void {
    const flags = `${httpOnly ? 'HttpOnly; ' : ''}${this.config.cookieSecure ? 'Secure; ' : ''}`;
    const text = `${pair}; expires=${expires.toUTCString()}; ${flags}Max-Age=${seconds}; Path=/; SameSite=Lax`;
    response.appendHeader('Set-Cookie', text);
  }
}
