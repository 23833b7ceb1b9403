import { Injectable } from '@nestjs/common';
import { sql } from '../../engines/sql/sql.js';
import { type Actor, isAdmin, type OrganizationFacts } from '../../shared/policy/actor.js';
import { isMember } from '../../shared/policy/rules.js';
import type { Queryable } from '../database/db.js';
import { Forbidden, InvalidList } from '../http/errors/errors.js';
import { namedId } from '../http/request/ids.js';

/** Checks the users that request bodies refer to: owner, assignee. */
@Injectable()
export class ReferencedUsers {
  /**
   * Requires that the users exist and that the actor may see them. Outside an organization, an ordinary user can only
   * refer to themselves.
   * @throws Forbidden, InvalidList
   */
  async require(
    db: Queryable,
    actor: Actor,
    organization: OrganizationFacts | null,
    ids: readonly unknown[],
  ): Promise<void> {
    if (!this.mayName(actor, organization, ids)) throw new Forbidden();
    await this.requireKnown(db, actor, ids);
  }

  /** Whether the actor may refer to these users in the object's organization. */
  mayName(actor: Actor, organization: OrganizationFacts | null, ids: readonly unknown[]): boolean {
    return idsExceptOwn(actor, ids).length === 0 || isAdmin(actor) || isMember(organization);
  }

  /** Values that are not ids are left to the validation of the body. @throws InvalidList */
  async requireKnown(db: Queryable, actor: Actor, ids: readonly unknown[]): Promise<void> {
    const numbers = idsExceptOwn(actor, ids).flatMap((id) => namedId(id) ?? []);
    if (numbers.length === 0) return;
    const known = await db.query<{ id: number }>(sql`select id from app_user where id = any(${numbers}::int[])`);
    if (known.length < new Set(numbers).size) throw new InvalidList('User matching query does not exist.');
  }
}

const idsExceptOwn = (actor: Actor, ids: readonly unknown[]): unknown[] =>
  ids.filter((id) => id !== null && id !== undefined && namedId(id) !== actor.id);
