import type { Urls } from '../../core/http/urls.js';
import { sql } from '../../engines/sql/sql.js';
import { basicUserColumns, readBasicUser } from '../users/index.js';
import type { OrganizationDto } from './organization.dto.js';

export interface OrganizationRow {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly created_date: string;
  readonly updated_date: string;
  readonly contact: unknown;
}

/** Over `organization` and its `owner`. */
export const ORGANIZATION_COLUMNS = sql`organization.id, organization.slug, organization.name, organization.description,
  organization.created_date, organization.updated_date, organization.contact, ${basicUserColumns('owner', 'owner')}`;

export const toOrganization = (row: OrganizationRow, urls: Urls): OrganizationDto => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  created_date: row.created_date,
  updated_date: row.updated_date,
  contact: row.contact,
  owner: readBasicUser(row, 'owner', urls),
});
