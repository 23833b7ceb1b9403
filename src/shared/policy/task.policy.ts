import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { columns, table } from '../../engines/sql/tables.js';
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
  | 'view:agreement'
  | 'export'
  | 'update:desc'
  | 'update:annotations'
  | 'import:annotations'
  | 'upload:data'
  | 'update:metadata'
  | 'update:validation_layout'
  | 'merge:replicas'
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
  'merge:replicas': mayWork,
  'view:agreement': mayWork,
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

const TASK = columns('task', ['owner_id', 'assignee_id', 'project_id']);
const TASKS = table('task', 'seen_task');
const SEEN_TASK = columns('seen_task', ['id', 'owner_id', 'assignee_id', 'project_id', 'organization_id']);
const PROJECTS = table('project', 'seen_project');
const SEEN_PROJECT = columns('seen_project', ['id', 'owner_id', 'assignee_id', 'organization_id']);

/** Uses the table `task`. */
function visibleTasks(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || (organization !== null && maintains(actor, organization))) return raw('true');
  return or([
    sql`${TASK.owner_id} = ${actor.id}`,
    sql`${TASK.assignee_id} = ${actor.id}`,
    sql`${TASK.project_id} = any(array(${projectsOf(actor)}))`,
  ]);
}

/**
 * Ids of the tasks that the actor is staff of, in the context of the request: lists show no others. Unlike `or`, a
 * union can use indexes.
 */
export function tasksOf(actor: Actor): Sql {
  const here = inContext(actor, SEEN_TASK.organization_id);
  const projects = sql`${projectsOf(actor)} and ${inContext(actor, SEEN_PROJECT.organization_id)}`;
  return sql`
    select ${SEEN_TASK.id} from ${TASKS} where ${SEEN_TASK.owner_id} = ${actor.id} and ${here}
    union select ${SEEN_TASK.id} from ${TASKS} where ${SEEN_TASK.assignee_id} = ${actor.id} and ${here}
    union select ${SEEN_TASK.id} from ${TASKS} where ${SEEN_TASK.project_id} = any(array(${projects}))`;
}

function inContext({ context }: Actor, organizationId: Sql): Sql {
  if (context.kind === 'any') return raw('true');
  return context.kind === 'sandbox' ? sql`${organizationId} is null` : sql`${organizationId} = ${context.id}`;
}

/** Ids of the projects that make the actor staff of their tasks. An array of ids, unlike a join, can use indexes. */
export const projectsOf = (actor: Actor): Sql => sql`select ${SEEN_PROJECT.id} from ${PROJECTS}
  where (${SEEN_PROJECT.owner_id} = ${actor.id} or ${SEEN_PROJECT.assignee_id} = ${actor.id})`;
