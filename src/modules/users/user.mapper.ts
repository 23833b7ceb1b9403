import type { BasicUserDto } from '../../core/http/basic-user.dto.js';
import { Urls } from '../../core/http/urls.js';
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

const toBasic = (row: UserRow, urls: Urls): BasicUserDto =>
  toBasicUser({ id: row.id, username: row.username, firstName: row.first_name, lastName: row.last_name }, urls);

/** Everything that is shown of a person: to staff, to the person, and in events. */
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

/** One person as read by `actor`: staff see everything of everybody, others everything of themselves. */
export const viewOfUser = (row: UserRow, actor: Actor): UserDto =>
  actor.isStaff || row.id === actor.id ? toUser(row, new Urls(actor.baseUrl)) : toBasic(row, new Urls(actor.baseUrl));

/** A person in a list or as the answer to a change: here only staff see everything. */
export const entryOfUser = (row: UserRow, actor: Actor): UserDto =>
  actor.isStaff ? toUser(row, new Urls(actor.baseUrl)) : toBasic(row, new Urls(actor.baseUrl));
