import { among, or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { column } from '../../engines/sql/tables.js';
import { type Actor, contextOrganization, hasPrivilege, hasRole, isAdmin } from './actor.js';
import type { Policy } from './policy.js';
import { isMember, isOneOf, maintains, withinReach } from './rules.js';
import { isTaskStaff, type TaskFacts, taskPolicy, tasksOf } from './task.policy.js';

export type JobScope =
  | 'create'
  | 'delete'
  | 'view'
  | 'export'
  | 'view:annotations'
  | 'view:data'
  | 'view:metadata'
  | 'update:state'
  | 'update:annotations'
  | 'import:annotations'
  | 'update:metadata'
  | 'update:stage'
  | 'update:assignee'
  | 'view:validation_layout'
  | 'update:validation_layout';

export interface JobFacts {
  /** Null for a creation. */
  readonly assigneeId: number | null;
  readonly task: TaskFacts;
}

type Rule = (actor: Actor, job: JobFacts) => boolean;

export const isJobStaff: Rule = (actor, job) => isOneOf(actor, job.assigneeId) || isTaskStaff(actor, job.task);

/** A job's assignee from outside the organization. */
const isCrowd: Rule = (actor, { assigneeId, task }) =>
  actor.privilege === 'worker' &&
  task.organization !== null &&
  !isMember(task.organization) &&
  isOneOf(actor, assigneeId);

const inMaintainedOrganization: Rule = (actor, { task }) =>
  task.organization !== null && maintains(actor, task.organization);

const mayExport: Rule = (actor, job) =>
  withinReach(job.task.organization, isJobStaff(actor, job)) || inMaintainedOrganization(actor, job);

const mayView: Rule = (actor, job) => mayExport(actor, job) || isCrowd(actor, job);

const mayWork: Rule = (actor, job) =>
  (hasPrivilege(actor, 'worker') && withinReach(job.task.organization, isJobStaff(actor, job))) ||
  inMaintainedOrganization(actor, job) ||
  isCrowd(actor, job);

const mayManage: Rule = (actor, job) =>
  (hasPrivilege(actor, 'worker') && withinReach(job.task.organization, isTaskStaff(actor, job.task))) ||
  inMaintainedOrganization(actor, job);

const mayCreateOrDelete: Rule = (actor, job) => {
  if (!hasPrivilege(actor, 'user')) return false;
  const { organization } = job.task;
  if (organization === null) return isTaskStaff(actor, job.task);
  return hasRole(organization, 'maintainer') || (hasRole(organization, 'supervisor') && isTaskStaff(actor, job.task));
};

const rules: Readonly<Record<JobScope, Rule>> = {
  create: mayCreateOrDelete,
  delete: mayCreateOrDelete,
  view: mayView,
  export: mayExport,
  'view:annotations': mayView,
  'view:data': mayView,
  'view:metadata': mayView,
  'update:state': mayWork,
  'update:annotations': mayWork,
  'import:annotations': mayWork,
  'update:metadata': mayWork,
  'update:stage': mayManage,
  'update:assignee': mayManage,
  'view:validation_layout': (actor, job) => taskPolicy.allow('view:validation_layout', actor, job.task),
  'update:validation_layout': (actor, job) => taskPolicy.allow('view:validation_layout', actor, job.task),
};

export const jobPolicy: Policy<JobScope, JobFacts> = {
  allow: (scope, actor, job) => isAdmin(actor) || rules[scope](actor, job),
  visible: visibleJobs,
};

/** Uses the table `job`. */
function visibleJobs(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || (organization !== null && maintains(actor, organization))) return raw('true');
  return or([sql`${column('job.assignee_id')} = ${actor.id}`, among(column('job.task_id'), tasksOf(actor))]);
}
