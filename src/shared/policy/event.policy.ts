import { raw, sql } from '../../engines/sql/sql.js';
import { type Actor, contextOrganization, hasPrivilege, isAdmin, type OrganizationFacts } from './actor.js';
import type { Policy } from './policy.js';
import { isMember, isOrganizationOwner, maintains } from './rules.js';

export type LoggedEventScope = 'send' | 'export' | 'audit' | 'supervise';

/** The organization that the request names, if any. */
export interface LoggedEventFacts {
  readonly organization: OrganizationFacts | null;
}

const mayAct = ({ organization }: LoggedEventFacts): boolean => organization === null || isMember(organization);

const rules: Readonly<Record<LoggedEventScope, (actor: Actor, facts: LoggedEventFacts) => boolean>> = {
  send: (_, facts) => mayAct(facts),
  export: (actor, facts) => hasPrivilege(actor, 'worker') && mayAct(facts),
  // Without an organization, the list has the rows of the organizations that the actor owns.
  audit: (actor, { organization }) => organization === null || isOrganizationOwner(actor, organization),
  supervise: () => false, // only administrators
};

/** The rules of the event log. `visible` selects what the actor may export; it uses the table `logged_event`. */
export const loggedEventPolicy: Policy<LoggedEventScope, LoggedEventFacts> = {
  allow: (scope, actor, facts) => isAdmin(actor) || rules[scope](actor, facts),
  visible: (actor) => {
    const { user_id: userId, org_id: organizationId } = enforcedFilters(actor);
    const own = userId === undefined ? raw('true') : sql`user_id = ${userId}`;
    return organizationId === undefined ? own : sql`${own} and org_id = ${organizationId}`;
  },
};

/** Whether the actor may still have an export with these filters. @param organization the one of the filter `org_id` */
export function mayExportEvents(
  actor: Actor,
  organization: OrganizationFacts | null,
  ids: { readonly user_id?: number; readonly org_id?: number },
): boolean {
  const isOwn = ids.user_id === actor.id;
  const isOfOwn = ids.org_id !== undefined && organization !== null && maintains(actor, organization);
  return loggedEventPolicy.allow('export', actor, { organization: isOwn ? null : organization }) &&
    (isAdmin(actor) || isOwn || isOfOwn); // prettier-ignore
}

/** The filters that apply to every export of the actor. */
export function enforcedFilters(actor: Actor): { readonly user_id?: number; readonly org_id?: number } {
  const organization = contextOrganization(actor);
  const seesAll = isAdmin(actor) || (organization !== null && maintains(actor, organization));
  return {
    ...(seesAll ? {} : { user_id: actor.id }),
    ...(organization === null ? {} : { org_id: organization.id }),
  };
}
