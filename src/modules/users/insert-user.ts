import type { Queryable } from '../../core/database/db.js';
import { sql } from '../../engines/sql/sql.js';

export interface NewUser {
  readonly username: string;
  readonly email: string;
  /** Encoded. */
  readonly password: string;
  /** Nobody else can have given the address. Default: false. */
  readonly emailVerified?: boolean;
  readonly firstName?: string;
  readonly lastName?: string;
  /** Default: `user`. */
  readonly groups?: readonly string[];
  /** Staff and superuser, with access to the analytics. */
  readonly isAdministrator?: boolean;
  readonly dateJoined: Date;
}

/**
 * Adds a person.
 * @returns the id
 * @throws a unique violation of `ix_app_user_username` when the name is taken
 */
export async function insertUser(db: Queryable, user: NewUser): Promise<number> {
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
