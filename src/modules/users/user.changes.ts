import { Injectable } from '@nestjs/common';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Invalid, NotFound } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { NO_SCOPE } from '../../core/events/event-map.js';
import { Events } from '../../core/events/events.js';
import { isUsable } from '../../engines/password/encoded-password.js';
import { raw, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { toUser, USER_COLUMNS, type UserRow } from './user.dto.js';

export interface NewUser {
  readonly username: string;
  readonly email: string;
  /** Encoded. */
  readonly password: string;
  /** The e-mail address is known to be the person's. Default: false. */
  readonly emailVerified?: boolean;
  readonly firstName?: string;
  readonly lastName?: string;
  /** Default: `user`. */
  readonly groups?: readonly string[];
  /** Staff and superuser, with access to the analytics. */
  readonly isAdministrator?: boolean;
  readonly dateJoined: Date;
}

/** The context of a change to an account. */
export interface AccountChange {
  /** Null for an anonymous client and on the command line. */
  readonly by: Actor | null;
  /** The server's base URL, for URLs in events. */
  readonly baseUrl: string;
}

/** Advisory lock that serializes transactions which choose a user name. The number is arbitrary. */
const NAMES_LOCK = 0x4e_41_4d_45;

/** The error for a user name that is taken. */
export const usernameTaken = (): Invalid => new Invalid({ username: ['A user with that username already exists.'] });

/** Changes accounts and records the events. */
@Injectable()
export class UserChanges {
  constructor(
    private readonly db: Db,
    private readonly events: Events,
  ) {}

  /**
   * Inserts an account and records the event.
   * @returns the id
   * @throws Invalid if the name is taken, or looks like one that is
   */
  async add(tx: Tx, change: AccountChange, user: NewUser): Promise<number> {
    await this.requireFreeName(tx, user.username, null);
    const id = await insertUser(tx, user);
    const after = toUser(await this.find(tx, id), new Urls(change.baseUrl));
    await this.events.created(tx, change.by, 'user', { object: after, scope: NO_SCOPE });
    return id;
  }

  /**
   * Checks whether an account can take a user name: not if another account's name differs only in letter case or in letters
   * of other scripts that look alike, and not if it is another account's e-mail address, because both are used to log in.
   * @param ownId the account that takes the name; null for a new one
   */
  async isNameFree(name: string, ownId: number | null, db: Queryable = this.db): Promise<boolean> {
    const taken = await db.query(sql`
      select 1 from app_user
      where (lookalike_key(username) = lookalike_key(${name}) or lower(email) = lower(${name})
          or ascii_lookalike_key(username) = ascii_lookalike_key(${name}))
        and id is distinct from ${ownId}::int limit 1`);
    return taken.length === 0;
  }

  /** Like `isNameFree`, but a second transaction that wants a similar name waits for the first. @throws Invalid */
  async requireFreeName(tx: Tx, name: string, ownId: number | null): Promise<void> {
    await tx.query(
      sql`select pg_advisory_xact_lock(${NAMES_LOCK}, hashtext(translate(lookalike_key(${name}), 'i1|0', 'lllo')))`,
    );
    if (!(await this.isNameFree(name, ownId, tx))) throw usernameTaken();
  }

  /** Records `update:user`. @param before the row before the change @returns the row after it */
  async recordUpdate(tx: Tx, change: AccountChange, before: UserRow): Promise<UserRow> {
    const row = await this.find(tx, before.id);
    const urls = new Urls(change.baseUrl);
    const [after, old] = [toUser(row, urls), toUser(before, urls)];
    await this.events.updated(tx, change.by, 'user', { before: old, after, scope: NO_SCOPE });
    return row;
  }

  /** Records `delete:user`. Call it before the row is deleted. */
  async recordDeletion(tx: Tx, actor: Actor, row: UserRow): Promise<void> {
    const after = toUser(row, new Urls(actor.baseUrl));
    await this.events.deleted(tx, actor, 'user', { object: after, scope: NO_SCOPE });
  }

  /** @param lock locks the row until the transaction ends @throws NotFound */
  async find(db: Queryable, id: number, lock = false): Promise<UserRow> {
    const [row] = await db.query<UserRow>(
      sql`select ${USER_COLUMNS} from app_user where id = ${id}${raw(lock ? ' for update' : '')}`,
    );
    if (row === undefined) throw NotFound.of('User');
    return row;
  }
}

/**
 * @returns the id
 * @throws a unique violation of `ix_app_user_username` if the name is taken
 */
async function insertUser(db: Queryable, user: NewUser): Promise<number> {
  const admin = user.isAdministrator === true;
  const [row] = await db.query<{ id: number }>(sql`
    insert into app_user (username, email, email_verified, password, first_name, last_name, groups, is_staff, is_superuser,
      has_analytics_access, date_joined)
    values (${user.username}, ${user.email}, ${user.emailVerified ?? false}, ${user.password}, ${user.firstName ?? ''}, ${user.lastName ?? ''},
      ${user.groups ?? ['user']}, ${admin}, ${admin}, ${admin}, ${user.dateJoined})
    returning id`);
  if (row === undefined) throw new Error('The new user has no id');
  return row.id;
}

/**
 * Whether an invitation has created this account for an unknown e-mail address: it is named after the address, which nobody
 * has verified, and has no password. Registration with the address completes it.
 */
export const awaitsRegistration = (user: {
  readonly username: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly password: string;
}): boolean =>
  !isUsable(user.password) && !user.email_verified && user.username.toLowerCase() === user.email.toLowerCase();
