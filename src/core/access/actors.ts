import { Injectable } from '@nestjs/common';
import { sql } from '../../engines/sql/sql.js';
import { type Actor, privilegeOf, type RequestOrigin } from '../../shared/policy/actor.js';
import type { Queryable } from '../database/db.js';

interface Row {
  readonly id: number;
  readonly username: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly groups: string[];
  readonly is_staff: boolean;
  readonly is_superuser: boolean;
}

/** Loads the accounts on whose behalf background work runs. */
@Injectable()
export class Actors {
  /**
   * @param userId null for a deleted account
   * @param baseUrl base URL under which the client reached the server
   * @param origin the request that asked for the work
   * @returns null if the account is deleted or inactive
   */
  async load(
    db: Queryable,
    userId: number | null,
    baseUrl: string,
    origin: RequestOrigin | null = null,
  ): Promise<Actor | null> {
    if (userId === null) return null;
    const [row] = await db.query<Row>(sql`
      select id, username, first_name, last_name, email, groups, is_staff, is_superuser
      from app_user where id = ${userId} and is_active`);
    if (row === undefined) return null;
    return {
      id: row.id,
      username: row.username,
      firstName: row.first_name,
      lastName: row.last_name,
      email: row.email,
      groups: row.groups,
      privilege: privilegeOf(row.groups),
      isStaff: row.is_staff,
      isSuperuser: row.is_superuser,
      context: { kind: 'any' },
      baseUrl,
      inBackground: true,
      origin,
    };
  }
}
