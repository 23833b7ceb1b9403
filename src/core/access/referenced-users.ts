import { Injectable } from '@nestjs/common';
import { sql } from '../../engines/sql/sql.js';
import { type Actor, isAdmin, type OrganizationFacts } from '../../shared/policy/actor.js';
import { isMember } from '../../shared/policy/rules.js';
import type { Queryable } from '../database/db.js';
import { Forbidden, InvalidList } from '../http/errors.js';
import { namedId } from '../http/named-id.js';

/** People named in bodies: owner, assignee. */
@Injectable()
export class ReferencedUsers {
  /**
   * The actor must be allowed to see them, and they must exist. Without an organization an ordinary user can name
   * nobody else.
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

  /** May the actor name these people where the object is? */
  mayName(actor: Actor, organization: OrganizationFacts | null, ids: readonly unknown[]): boolean {
    return othersThan(actor, ids).length === 0 || isAdmin(actor) || isMember(organization);
  }

  /** What is no id at all is left to the validation of the body. @throws InvalidList */
  async requireKnown(db: Queryable, actor: Actor, ids: readonly unknown[]): Promise<void> {
    const numbers = othersThan(actor, ids).flatMap((id) => namedId(id) ?? []);
    if (numbers.length === 0) return;
    const known = await db.query<{ id: number }>(sql`select id from app_user where id = any(${numbers}::int[])`);
    if (known.length < new Set(numbers).size) throw new InvalidList('User matching query does not exist.');
  }
}

const othersThan = (actor: Actor, ids: readonly unknown[]): unknown[] =>
  ids.filter((id) => id !== null && id !== undefined && namedId(id) !== actor.id);
