import { Inject, Injectable } from '@nestjs/common';
import { parseCookie } from 'cookie';
import type { Request, Response } from 'express';
import { CONFIG, type Config } from '../../../config/config.js';
import { Clock } from '../../../core/clock.js';
import { randomText } from '../../../core/random-text.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import { sql } from '../../../engines/sql/sql.js';
import { fingerprint } from '../accounts/accounts.repository.js';

const DAY = 86_400;
export const SESSION_SECONDS = 14 * DAY;
const CSRF_SECONDS = 364 * DAY;
const FRESH_SECONDS = DAY;

/** The cookies of a session. An absent cookie is the empty string. */
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
    private readonly clock: Clock,
  ) {}

  /** Sets a new CSRF token and the session's cookies. */
  logIn(response: Response, sessionKey: string): void {
    this.set(response, 'csrftoken', randomText(32), CSRF_SECONDS, false);
    this.session(response, sessionKey);
  }

  /** Sets the session's cookies, with a new expiry time. */
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

const KEY_LENGTH = 32;

/** Sessions in the database. Only a hash of each key is stored. */
@Injectable()
export class Sessions {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** Starts a session, and deletes all expired ones. @returns the cookie's value */
  async start(db: Queryable, userId: number): Promise<string> {
    const key = randomText(KEY_LENGTH);
    const now = this.clock.now();
    await db.query(sql`delete from session where expiry_date <= ${now}`);
    await db.query(sql`
      insert into session (key_hash, user_id, created_date, expiry_date)
      values (${fingerprint(key)}, ${userId}, ${now}, ${this.endOf(now)})`);
    return key;
  }

  async renew(key: string): Promise<void> {
    const end = this.endOf(this.clock.now());
    await this.db.query(sql`update session set expiry_date = ${end} where key_hash = ${fingerprint(key)}`);
  }

  async stop(db: Queryable, key: string): Promise<void> {
    if (key !== '') await db.query(sql`delete from session where key_hash = ${fingerprint(key)}`);
  }

  async stopAll(db: Queryable, userId: number): Promise<void> {
    await db.query(sql`delete from session where user_id = ${userId}`);
  }

  private endOf(now: Date): Date {
    return new Date(now.getTime() + SESSION_SECONDS * 1000);
  }
}
