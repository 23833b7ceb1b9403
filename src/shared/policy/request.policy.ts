import { type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, isAdmin } from './actor.js';
import type { Policy } from './policy.js';
import { isOneOf } from './rules.js';

export type RequestScope = 'view' | 'cancel';

/** Of a background request. */
export interface RequestFacts {
  readonly ownerId: number | null;
  /** Its id names its user: an operation that each person has for themselves. */
  readonly isPrivate: boolean;
  /** The actor may view what it is about, if that is there already. */
  readonly seesTarget: boolean;
}

const rules: Readonly<Record<RequestScope, (actor: Actor, request: RequestFacts) => boolean>> = {
  view: (actor, request) => isOneOf(actor, request.ownerId) || request.seesTarget,
  cancel: (actor, request) => isOneOf(actor, request.ownerId),
};

/** What is private is for its owner alone: administrators have nothing to do with it either. */
export const requestPolicy: Policy<RequestScope, RequestFacts> = {
  allow: (scope, actor, request) => {
    if (request.isPrivate) return isOneOf(actor, request.ownerId);
    return isAdmin(actor) || rules[scope](actor, request);
  },
  visible: visibleRequests,
};

/** Over the table `background_request`: one's own, administrators' too. */
function visibleRequests(actor: Actor): Sql {
  return sql`background_request.owner_id = ${actor.id}`;
}
