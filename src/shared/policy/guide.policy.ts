import { type Actor, contextOrganization, hasPrivilege, isAdmin, type OrganizationFacts } from './actor.js';
import type { Policy } from './policy.js';
import { isMember, isOneOf, maintains, withinReach } from './rules.js';
import type { People } from './task.policy.js';

export type GuideScope = 'create' | 'view' | 'update' | 'delete';

/** Facts about the project or task of the guide. */
export interface GuideFacts extends People {
  readonly organization: OrganizationFacts | null;
  /** Whether the actor works in it: on a job, or for a project on a task. */
  readonly worksInIt: boolean;
}

type Rule = (actor: Actor, guide: GuideFacts) => boolean;

const isTargetStaff: Rule = (actor, guide) => isOneOf(actor, guide.ownerId, guide.assigneeId);

const inMaintainedOrganization: Rule = (actor, { organization }) =>
  organization !== null && maintains(actor, organization);

/** Outside organizations, even viewing requires a group. */
const mayView: Rule = (actor, guide) => {
  const related = isTargetStaff(actor, guide) || guide.worksInIt;
  if (guide.organization === null) return hasPrivilege(actor, 'worker') && related;
  return withinReach(guide.organization, related) || inMaintainedOrganization(actor, guide);
};

const mayChange: Rule = (actor, guide) =>
  (hasPrivilege(actor, 'user') && withinReach(guide.organization, isTargetStaff(actor, guide))) ||
  inMaintainedOrganization(actor, guide);

/** Uses the organization that the request names. */
const mayCreate: Rule = (actor, guide) => {
  const staff = hasPrivilege(actor, 'user') && isTargetStaff(actor, guide);
  const named = contextOrganization(actor);
  if (named === null) return staff;
  return named.id === guide.organization?.id && (maintains(actor, named) || (isMember(named) && staff));
};

const rules: Readonly<Record<GuideScope, Rule>> = {
  create: mayCreate,
  view: mayView,
  update: mayChange,
  delete: mayChange,
};

/** Guides have no list. */
export const guidePolicy: Pick<Policy<GuideScope, GuideFacts>, 'allow'> = {
  allow: (scope, actor, guide) => isAdmin(actor) || rules[scope](actor, guide),
};
