import type { Sql } from '../../engines/sql/sql.js';
import type { Actor } from './actor.js';

/** The rules of one resource: the decision for one object, and the equivalent condition for lists. */
export interface Policy<Scope extends string, Facts> {
  /** Whether the actor may do `scope` to the object that `facts` describe (for creations: the object's parent). */
  allow(scope: Scope, actor: Actor, facts: Facts): boolean;
  /** A condition on the list's tables that selects what the actor may view. */
  visible(actor: Actor): Sql;
}
