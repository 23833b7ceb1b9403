import type { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { Urls } from '../../core/http/urls.js';
import { bool, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { raw } from '../../engines/sql/sql.js';
import type { Actor } from '../../shared/policy/actor.js';
import { toBasicUser } from './basic-user.js';
import type { UserDto } from './user.dto.js';

export interface UserRow {
  readonly id: number;
  readonly username: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly groups: string[];
  readonly is_staff: boolean;
  readonly is_superuser: boolean;
  readonly is_active: boolean;
  readonly last_login: string | null;
  readonly date_joined: string;
  readonly has_analytics_access: boolean | null;
}

export const USER_COLUMNS = raw(
  `app_user.id, app_user.username, app_user.first_name, app_user.last_name, app_user.email, app_user.groups,
  app_user.is_staff, app_user.is_superuser, app_user.is_active, app_user.last_login, app_user.date_joined,
  app_user.has_analytics_access`,
);

/** What lists of users can be filtered, sorted and searched by. */
export const userList: ListSpec = {
  from: raw('app_user'),
  fields: {
    id: integer('app_user.id'),
    username: text('app_user.username'),
    first_name: text('app_user.first_name'),
    last_name: text('app_user.last_name'),
    is_active: bool('app_user.is_active'),
  },
  search: ['username', 'first_name', 'last_name'],
  simple: ['username', 'first_name', 'last_name', 'is_active'],
  defaultSort: '-id',
};

const toBasic = (row: UserRow, urls: Urls): BasicUserDto =>
  toBasicUser({ id: row.id, username: row.username, firstName: row.first_name, lastName: row.last_name }, urls);

/** A user with all fields, for staff, for the user themselves, and for events. */
export const toUser = (row: UserRow, urls: Urls): UserDto =>
  Object.assign(toBasic(row, urls), {
    email: row.email,
    groups: row.groups,
    is_staff: row.is_staff,
    is_superuser: row.is_superuser,
    is_active: row.is_active,
    last_login: row.last_login,
    date_joined: row.date_joined,
    ...(row.has_analytics_access === null ? {} : { has_analytics_access: row.has_analytics_access }),
  });

/** A user as `actor` reads it: staff see all fields of everyone, others all fields of themselves. */
export const viewOfUser = (row: UserRow, actor: Actor): UserDto =>
  actor.isStaff || row.id === actor.id ? toUser(row, new Urls(actor.baseUrl)) : toBasic(row, new Urls(actor.baseUrl));

/** A user in a list, or in the response to a change: only staff see all fields. */
export const entryOfUser = (row: UserRow, actor: Actor): UserDto =>
  actor.isStaff ? toUser(row, new Urls(actor.baseUrl)) : toBasic(row, new Urls(actor.baseUrl));
