import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import { Db, type Queryable } from '../../core/database/db.js';
import { randomText } from '../../core/random-text.js';
import { sql } from '../../engines/sql/sql.js';
import { fingerprint } from './accounts.repository.js';
import { SESSION_SECONDS } from './cookies.js';

const KEY_LENGTH = 32;

/** Log-ins kept by a cookie. Only a hash of each key is stored. */
@Injectable()
export class Sessions {
  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** Starts a session and sweeps away those whose time is over. @returns the cookie's value */
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
