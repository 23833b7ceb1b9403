import type { Sql } from '../../engines/sql/sql.js';
import type { Actor } from './actor.js';

/** The rules of one resource: the decision over one object, and beside it the condition that lists use. */
export interface Policy<Scope extends string, Facts> {
  /** May the actor do `scope` to the object (for creations: to the place) described by `facts`? */
  allow(scope: Scope, actor: Actor, facts: Facts): boolean;
  /** Condition over the list's tables that keeps what the actor may see. */
  visible(actor: Actor): Sql;
}
