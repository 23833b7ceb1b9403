import { type ListField, text, through } from '../../core/list/list-spec.js';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';

/** The user name of the person that `column` refers to, for lists that join `app_user` as `alias`. */
export const personThrough = (alias: string, column: Sql): ListField =>
  through(text(`${alias}.username`), {
    column,
    ids: (test) => sql`select found_user.id from app_user found_user where ${test(raw('found_user.username'))}`,
  });
