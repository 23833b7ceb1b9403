import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { columns, table } from '../../engines/sql/tables.js';
import { type Actor, contextOrganization, hasPrivilege, isAdmin } from './actor.js';
import { isJobStaff, type JobFacts } from './job.policy.js';
import type { Policy } from './policy.js';
import { isMember, isOneOf, maintains, withinReach } from './rules.js';
import { isTaskStaff } from './task.policy.js';

export type IssueScope = 'create@job' | 'view' | 'update' | 'delete';

export interface IssueFacts {
  /** Null for a creation, as is the assignee. */
  readonly ownerId: number | null;
  readonly assigneeId: number | null;
  readonly job: JobFacts;
}

type Rule = (actor: Actor, issue: IssueFacts) => boolean;

/** Anyone who works on the issue or its job. */
export const isIssueStaff: Rule = (actor, issue) =>
  isOneOf(actor, issue.ownerId, issue.assigneeId) || isJobStaff(actor, issue.job);

/** Excludes the assignee of the issue and that of the job. */
const isIssueAdmin: Rule = (actor, issue) => isOneOf(actor, issue.ownerId) || isTaskStaff(actor, issue.job.task);

export const inMaintainedOrganization: Rule = (actor, { job: { task } }) =>
  task.organization !== null && maintains(actor, task.organization);

const asWorker =
  (related: Rule): Rule =>
  (actor, issue) =>
    (hasPrivilege(actor, 'worker') && withinReach(issue.job.task.organization, related(actor, issue))) ||
    inMaintainedOrganization(actor, issue);

/**
 * Whether the actor may add to a job's review. The organization that the request names counts, not that of the job:
 * without one, only users related to the job may add to it.
 */
export function mayAdd(actor: Actor, { task }: JobFacts, related: boolean): boolean {
  const worker = hasPrivilege(actor, 'worker') && related;
  const named = contextOrganization(actor);
  if (named === null) return worker;
  if (named.id !== task.organization?.id) return false;
  return maintains(actor, named) || (isMember(named) && worker);
}

const rules: Readonly<Record<IssueScope, Rule>> = {
  'create@job': (actor, { job }) => mayAdd(actor, job, isJobStaff(actor, job)),
  view: (actor, issue) =>
    withinReach(issue.job.task.organization, isIssueStaff(actor, issue)) || inMaintainedOrganization(actor, issue),
  update: asWorker(isIssueStaff),
  delete: asWorker(isIssueAdmin),
};

export const issuePolicy: Policy<IssueScope, IssueFacts> = {
  allow: (scope, actor, issue) => isAdmin(actor) || rules[scope](actor, issue),
  visible: visibleIssues,
};

const ISSUE = columns('issue', ['owner_id', 'assignee_id']);
const JOB = columns('job', ['assignee_id']);
const TASK = columns('task', ['owner_id', 'assignee_id', 'organization_id']);
const PROJECT = columns('project', ['owner_id', 'assignee_id']);
const MEMBERSHIP = columns('membership', ['organization_id', 'user_id', 'is_active', 'role']);

/** Uses the tables `issue`, `job`, `task` and `project`. */
function visibleIssues(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || (organization !== null && maintains(actor, organization))) return raw('true');
  return or([
    sql`${ISSUE.owner_id} = ${actor.id}`,
    sql`${ISSUE.assignee_id} = ${actor.id}`,
    sql`${JOB.assignee_id} = ${actor.id}`,
    sql`${TASK.owner_id} = ${actor.id}`,
    sql`${TASK.assignee_id} = ${actor.id}`,
    sql`${PROJECT.owner_id} = ${actor.id}`,
    sql`${PROJECT.assignee_id} = ${actor.id}`,
  ]);
}

/**
 * For lists that name a job: the job's organization counts, even if the request does not name it.
 * @param visible the policy's condition, which also uses the table `task`
 */
export function visibleInJob(actor: Actor, visible: Sql): Sql {
  if (!hasPrivilege(actor, 'user')) return visible;
  return or([
    visible,
    sql`exists (select 1 from ${table('membership')} where ${MEMBERSHIP.organization_id} = ${TASK.organization_id}
      and ${MEMBERSHIP.user_id} = ${actor.id} and ${MEMBERSHIP.is_active} and ${MEMBERSHIP.role} in ('owner', 'maintainer'))`,
  ]);
}
