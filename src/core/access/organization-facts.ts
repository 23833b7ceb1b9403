import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import type { OrganizationFacts, Role } from '../../shared/policy/actor.js';

/** What the policy needs to know about an object's organization. Read in the same statement as the object. */
export interface OrganizationFactsRow {
  readonly fact_organization_id: number | null;
  readonly fact_organization_owner_id: number | null;
  readonly fact_role: Role | null;
}

export const organizationFactsColumns = raw(
  'fact_organization.id as fact_organization_id, fact_organization.owner_id as fact_organization_owner_id, fact_organization.role as fact_role',
);

/**
 * Joins the organization and the actor's active membership in it.
 * @param organizationId column with the object's organization
 */
export const organizationFactsJoin = (organizationId: Sql, actorId: number): Sql => sql`
  left join lateral (select organization.id, organization.owner_id, (
      select membership.role from membership where membership.organization_id = organization.id
        and membership.user_id = ${actorId} and membership.is_active) as role
    from organization where organization.id = ${organizationId}) fact_organization on true`;

export const organizationFacts = (row: OrganizationFactsRow): OrganizationFacts | null =>
  row.fact_organization_id === null
    ? null
    : { id: row.fact_organization_id, ownerId: row.fact_organization_owner_id, role: row.fact_role };
