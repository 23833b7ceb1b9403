import { raw } from '../../engines/sql/sql.js';
import type { Authenticated } from '../../core/access/authenticator.js';
import { privilegeOf } from '../../shared/policy/actor.js';

/** What a log-in needs to know of a person. */
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
  /** Encoded. */
  readonly password: string;
}

/** Columns of `app_user` for an `AccountRow`. */
export const ACCOUNT_COLUMNS = raw(
  [
    'id', 'username', 'first_name', 'last_name', 'email', 'email_verified', 'groups', 'is_staff', 'is_superuser',
    'is_active', 'password',
  ] // prettier-ignore
    .map((column) => `app_user.${column}`)
    .join(', '),
);

/** The account as the policy sees it. */
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
