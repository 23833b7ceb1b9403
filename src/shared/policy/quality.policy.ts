import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { columns } from '../../engines/sql/tables.js';
import { type Actor, contextOrganization, hasPrivilege, isAdmin, type OrganizationFacts } from './actor.js';
import type { Policy } from './policy.js';
import { type ProjectFacts, projectPolicy } from './project.policy.js';
import { isOneOf, maintains, withinReach } from './rules.js';
import { isTaskStaff, type TaskFacts, taskPolicy } from './task.policy.js';

export type QualityReportScope = 'create' | 'view';

/** The task or project whose quality a report describes; for the report of a job, its task. */
export type QualityTarget =
  { readonly kind: 'task'; readonly facts: TaskFacts } | { readonly kind: 'project'; readonly facts: ProjectFacts };

type Rule = (actor: Actor, target: QualityTarget) => boolean;

const isStaff: Rule = (actor, { kind, facts }) =>
  kind === 'task' ? isTaskStaff(actor, facts) : isOneOf(actor, facts.ownerId, facts.assigneeId);

const inMaintainedOrganization = (actor: Actor, organization: OrganizationFacts | null): boolean =>
  organization !== null && maintains(actor, organization);

const mayView: Rule = (actor, target) => {
  const { organization } = target.facts;
  const asStaff = hasPrivilege(actor, 'worker') && withinReach(organization, isStaff(actor, target));
  return asStaff || inMaintainedOrganization(actor, organization);
};

const seesTarget: Rule = (actor, { kind, facts }) =>
  kind === 'task' ? taskPolicy.allow('view', actor, facts) : projectPolicy.allow('view', actor, facts);

const rules: Readonly<Record<QualityReportScope, Rule>> = {
  create: (actor, target) => seesTarget(actor, target) && mayView(actor, target),
  view: mayView,
};

/** Quality reports and their conflicts. Settings have the rules of their task or project. */
export const qualityPolicy: Policy<QualityReportScope, QualityTarget> = {
  allow: (scope, actor, target) => isAdmin(actor) || rules[scope](actor, target),
  visible: visibleInStaffedObjects,
};

const TASK = columns('task', ['owner_id', 'assignee_id']);
const PROJECT = columns('project', ['owner_id', 'assignee_id']);

/** Also for the list of settings. Uses the tables `task` and `project`, of which `task` may be missing. */
function visibleInStaffedObjects(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || inMaintainedOrganization(actor, organization)) return raw('true');
  return or([
    sql`${TASK.owner_id} = ${actor.id}`,
    sql`${TASK.assignee_id} = ${actor.id}`,
    sql`${PROJECT.owner_id} = ${actor.id}`,
    sql`${PROJECT.assignee_id} = ${actor.id}`,
  ]);
}

/** The actor in the context of an object's organization, whatever the request names. */
export const inOrganizationOf = (actor: Actor, organization: OrganizationFacts | null): Actor => ({
  ...actor,
  context: organization === null ? { kind: 'sandbox' } : { kind: 'organization', slug: '', ...organization },
});

/** The organization of an object, if the request names it: rules of lists do not apply to any other. */
export const namedOrganization = (actor: Actor, organization: OrganizationFacts | null): OrganizationFacts | null => {
  const named = contextOrganization(actor);
  return named !== null && named.id === organization?.id ? organization : null;
};
