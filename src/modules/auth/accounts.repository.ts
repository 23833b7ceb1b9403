import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Db } from '../../core/database/db.js';
import { sql } from '../../engines/sql/sql.js';
import { ACCOUNT_COLUMNS, type AccountRow } from './account.js';

/** What is stored in place of a secret that has enough entropy of its own. */
export const fingerprint = (secret: string): string => hash('sha256', secret);

/** One name may be somebody's username and somebody else's e-mail address; more than a few are not tried. */
const MAX_CANDIDATES = 3;

export interface AccessTokenRow extends AccountRow {
  readonly token_id: number;
  readonly read_only: boolean;
  readonly is_expired: boolean;
  readonly is_use_recorded: boolean;
}

/** The account behind a credential: one prepared statement each. */
@Injectable()
export class AccountsRepository {
  constructor(@Inject(Db) private readonly db: Db) {}

  async byToken(key: string): Promise<AccountRow | undefined> {
    const [row] = await this.db.query<AccountRow>(sql`
      select ${ACCOUNT_COLUMNS} from api_token join app_user on app_user.id = api_token.user_id
      where api_token.key_hash = ${fingerprint(key)}`);
    return row;
  }

  /** @param recentlyUsed a use after this moment needs no new note */
  async byAccessToken(value: string, now: Date, recentlyUsed: Date): Promise<AccessTokenRow | undefined> {
    const [row] = await this.db.query<AccessTokenRow>(sql`
      select ${ACCOUNT_COLUMNS}, access_token.id as token_id, access_token.read_only,
        coalesce(access_token.expiry_date <= ${now}, false) as is_expired,
        coalesce(access_token.last_used_date > ${recentlyUsed}, false) as is_use_recorded
      from access_token join app_user on app_user.id = access_token.owner_id
      where access_token.key_hash = ${fingerprint(value)}`);
    return row;
  }

  /** The live session's account; inactive people have none. */
  async bySession(key: string, now: Date): Promise<AccountRow | undefined> {
    const [row] = await this.db.query<AccountRow>(sql`
      select ${ACCOUNT_COLUMNS} from session join app_user on app_user.id = session.user_id
      where session.key_hash = ${fingerprint(key)} and session.expiry_date > ${now} and app_user.is_active`);
    return row;
  }

  /** Accounts that a log-in name may mean, in any letter case: by username first, then by e-mail address. */
  async byName(name: string): Promise<AccountRow[]> {
    if (name === '' || name.includes('\0')) return [];
    return this.db.query<AccountRow>(sql`
      select ${ACCOUNT_COLUMNS} from app_user
      where lower(username) = lower(${name}) or lower(email) = lower(${name})
      order by username = ${name} desc, lower(username) = lower(${name}) desc, id limit ${MAX_CANDIDATES}`);
  }

  async byEmail(email: string): Promise<AccountRow[]> {
    if (email === '' || email.includes('\0')) return [];
    return this.db.query<AccountRow>(sql`
      select ${ACCOUNT_COLUMNS} from app_user where lower(email) = lower(${email}) order by id limit ${MAX_CANDIDATES}`);
  }

  async byId(id: number): Promise<AccountRow | undefined> {
    const [row] = await this.db.query<AccountRow>(sql`select ${ACCOUNT_COLUMNS} from app_user where id = ${id}`);
    return row;
  }

  async noteUse(accessTokenId: number, now: Date): Promise<void> {
    await this.db.query(sql`update access_token set last_used_date = ${now} where id = ${accessTokenId}`);
  }

  /** Stores the same password in a better encoding, unless it was changed meanwhile. */
  async reencode(id: number, from: string, to: string): Promise<void> {
    await this.db.query(sql`update app_user set password = ${to} where id = ${id} and password = ${from}`);
  }
}
