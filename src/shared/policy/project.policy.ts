import { or, raw, type Sql, sql } from '../../engines/sql/sql.js';
import { columns } from '../../engines/sql/tables.js';
import { type Actor, contextOrganization, hasPrivilege, hasRole, isAdmin, type OrganizationFacts } from './actor.js';
import type { Policy } from './policy.js';
import { isOneOf, isOrganizationStaff, maintains, withinReach } from './rules.js';

export type ProjectScope =
  | 'create'
  | 'import:backup'
  | 'view'
  | 'view@request'
  | 'view:activity'
  | 'export'
  | 'update:desc'
  | 'import:dataset'
  | 'update:assignee'
  | 'update:owner'
  | 'update:storages'
  | 'update:organization'
  | 'delete';

export interface ProjectFacts {
  readonly ownerId: number | null;
  readonly assigneeId: number | null;
  /** For creations: the organization that the request names. */
  readonly organization: OrganizationFacts | null;
}

const rules: Readonly<Record<ProjectScope, (actor: Actor, project: ProjectFacts) => boolean>> = {
  create: mayCreate,
  'import:backup': mayCreate,
  view: mayView,
  'view@request': mayViewWhereNamed,
  export: mayView,
  'view:activity': (actor, project) => byStaff(actor, project) || byOrganizationStaff(actor, project),
  'update:desc': (actor, project) => byStaff(actor, project) || byOrganizationStaff(actor, project),
  'import:dataset': (actor, project) => byStaff(actor, project) || byOrganizationStaff(actor, project),
  'update:assignee': byOwnerOrOrganization,
  'update:owner': (actor, project) =>
    byOrganizationStaff(actor, project) ||
    (hasPrivilege(actor, 'worker') &&
      isOrganizationStaff(actor, project.organization) &&
      isOneOf(actor, project.ownerId)),
  'update:storages': byOwnerOrOrganization,
  'update:organization': byOwnerOrOrganization,
  delete: byOwnerOrOrganization,
};

export const projectPolicy: Policy<ProjectScope, ProjectFacts> = {
  allow: (scope, actor, project) => isAdmin(actor) || rules[scope](actor, project),
  visible: visibleProjects,
};

function mayCreate(actor: Actor, { organization }: ProjectFacts): boolean {
  return hasPrivilege(actor, 'user') && (organization === null || hasRole(organization, 'supervisor'));
}

function mayView(actor: Actor, project: ProjectFacts): boolean {
  const staff = isOneOf(actor, project.ownerId, project.assigneeId);
  return (
    withinReach(project.organization, staff) ||
    (project.organization !== null && maintains(actor, project.organization))
  );
}

/** For additions to the project, the organization that the request names counts. */
function mayViewWhereNamed(actor: Actor, project: ProjectFacts): boolean {
  const named = contextOrganization(actor);
  if (named !== null && named.id !== project.organization?.id) return false;
  return mayView(actor, { ...project, organization: named });
}

function byStaff(actor: Actor, project: ProjectFacts): boolean {
  return (
    hasPrivilege(actor, 'worker') &&
    withinReach(project.organization, isOneOf(actor, project.ownerId, project.assigneeId))
  );
}

function byOrganizationStaff(actor: Actor, { organization }: ProjectFacts): boolean {
  return hasPrivilege(actor, 'user') && isOrganizationStaff(actor, organization);
}

function byOwnerOrOrganization(actor: Actor, project: ProjectFacts): boolean {
  const owner = hasPrivilege(actor, 'worker') && withinReach(project.organization, isOneOf(actor, project.ownerId));
  return owner || byOrganizationStaff(actor, project);
}

const PROJECT = columns('project', ['owner_id', 'assignee_id']);

/** Uses the table `project`. */
function visibleProjects(actor: Actor): Sql {
  const organization = contextOrganization(actor);
  if (isAdmin(actor) || (organization !== null && maintains(actor, organization))) return raw('true');
  return or([sql`${PROJECT.owner_id} = ${actor.id}`, sql`${PROJECT.assignee_id} = ${actor.id}`]);
}
