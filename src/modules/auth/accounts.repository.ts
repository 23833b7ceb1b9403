import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import { sql, type Sql } from '../../engines/sql/sql.js';
import { ACCOUNT_COLUMNS, type AccountRow } from './account.js';

/** What is stored in place of a secret that has enough entropy of its own. */
export const fingerprint = (secret: string): string => hash('sha256', secret);

/** One name may be somebody's username and somebody else's e-mail address; more than a few are not tried. */
const MAX_CANDIDATES = 3;

export interface AccessTokenRow extends AccountRow {
  readonly token_id: number;
  readonly read_only: boolean;
  readonly is_expired: boolean;
  /** Used within the last day: needs no new note. */
  readonly is_use_recorded: boolean;
}

/** A row with the fingerprint that it was found by. */
type Found<Row> = Row & { readonly key_hash: string };

const DAY_MS = 86_400_000;
const MAX_TOGETHER = 100;

/** The account behind a credential: one prepared statement for all requests of a turn of the event loop. */
@Injectable()
export class AccountsRepository {
  private readonly tokens = this.together<AccountRow>(
    (hashes) => sql`
      select api_token.key_hash, ${ACCOUNT_COLUMNS}
      from api_token join app_user on app_user.id = api_token.user_id
      where api_token.key_hash = any(${hashes})`,
  );

  private readonly accessTokens = this.together<AccessTokenRow>(
    (hashes, now) => sql`
      select access_token.key_hash, ${ACCOUNT_COLUMNS}, access_token.id as token_id, access_token.read_only,
        coalesce(access_token.expiry_date <= ${now}, false) as is_expired,
        coalesce(access_token.last_used_date > ${new Date(now.getTime() - DAY_MS)}, false) as is_use_recorded
      from access_token join app_user on app_user.id = access_token.owner_id
      where access_token.key_hash = any(${hashes})`,
  );

  private readonly sessions = this.together<AccountRow>(
    (hashes, now) => sql`
      select session.key_hash, ${ACCOUNT_COLUMNS}
      from session join app_user on app_user.id = session.user_id
      where session.key_hash = any(${hashes}) and session.expiry_date > ${now} and app_user.is_active`,
  );

  constructor(
    @Inject(Db) private readonly db: Db,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  byToken(key: string): Promise<AccountRow | undefined> {
    return this.tokens.load(fingerprint(key));
  }

  byAccessToken(value: string): Promise<AccessTokenRow | undefined> {
    return this.accessTokens.load(fingerprint(value));
  }

  /** The live session's account; inactive people have none. */
  bySession(key: string): Promise<AccountRow | undefined> {
    return this.sessions.load(fingerprint(key));
  }

  /** Nothing is kept: a statement begins after the requests that it answers, so it sees what was taken back before. */
  private together<Row>(select: (hashes: string[], now: Date) => Sql): DataLoader<string, Row | undefined> {
    const load = async (hashes: readonly string[]): Promise<(Row | undefined)[]> => {
      const rows = await this.db.query<Found<Row>>(select([...new Set(hashes)], this.clock.now()));
      const found = new Map(rows.map((row) => [row.key_hash, row]));
      return hashes.map((hash) => found.get(hash));
    };
    return new DataLoader(load, { cache: false, batchScheduleFn: setImmediate, maxBatchSize: MAX_TOGETHER });
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

  /** Is this the key of an invitation to the account that has been sent, and is not accepted or expired? */
  async isInvited(id: number, key: string): Promise<boolean> {
    if (key === '' || key.includes('\0')) return false;
    const found = await this.db.query(sql`
      select 1 from invitation join membership on membership.id = invitation.membership_id
      where invitation.key = ${key} and membership.user_id = ${id} and not membership.is_active
        and invitation.sent_date + interval '7 days' > ${this.clock.now()}`);
    return found.length > 0;
  }

  async noteUse(accessTokenId: number): Promise<void> {
    await this.db.query(sql`update access_token set last_used_date = ${this.clock.now()} where id = ${accessTokenId}`);
  }

  /**
   * Stores the same password in a better encoding, unless it was changed meanwhile.
   * @returns what is stored now
   */
  async reencode(id: number, from: string, to: string): Promise<string | undefined> {
    await this.db.query(sql`update app_user set password = ${to} where id = ${id} and password = ${from}`);
    return (await this.byId(id))?.password;
  }
}
