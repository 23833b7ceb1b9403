import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { raw, type Sql, sql } from '../../engines/sql/sql.js';
import type { OrganizationContext, OrganizationFacts, Role } from '../../shared/policy/actor.js';
import { Db, type Queryable } from '../database/db.js';
import { InvalidList, NotFound } from '../http/errors/errors.js';

interface Row {
  readonly id: number;
  readonly slug: string;
  readonly owner_id: number | null;
  readonly role: Role | null;
}

const BOTH_IDS =
  'You cannot specify "org_id" query parameter with "org" query parameter, "X-Organization" HTTP header, or "organization_uuid" parameter at the same time.';
const TWO_SLUGS = 'You cannot specify "org" query parameter and "X-Organization" HTTP header with different values.';

const single = (value: unknown): string | undefined =>
  Array.isArray(value) ? String(value.at(-1)) : typeof value === 'string' ? value : undefined;

/** Reads the organization that a request names in `org`, `org_id` or `X-Organization`. */
@Injectable()
export class OrganizationContextReader {
  constructor(private readonly db: Db) {}

  /** @throws NotFound for an unknown organization, InvalidList for contradictory parameters */
  async read(request: Request, userId: number): Promise<OrganizationContext> {
    const slug = single(request.query['org']);
    const id = single(request.query['org_id']);
    const header = single(request.headers['x-organization']);
    if (slug === undefined && id === undefined && header === undefined) return { kind: 'any' };
    if (id !== undefined && (slug !== undefined || header !== undefined)) throw new InvalidList(BOTH_IDS);
    if (slug !== undefined && header !== undefined && slug !== header) throw new InvalidList(TWO_SLUGS);
    const named = id ?? slug ?? header ?? '';
    if (named === '') return { kind: 'sandbox' };
    return this.find(named, id === undefined ? hasSlug(named) : hasId(named), userId);
  }

  private async find(named: string, condition: Sql, userId: number): Promise<OrganizationContext> {
    const [row] = await this.db.query<Row>(sql`
      select organization.id, organization.slug, organization.owner_id, membership.role
      from organization left join membership
        on membership.organization_id = organization.id and membership.user_id = ${userId} and membership.is_active
      where ${condition}`);
    if (row === undefined) throw new NotFound(`${named} organization does not exist.`);
    return { kind: 'organization', id: row.id, slug: row.slug, ownerId: row.owner_id, role: row.role };
  }
}

/** PostgreSQL rejects parameters that contain a null character. */
const hasSlug = (slug: string): Sql => (slug.includes('\0') ? raw('false') : sql`organization.slug = ${slug}`);

function hasId(id: string): Sql {
  if (!/^\d{1,18}$/.test(id)) throw new InvalidList('"org_id" must be an integer.');
  return Number(id) > 2 ** 31 - 1 ? raw('false') : sql`organization.id = ${Number(id)}`;
}

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

/** An organization with the role of a user. @returns null if it does not exist */
export async function findOrganizationFacts(
  db: Queryable,
  organizationId: number,
  userId: number,
): Promise<OrganizationFacts | null> {
  const [row] = await db.query<OrganizationFactsRow>(sql`
    select ${organizationFactsColumns} from (values (${organizationId}::int)) named(id)
    ${organizationFactsJoin(raw('named.id'), userId)}`);
  return row === undefined ? null : organizationFacts(row);
}
