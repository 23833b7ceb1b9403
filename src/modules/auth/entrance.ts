import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../core/clock.js';
import type { Queryable } from '../../core/database/db.js';
import { sql } from '../../engines/sql/sql.js';
import { ApiTokens } from './api-tokens.js';
import { Sessions } from './sessions.js';

/** A log-in as the client is told of it. */
export interface Entry {
  readonly tokenKey: string;
  readonly sessionKey: string;
}

/** What coming and going leaves in the database. */
@Injectable()
export class Entrance {
  constructor(
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * Notes the log-in, and starts a session in place of the one that the request came with.
   * @param password as it was stored when it was verified
   * @returns null when it is another one by now
   */
  async enter(db: Queryable, userId: number, password: string, previousSession: string): Promise<Entry | null> {
    const found = await db.query(sql`
      update app_user set last_login = ${this.clock.now()} where id = ${userId} and password = ${password} returning id`);
    if (found.length === 0) return null;
    await this.sessions.stop(db, previousSession);
    return { tokenKey: await this.tokens.keyOf(db, userId), sessionKey: await this.sessions.start(db, userId) };
  }

  /** @param userId whose token ends too; null to leave tokens alone */
  async leave(db: Queryable, userId: number | null, session: string): Promise<void> {
    await this.sessions.stop(db, session);
    if (userId !== null) await this.tokens.delete(db, userId);
  }
}
