import { type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, isAdmin } from './actor.js';
import type { Policy } from './policy.js';
import { isOneOf } from './rules.js';

export type RequestScope = 'view' | 'cancel';

/** Facts about a background request. */
export interface RequestFacts {
  readonly ownerId: number | null;
  /** Whether its id names its user: an operation that each user has separately. */
  readonly isPrivate: boolean;
  /** Whether the actor may view its target, if that exists already. */
  readonly seesTarget: boolean;
}

const rules: Readonly<Record<RequestScope, (actor: Actor, request: RequestFacts) => boolean>> = {
  view: (actor, request) => isOneOf(actor, request.ownerId) || request.seesTarget,
  cancel: (actor, request) => isOneOf(actor, request.ownerId),
};

/** Private requests are accessible only to their owner, not even to administrators. */
export const requestPolicy: Policy<RequestScope, RequestFacts> = {
  allow: (scope, actor, request) => {
    if (request.isPrivate) return isOneOf(actor, request.ownerId);
    return isAdmin(actor) || rules[scope](actor, request);
  },
  visible: visibleRequests,
};

/** Uses the table `background_request`: only the actor's own, also for administrators. */
function visibleRequests(actor: Actor): Sql {
  return sql`background_request.owner_id = ${actor.id}`;
}
