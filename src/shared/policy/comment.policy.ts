import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { column } from '../../engines/sql/tables.js';
import { type Actor, contextOrganization, hasPrivilege, isAdmin } from './actor.js';
import { inMaintainedOrganization, type IssueFacts, isIssueStaff, issuePolicy, mayAdd } from './issue.policy.js';
import type { Policy } from './policy.js';
import { isOneOf, maintains, withinReach } from './rules.js';

export type CommentScope = 'create@issue' | 'view' | 'update' | 'delete';

export interface CommentFacts {
  /** Null for a creation. */
  readonly ownerId: number | null;
  readonly issue: IssueFacts;
}

type Rule = (actor: Actor, comment: CommentFacts) => boolean;

/** Everyone who works on the issue. They may change each other's comments. */
const isCommentStaff: Rule = (actor, { ownerId, issue }) => isOneOf(actor, ownerId) || isIssueStaff(actor, issue);

const mayView: Rule = (actor, comment) =>
  withinReach(comment.issue.job.task.organization, isCommentStaff(actor, comment)) ||
  inMaintainedOrganization(actor, comment.issue);

const mayChange: Rule = (actor, comment) => hasPrivilege(actor, 'worker') && mayView(actor, comment);

const rules: Readonly<Record<CommentScope, Rule>> = {
  'create@issue': (actor, { issue }) => mayAdd(actor, issue.job, isIssueStaff(actor, issue)),
  view: mayView,
  update: mayChange,
  delete: mayChange,
};

export const commentPolicy: Policy<CommentScope, CommentFacts> = {
  allow: (scope, actor, comment) => isAdmin(actor) || rules[scope](actor, comment),
  visible: visibleComments,
};

/** Uses the tables `comment`, `issue`, `job`, `task` and `project`. */
function visibleComments(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || (organization !== null && maintains(actor, organization))) return raw('true');
  return or([sql`${column('comment.owner_id')} = ${actor.id}`, issuePolicy.visible(actor)]);
}
