import { Inject, Injectable } from '@nestjs/common';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { NotFound } from '../../core/http/errors.js';
import { Urls } from '../../core/http/urls.js';
import { EventRecorder, NOWHERE } from '../../core/outbox/event-recorder.js';
import { raw, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../policy/actor.js';
import { insertUser, type NewUser } from './insert-user.js';
import { toUser, USER_COLUMNS, type UserRow } from './user.mapper.js';

/** Who makes or changes an account. */
export interface AccountChange {
  /** Null: nobody is logged in, or it is done on the command line. */
  readonly by: Actor | null;
  /** Where the server was reached, for addresses in events. */
  readonly baseUrl: string;
}

/** Changes of accounts with the events that tell of them. */
@Injectable()
export class People {
  constructor(@Inject(EventRecorder) private readonly events: EventRecorder) {}

  /**
   * Adds a person.
   * @returns the id
   * @throws a unique violation of `ix_app_user_username` when the name is taken
   */
  async add(tx: Tx, change: AccountChange, user: NewUser): Promise<number> {
    const id = await insertUser(tx, user);
    const after = toUser(await this.find(tx, id), new Urls(change.baseUrl));
    await this.events.record(tx, change.by, { operation: 'create', resource: 'user' }, NOWHERE, [{ after }]);
    return id;
  }

  /** @param before as `find` gave it @returns the person as they are now */
  async tellChange(tx: Tx, change: AccountChange, before: UserRow): Promise<UserRow> {
    const row = await this.find(tx, before.id);
    const urls = new Urls(change.baseUrl);
    const [after, old] = [toUser(row, urls), toUser(before, urls)];
    await this.events.record(tx, change.by, { operation: 'update', resource: 'user' }, NOWHERE, [
      { after, before: old },
    ]);
    return row;
  }

  /** To be called before the row goes. */
  async tellDeletion(tx: Tx, actor: Actor, row: UserRow): Promise<void> {
    const after = toUser(row, new Urls(actor.baseUrl));
    await this.events.record(tx, actor, { operation: 'delete', resource: 'user' }, NOWHERE, [{ after }]);
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
