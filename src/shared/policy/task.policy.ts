import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization, hasPrivilege, hasRole, isAdmin, type OrganizationFacts } from './actor.js';
import type { Policy } from './policy.js';
import { isMember, isOneOf, maintains, withinReach } from './rules.js';

export type TaskScope =
  | 'create'
  | 'create@project'
  | 'import:backup'
  | 'view'
  | 'view:annotations'
  | 'view:data'
  | 'view:metadata'
  | 'view:validation_layout'
  | 'export'
  | 'update:desc'
  | 'update:annotations'
  | 'import:annotations'
  | 'upload:data'
  | 'update:metadata'
  | 'update:validation_layout'
  | 'update:owner'
  | 'update:assignee'
  | 'update:project'
  | 'update:organization'
  | 'delete'
  | 'update:storages';

export interface People {
  readonly ownerId: number | null;
  readonly assigneeId: number | null;
}

export interface TaskFacts extends People {
  readonly project: People | null;
  /** For creations: the organization that the request names. */
  readonly organization: OrganizationFacts | null;
}

type Rule = (actor: Actor, task: TaskFacts) => boolean;

/** Anyone who works on the task. Viewing requires no group. */
export const isTaskStaff: Rule = (actor, task) =>
  isOneOf(actor, task.ownerId, task.assigneeId, task.project?.ownerId, task.project?.assigneeId);

const mayView: Rule = (actor, task) =>
  withinReach(task.organization, isTaskStaff(actor, task)) || inMaintainedOrganization(actor, task);

const mayWork: Rule = (actor, task) =>
  (hasPrivilege(actor, 'worker') && withinReach(task.organization, isTaskStaff(actor, task))) ||
  inMaintainedOrganization(actor, task);

/** Excludes users who are only the task's assignee. */
const mayManage: Rule = (actor, task) =>
  managedBy(actor, task, [task.ownerId, task.project?.ownerId, task.project?.assigneeId]);

const rules: Readonly<Record<TaskScope, Rule>> = {
  create: mayCreate,
  'import:backup': mayCreate,
  'create@project': mayCreateInProject,
  view: mayView,
  'view:annotations': mayView,
  'view:data': mayView,
  'view:metadata': mayView,
  'view:validation_layout': mayView,
  export: mayView,
  'update:desc': mayWork,
  'update:annotations': mayWork,
  'import:annotations': mayWork,
  'upload:data': mayWork,
  'update:metadata': mayWork,
  'update:validation_layout': mayWork,
  'update:owner': mayManage,
  'update:assignee': mayManage,
  'update:project': mayManage,
  'update:organization': mayManage,
  delete: mayManage,
  'update:storages': (actor, task) => managedBy(actor, task, [task.ownerId, task.project?.ownerId]),
};

export const taskPolicy: Policy<TaskScope, TaskFacts> = {
  allow: (scope, actor, task) => isAdmin(actor) || rules[scope](actor, task),
  visible: visibleTasks,
};

function inMaintainedOrganization(actor: Actor, { organization }: TaskFacts): boolean {
  return organization !== null && maintains(actor, organization);
}

function managedBy(actor: Actor, task: TaskFacts, ids: readonly (number | null | undefined)[]): boolean {
  const related = withinReach(task.organization, isOneOf(actor, ...ids));
  return (hasPrivilege(actor, 'worker') && related) || inMaintainedOrganization(actor, task);
}

function mayCreate(actor: Actor, { organization }: TaskFacts): boolean {
  return hasPrivilege(actor, 'user') && (organization === null || hasRole(organization, 'supervisor'));
}

function mayCreateInProject(actor: Actor, { organization, project }: TaskFacts): boolean {
  if (!hasPrivilege(actor, 'user')) return false;
  const projectStaff = isOneOf(actor, project?.ownerId, project?.assigneeId);
  if (organization === null) return projectStaff;
  return hasRole(organization, 'supervisor') || (isMember(organization) && projectStaff);
}

/** Uses the table `task`. */
function visibleTasks(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || (organization !== null && maintains(actor, organization))) return raw('true');
  return or([
    sql`task.owner_id = ${actor.id}`,
    sql`task.assignee_id = ${actor.id}`,
    sql`task.project_id = any(array(${projectsOf(actor)}))`,
  ]);
}

/**
 * Ids of the tasks that the actor is staff of, in the context of the request: lists show no others. Unlike `or`, a
 * union can use indexes.
 */
export function tasksOf(actor: Actor): Sql {
  const here = inContext(actor, raw('seen_task.organization_id'));
  const projects = sql`${projectsOf(actor)} and ${inContext(actor, raw('seen_project.organization_id'))}`;
  return sql`
    select seen_task.id from task seen_task where seen_task.owner_id = ${actor.id} and ${here}
    union select seen_task.id from task seen_task where seen_task.assignee_id = ${actor.id} and ${here}
    union select seen_task.id from task seen_task where seen_task.project_id = any(array(${projects}))`;
}

function inContext({ context }: Actor, organizationId: Sql): Sql {
  if (context.kind === 'any') return raw('true');
  return context.kind === 'sandbox' ? sql`${organizationId} is null` : sql`${organizationId} = ${context.id}`;
}

/** Ids of the projects that make the actor staff of their tasks. An array of ids, unlike a join, can use indexes. */
export const projectsOf = (actor: Actor): Sql => sql`select seen_project.id from project seen_project
  where (seen_project.owner_id = ${actor.id} or seen_project.assignee_id = ${actor.id})`;
