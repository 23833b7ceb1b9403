import type { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { Urls } from '../../core/http/urls.js';
import { type ListField, text, through } from '../../core/list/list-spec.js';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';

/** A user as embedded in other objects. */
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

/** Column names by prefix, cached because each row of a page of tasks has two users. */
const columnsOf = new Map<string, Readonly<Record<keyof BasicUser, string>>>();

/** Reads the columns of `basicUserColumns`; null if no user was joined. */
export function readBasicUser(row: object, prefix: string, urls: Urls): BasicUserDto | null {
  const columns = columnsOf.get(prefix) ?? nameColumns(prefix);
  const values = row as Readonly<Record<string, unknown>>;
  const id = values[columns.id];
  if (typeof id !== 'number') return null;
  return {
    url: urls.user(id),
    id,
    username: values[columns.username] as string,
    first_name: values[columns.firstName] as string,
    last_name: values[columns.lastName] as string,
  };
}

function nameColumns(prefix: string): Readonly<Record<keyof BasicUser, string>> {
  const columns = {
    id: `${prefix}_id`,
    username: `${prefix}_username`,
    firstName: `${prefix}_first_name`,
    lastName: `${prefix}_last_name`,
  };
  columnsOf.set(prefix, columns);
  return columns;
}

/** A list field for the user name of the user that `column` refers to. The list joins `app_user` as `alias`. */
export const personThrough = (alias: string, column: Sql): ListField =>
  through(text(`${alias}.username`), {
    column,
    ids: (test) => sql`select found_user.id from app_user found_user where ${test(raw('found_user.username'))}`,
  });
