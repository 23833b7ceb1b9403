import type { Authenticated } from '../../../core/access/auth.guard.js';
import { raw, sql, type Sql } from '../../../engines/sql/sql.js';
import { privilegeOf } from '../../../shared/policy/actor.js';
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { Clock } from '../../../core/clock.js';
import { Db, type Queryable } from '../../../core/database/db.js';
import type { Tx } from '../../../core/database/tx.js';
import { ImportedTokens } from '../tokens/imported-tokens.js';

/** A user as authentication needs it. */
export interface AccountRow {
  readonly id: number;
  readonly username: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly groups: string[];
  readonly is_staff: boolean;
  readonly is_superuser: boolean;
  readonly is_active: boolean;
  /** When it was disabled last. */
  readonly disabled_date: string | null;
  /** Encoded. */
  readonly password: string;
}

/** Columns of `app_user` for an `AccountRow`. */
export const ACCOUNT_COLUMNS = raw(
  [
    'id', 'username', 'first_name', 'last_name', 'email', 'email_verified', 'groups', 'is_staff', 'is_superuser',
    'is_active', 'disabled_date', 'password',
  ] // prettier-ignore
    .map((column) => `app_user.${column}`)
    .join(', '),
);

/** The user as policies need it. */
export const toUser = (row: AccountRow): Authenticated['user'] => ({
  id: row.id,
  username: row.username,
  firstName: row.first_name,
  lastName: row.last_name,
  email: row.email,
  groups: row.groups,
  privilege: privilegeOf(row.groups),
  isStaff: row.is_staff,
  isSuperuser: row.is_superuser,
});

/** The hash that is stored instead of a secret. Only for secrets with enough entropy. */
export const fingerprint = (secret: string): string => hash('sha256', secret);

/** A name can be one user's user name and another user's e-mail address. */
const MAX_CANDIDATES = 3;

export interface AccessTokenRow extends AccountRow {
  readonly token_id: number;
  readonly token_name: string;
  readonly read_only: boolean;
  readonly is_expired: boolean;
  /** Used within the last day, so that its use need not be recorded again. */
  readonly is_use_recorded: boolean;
}

/** A row, and the fingerprint that it was found by. */
type Found<Row> = Row & { readonly key_hash: string };

const DAY_MS = 86_400_000;
const MAX_BATCH = 100;
/** A single connection that stopped responding must not delay every request. */
const MAX_WAIT_MS = 20;

/** Advisory lock; the number is arbitrary. */
const EMAILS_LOCK = 0x4d_41_49_4c;

/** Finds the accounts of credentials: one prepared statement for all requests of a turn of the event loop. */
@Injectable()
export class AccountsRepository {
  private readonly tokens = this.batched<AccountRow>(
    (hashes) => sql`
      select api_token.key_hash, ${ACCOUNT_COLUMNS}
      from api_token join app_user on app_user.id = api_token.user_id
      where api_token.key_hash = any(${hashes})`,
  );

  private readonly accessTokens = this.batched<AccessTokenRow>(
    (hashes, now) => sql`
      select access_token.key_hash, ${ACCOUNT_COLUMNS}, access_token.id as token_id,
        access_token.name as token_name, access_token.read_only,
        coalesce(access_token.expiry_date <= ${now}, false) as is_expired,
        coalesce(access_token.last_used_date > ${new Date(now.getTime() - DAY_MS)}, false) as is_use_recorded
      from access_token join app_user on app_user.id = access_token.owner_id
      where access_token.key_hash = any(${hashes})`,
  );

  private readonly sessions = this.batched<AccountRow>(
    (hashes, now) => sql`
      select session.key_hash, ${ACCOUNT_COLUMNS}
      from session join app_user on app_user.id = session.user_id
      where session.key_hash = any(${hashes}) and session.expiry_date > ${now} and app_user.is_active`,
  );

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly importedTokens: ImportedTokens,
  ) {}

  byToken(key: string): Promise<AccountRow | undefined> {
    return this.tokens.load(fingerprint(key));
  }

  async byAccessToken(value: string): Promise<AccessTokenRow | undefined> {
    const hash = fingerprint(value);
    const found = await this.accessTokens.load(hash);
    if (found !== undefined || !(await this.importedTokens.adopt(value, hash))) return found;
    return this.accessTokens.load(hash);
  }

  /** The account of a live session; undefined for an inactive account. */
  bySession(key: string): Promise<AccountRow | undefined> {
    return this.sessions.load(fingerprint(key));
  }

  /**
   * Does not cache: each statement starts after the requests of its batch, so that it sees what was revoked before them.
   * While a statement is running, requests wait for the next one: under load one statement serves several requests.
   */
  private batched<Row>(select: (hashes: string[], now: Date) => Sql): DataLoader<string, Row | undefined> {
    let running: Promise<unknown> = Promise.resolve();
    const load = async (hashes: readonly string[]): Promise<(Row | undefined)[]> => {
      const found = this.db.query<Found<Row>>(select([...new Set(hashes)], this.clock.now()));
      running = Promise.race([found, pause(MAX_WAIT_MS, undefined, { ref: false })]).catch(() => undefined);
      const rows = new Map((await found).map((row) => [row.key_hash, row]));
      return hashes.map((hash) => rows.get(hash));
    };
    const afterRunning = (start: () => void): void => void running.then(() => setImmediate(start));
    return new DataLoader(load, { cache: false, batchScheduleFn: afterRunning, maxBatchSize: MAX_BATCH });
  }

  /** The accounts with this user name or e-mail address, in any letter case. User names come first. */
  async byName(name: string): Promise<AccountRow[]> {
    if (name === '' || name.includes('\0')) return [];
    return this.db.query<AccountRow>(sql`
      select ${ACCOUNT_COLUMNS} from app_user
      where lower(username) = lower(${name}) or lower(email) = lower(${name})
      order by username = ${name} desc, lower(username) = lower(${name}) desc, id limit ${MAX_CANDIDATES}`);
  }

  async byEmail(email: string, db: Queryable = this.db): Promise<AccountRow[]> {
    if (email === '' || email.includes('\0')) return [];
    return db.query<AccountRow>(sql`
      select ${ACCOUNT_COLUMNS} from app_user where lower(email) = lower(${email}) order by id limit ${MAX_CANDIDATES}`);
  }

  /**
   * Reserves an e-mail address for a new account: a second transaction that wants it waits for the first.
   * @returns false if another account has it
   */
  async claimEmail(tx: Tx, email: string): Promise<boolean> {
    if (email === '') return true;
    await tx.query(sql`select pg_advisory_xact_lock(${EMAILS_LOCK}, hashtext(lower(${email})))`);
    const holders = await tx.query(sql`select 1 from app_user where lower(email) = lower(${email}) limit 1`);
    return holders.length === 0;
  }

  async byId(id: number, db: Queryable = this.db): Promise<AccountRow | undefined> {
    const [row] = await db.query<AccountRow>(sql`select ${ACCOUNT_COLUMNS} from app_user where id = ${id}`);
    return row;
  }

  /** Whether this is the key of an invitation of the account that was sent and is neither accepted nor expired. */
  async isInvited(id: number, key: string): Promise<boolean> {
    if (key === '' || key.includes('\0')) return false;
    const found = await this.db.query(sql`
      select 1 from invitation join membership on membership.id = invitation.membership_id
      where invitation.key = ${key} and membership.user_id = ${id} and not membership.is_active
        and invitation.sent_date + interval '7 days' > ${this.clock.now()}`);
    return found.length > 0;
  }

  async recordUse(accessTokenId: number): Promise<void> {
    await this.db.query(sql`update access_token set last_used_date = ${this.clock.now()} where id = ${accessTokenId}`);
  }

  /**
   * Stores the same password in a better encoding, unless it has changed in the meantime.
   * @returns the stored password
   */
  async reencode(id: number, from: string, to: string): Promise<string | undefined> {
    await this.db.query(sql`update app_user set password = ${to} where id = ${id} and password = ${from}`);
    return (await this.byId(id))?.password;
  }
}
