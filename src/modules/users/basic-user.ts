import type { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { Urls } from '../../core/http/urls.js';
import { raw, type Sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../policy/actor.js';

/** What an embedded person needs. */
export interface BasicUser {
  readonly id: number;
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
}

export const toBasicUser = (user: BasicUser, urls: Urls): BasicUserDto => ({
  url: urls.user(user.id),
  id: user.id,
  username: user.username,
  first_name: user.firstName,
  last_name: user.lastName,
});

/** The actor as the sender of an event. */
export const senderOf = (actor: Actor): BasicUserDto => toBasicUser(actor, new Urls(actor.baseUrl));

/**
 * Columns of a joined `app_user` for `readBasicUser`.
 * @param alias the table's alias in the statement, as written in the code
 * @param prefix makes the names unique: `owner` gives `owner_id`, `owner_username`, …
 */
export function basicUserColumns(alias: string, prefix: string): Sql {
  const columns = ['id', 'username', 'first_name', 'last_name'];
  return raw(columns.map((column) => `${alias}.${column} as ${prefix}_${column}`).join(', '));
}

/** Reads what `basicUserColumns` selected; null where nobody was joined. */
export function readBasicUser(row: object, prefix: string, urls: Urls): BasicUserDto | null {
  const value = (column: string): unknown => (row as Readonly<Record<string, unknown>>)[`${prefix}_${column}`];
  const text = (column: string): string => value(column) as string;
  const id = value('id');
  if (typeof id !== 'number') return null;
  const user = { id, username: text('username'), firstName: text('first_name'), lastName: text('last_name') };
  return toBasicUser(user, urls);
}
