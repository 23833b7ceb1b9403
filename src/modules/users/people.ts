import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { Invalid, NotFound } from '../../core/http/errors.js';
import { Urls } from '../../core/http/urls.js';
import { NO_SCOPE } from '../../core/events/event-map.js';
import { Events } from '../../core/events/events.js';
import { raw, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { insertUser, type NewUser } from './insert-user.js';
import { toUser, USER_COLUMNS, type UserRow } from './user.mapper.js';

/** Who makes or changes an account. */
export interface AccountChange {
  /** Null: nobody is logged in, or it is done on the command line. */
  readonly by: Actor | null;
  /** Where the server was reached, for addresses in events. */
  readonly baseUrl: string;
}

/** Serialises transactions that choose a name; any number will do as long as nobody else locks it. */
const NAMES_LOCK = 0x4e_41_4d_45;

/** The error for a user name that somebody has. */
export const usernameTaken = (): Invalid => new Invalid({ username: ['A user with that username already exists.'] });

/** Changes of accounts with the events that tell of them. */
@Injectable()
export class People {
  constructor(@Inject(Events) private readonly events: Events) {}

  /**
   * Adds a person.
   * @returns the id
   * @throws Invalid when the name is taken, or looks like one that is
   */
  async add(tx: Tx, change: AccountChange, user: NewUser): Promise<number> {
    await this.requireFreeName(tx, user.username, null);
    const id = await insertUser(tx, user);
    const after = toUser(await this.find(tx, id), new Urls(change.baseUrl));
    await this.events.created(tx, change.by, 'user', { object: after, scope: NO_SCOPE });
    return id;
  }

  /**
   * May an account be called so? Not when another account's name differs in letter case or in letters of other scripts
   * that look the same, and not when it is another account's e-mail address: both are used to log in.
   * @param ownId the account that is to get the name, or null for a new one
   */
  async isNameFree(db: Queryable, name: string, ownId: number | null): Promise<boolean> {
    const taken = await db.query(sql`
      select 1 from app_user
      where (lookalike_key(username) = lookalike_key(${name}) or lower(email) = lower(${name}))
        and id is distinct from ${ownId}::int limit 1`);
    return taken.length === 0;
  }

  /** As `isNameFree`; of two transactions that want similar names, the second waits for the first. @throws Invalid */
  async requireFreeName(tx: Tx, name: string, ownId: number | null): Promise<void> {
    await tx.query(sql`select pg_advisory_xact_lock(${NAMES_LOCK}, hashtext(lookalike_key(${name})))`);
    if (!(await this.isNameFree(tx, name, ownId))) throw usernameTaken();
  }

  /** @param before as `find` gave it @returns the person as they are now */
  async tellChange(tx: Tx, change: AccountChange, before: UserRow): Promise<UserRow> {
    const row = await this.find(tx, before.id);
    const urls = new Urls(change.baseUrl);
    const [after, old] = [toUser(row, urls), toUser(before, urls)];
    await this.events.updated(tx, change.by, 'user', { before: old, after, scope: NO_SCOPE });
    return row;
  }

  /** To be called before the row goes. */
  async tellDeletion(tx: Tx, actor: Actor, row: UserRow): Promise<void> {
    const after = toUser(row, new Urls(actor.baseUrl));
    await this.events.deleted(tx, actor, 'user', { object: after, scope: NO_SCOPE });
  }

  /** @param lock nobody else changes the person until the transaction ends @throws NotFound */
  async find(db: Queryable, id: number, lock = false): Promise<UserRow> {
    const [row] = await db.query<UserRow>(
      sql`select ${USER_COLUMNS} from app_user where id = ${id}${raw(lock ? ' for update' : '')}`,
    );
    if (row === undefined) throw NotFound.of('User');
    return row;
  }
}
