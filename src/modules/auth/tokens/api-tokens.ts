import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../../core/clock.js';
import type { Queryable } from '../../../core/database/db.js';
import { ServerSecret } from '../../../core/secret.js';
import { sql } from '../../../engines/sql/sql.js';
import { fingerprint } from '../accounts/accounts.repository.js';

const KEY_LENGTH = 40;

interface Row {
  readonly nonce: string;
  readonly key_hash: string;
}

/**
 * The login token of each user. Every login returns the same key, although only its hash is stored: the key is derived from
 * the row's nonce and the server's secret.
 */
@Injectable()
export class ApiTokens {
  constructor(
    private readonly secret: ServerSecret,
    private readonly clock: Clock,
  ) {}

  /** The user's key, created at the first login and again after the server's secret has changed. */
  async keyOf(db: Queryable, userId: number): Promise<string> {
    const [stored] = await db.query<Row>(sql`select nonce, key_hash from api_token where user_id = ${userId}`);
    if (stored !== undefined && this.matches(stored)) return this.derive(stored.nonce);
    const nonce = randomBytes(16).toString('hex');
    const [kept] = await db.query<Row>(sql`
      insert into api_token (user_id, nonce, key_hash, created_date)
      values (${userId}, ${nonce}, ${fingerprint(this.derive(nonce))}, ${this.clock.now()})
      on conflict (user_id) do update set
        nonce = case when api_token.nonce = ${stored?.nonce ?? ''} then excluded.nonce else api_token.nonce end,
        key_hash = case when api_token.nonce = ${stored?.nonce ?? ''} then excluded.key_hash else api_token.key_hash end
      returning nonce, key_hash`);
    return this.derive(kept?.nonce ?? nonce);
  }

  async delete(db: Queryable, userId: number): Promise<void> {
    await db.query(sql`delete from api_token where user_id = ${userId}`);
  }

  private matches(row: Row): boolean {
    return fingerprint(this.derive(row.nonce)) === row.key_hash;
  }

  private derive(nonce: string): string {
    return createHmac('sha256', this.secret.keyFor('api token')).update(nonce).digest('hex').slice(0, KEY_LENGTH);
  }
}
