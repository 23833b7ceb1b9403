import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import type { OrganizationFacts, Role } from '../../policy/actor.js';

/** What the policy asks about an object's organization, read in the statement that reads the object. */
export interface OrganizationFactsRow {
  readonly fact_organization_id: number | null;
  readonly fact_organization_owner_id: number | null;
  readonly fact_role: Role | null;
}

export const organizationFactsColumns = raw(
  'fact_organization.id as fact_organization_id, fact_organization.owner_id as fact_organization_owner_id, fact_membership.role as fact_role',
);

/**
 * Joins the organization and the actor's active membership in it.
 * @param organizationId column that holds the object's organization
 */
export const organizationFactsJoin = (organizationId: Sql, actorId: number): Sql => sql`
  left join organization fact_organization on fact_organization.id = ${organizationId}
  left join membership fact_membership on fact_membership.organization_id = fact_organization.id
    and fact_membership.user_id = ${actorId} and fact_membership.is_active`;

export const organizationFacts = (row: OrganizationFactsRow): OrganizationFacts | null =>
  row.fact_organization_id === null
    ? null
    : { id: row.fact_organization_id, ownerId: row.fact_organization_owner_id, role: row.fact_role };
