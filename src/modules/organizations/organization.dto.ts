import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { ANY_JSON, JsonField, TextField } from '../../core/http/body/fields.js';
import type { Urls } from '../../core/http/response/urls.js';
import { sql } from '../../engines/sql/sql.js';
import { basicUserColumns, readBasicUser } from '../users/index.js';

const MAX_SLUG = 16;
const MAX_NAME = 64;
const SLUG = /^[-a-zA-Z0-9_]+$/;
const SLUG_MESSAGE = 'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.';

const SlugField = (optional: boolean): PropertyDecorator =>
  TextField({ max: MAX_SLUG, pattern: SLUG, patternMessage: SLUG_MESSAGE, optional });
const NameField = (description?: string): PropertyDecorator =>
  TextField({ max: MAX_NAME, blank: true, optional: true, ...(description === undefined ? {} : { description }) });
const DescriptionField = (): PropertyDecorator => TextField({ blank: true, optional: true });
const ContactField = (): PropertyDecorator => JsonField({ optional: true, description: 'Any JSON value but null' });

export class CreateOrganizationDto {
  @SlugField(false) slug!: string;
  @NameField('Default: the slug') name?: string;
  @DescriptionField() description?: string;
  @ContactField() contact?: unknown;
}

export class UpdateOrganizationDto {
  @SlugField(true) slug?: string;
  @NameField() name?: string;
  @DescriptionField() description?: string;
  @ContactField() contact?: unknown;
}

export class OrganizationDto {
  @ApiProperty() id!: number;
  @ApiProperty({ maxLength: MAX_SLUG, pattern: SLUG.source }) slug!: string;
  @ApiProperty({ maxLength: MAX_NAME }) name!: string;
  @ApiProperty() description!: string;
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
  @ApiProperty(ANY_JSON) contact!: unknown;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
}

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
