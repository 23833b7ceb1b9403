import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { ListField, textItem } from '../../core/http/body/composite-fields.js';
import { BoolField, EmailField, TextField } from '../../core/http/body/fields.js';
import { Invalid } from '../../core/http/errors/errors.js';
import { Urls } from '../../core/http/response/urls.js';
import { bool, choice, integer, type ListSpec, text, through, timestamp } from '../../core/list/list-spec.js';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import { type Column, column, columns, table } from '../../engines/sql/tables.js';
import type { Actor } from '../../shared/policy/actor.js';

/** Names of groups, the most powerful first. */
export const GROUPS = ['admin', 'user', 'worker'] as const;

const USERNAME = /^[\p{L}\p{N}_.@+-]+$/u;
const USERNAME_MESSAGE =
  'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.';

/** A user name in a request. */
export const UsernameField = (
  options: { readonly optional?: boolean; readonly min?: number } = {},
): PropertyDecorator => TextField({ max: 150, pattern: USERNAME, patternMessage: USERNAME_MESSAGE, ...options });

/** A user. Only staff and the user themselves see the fields after `last_name`. */
export class UserDto extends BasicUserDto {
  @ApiProperty({ required: false, maxLength: 254 }) email?: string;
  @ApiProperty({ required: false, enum: GROUPS, isArray: true }) groups?: string[];
  @ApiProperty({ required: false }) is_staff?: boolean;
  @ApiProperty({ required: false }) is_superuser?: boolean;
  @ApiProperty({ required: false }) is_active?: boolean;
  @ApiProperty({ required: false, type: String, format: 'date-time', nullable: true, readOnly: true })
  last_login?: string | null;
  @ApiProperty({ required: false, format: 'date-time', readOnly: true }) date_joined?: string;
  @ApiProperty({ required: false, readOnly: true, description: 'Absent if unknown' })
  has_analytics_access?: boolean;
}

/** The fields that all users can change about themselves. */
export class BasicUserChangeDto {
  @UsernameField({ optional: true }) username?: string;
  @TextField({ max: 150, blank: true, optional: true }) first_name?: string;
  @TextField({ max: 150, blank: true, optional: true }) last_name?: string;
}

/** The fields that staff can change. */
export class UserChangeDto extends BasicUserChangeDto {
  @EmailField({ blank: true, optional: true }) email?: string;
  @ListField(textItem(150), { optional: true, maxItems: 100, description: GROUPS.join(', ') }) groups?: string[];
  @BoolField({ optional: true }) is_staff?: boolean;
  @BoolField({ optional: true }) is_superuser?: boolean;
  @BoolField({ optional: true }) is_active?: boolean;
}

/** The groups in their usual order. @throws Invalid for an unknown name */
export function readGroups(names: readonly string[]): string[] {
  const unknown = names.find((name) => !GROUPS.some((group) => group === name));
  if (unknown !== undefined) throw new Invalid({ groups: [`Object with name=${unknown} does not exist.`] });
  return GROUPS.filter((group) => names.includes(group));
}

/** A user as embedded in other objects. */
interface BasicUser {
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

const FOUND_USER = columns('found_user', ['id', 'username']);

/** A list field for the user name of the user that `column` refers to. The list joins `app_user` as `alias`. */
export const personThrough = (alias: string, column: Column) =>
  through(text(`${alias}.username`), {
    column,
    ids: (test) =>
      sql`select ${FOUND_USER.id} from ${table('app_user', 'found_user')} where ${test(FOUND_USER.username)}`,
  });

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
  from: table('app_user'),
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

const IN_GROUPS = column('app_user.groups');

/** The same for staff, who see all fields. Others could find out the values of fields that they cannot see. */
export const accountList: ListSpec = {
  ...userList,
  fields: {
    ...userList.fields,
    email: text('app_user.email'),
    role: choice(
      sql`case when 'admin' = any(${IN_GROUPS}) then 'admin' when 'user' = any(${IN_GROUPS}) then 'user'
        when 'worker' = any(${IN_GROUPS}) then 'worker' else 'none' end`,
      ['admin', 'none', 'user', 'worker'],
    ),
    last_login: timestamp('app_user.last_login'),
    date_joined: timestamp('app_user.date_joined'),
  },
  search: [...userList.search, 'email'],
  simple: [...userList.simple, 'email', 'role'],
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
