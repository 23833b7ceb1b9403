import { ApiProperty } from '@nestjs/swagger';
import { BasicUserDto } from '../../core/http/response/basic-user.dto.js';
import { ListField, nameItem } from '../../core/http/body/composite-fields.js';
import { ChoiceField, TextField } from '../../core/http/body/fields.js';
import type { Urls } from '../../core/http/response/urls.js';
import { FileInfoDto } from '../share/index.js';
import { readBasicUser } from '../users/index.js';

export const PROVIDERS = ['AWS_S3_BUCKET', 'AZURE_CONTAINER', 'GOOGLE_DRIVE', 'GOOGLE_CLOUD_STORAGE'] as const;
export const CREDENTIALS_TYPES = [
  'KEY_SECRET_KEY_PAIR',
  'ACCOUNT_NAME_TOKEN_PAIR',
  'KEY_FILE_PATH',
  'ANONYMOUS_ACCESS',
  'CONNECTION_STRING',
] as const;

const PROVIDER = 'Only AWS_S3_BUCKET is supported: Amazon S3 and compatible servers';
const ATTRIBUTES = '`region`, `endpoint_url` (except for Amazon) and `prefix`, as URL parameters: `a=b&c=d`';

/** Fields of creations and updates. */
class CloudStorageDetails {
  @TextField({ optional: true, blank: true, max: 440 }) session_token?: string;
  @TextField({ optional: true, blank: true, max: 24, description: 'Only for providers that are not supported' })
  account_name?: string;
  @TextField({ optional: true, blank: true, max: 40 }) key?: string;
  @TextField({ optional: true, blank: true, max: 64 }) secret_key?: string;
  @TextField({ optional: true, blank: true, max: 1024, description: 'Only for providers that are not supported' })
  connection_string?: string;
  @TextField({ optional: true, blank: true, max: 1024, description: ATTRIBUTES }) specific_attributes?: string;
  @TextField({ optional: true, blank: true }) description?: string;
  @ListField(nameItem(1024), { optional: true, maxItems: 1000, description: 'Keys of manifests in the bucket' })
  manifests?: string[];
}

const CREDENTIALS = 'KEY_SECRET_KEY_PAIR or ANONYMOUS_ACCESS';

export class UpdateCloudStorageDto extends CloudStorageDetails {
  @ChoiceField(PROVIDERS, { optional: true, description: PROVIDER }) provider_type?: string;
  @TextField({ optional: true, max: 222, description: 'Name of the bucket' }) resource?: string;
  @TextField({ optional: true, max: 63 }) display_name?: string;
  @ChoiceField(CREDENTIALS_TYPES, { optional: true, description: CREDENTIALS }) credentials_type?: string;
}

export class CreateCloudStorageDto extends CloudStorageDetails {
  @ChoiceField(PROVIDERS, { description: PROVIDER }) provider_type!: string;
  @TextField({ max: 222, description: 'Name of the bucket' }) resource!: string;
  @TextField({ max: 63 }) display_name!: string;
  @ChoiceField(CREDENTIALS_TYPES, { description: CREDENTIALS }) credentials_type!: string;
}

/** A page of the files in a bucket. */
export class CloudStorageContentDto {
  @ApiProperty({ type: String, nullable: true, description: '`next_token` for the next page; null on the last page' })
  next!: string | null;
  @ApiProperty({ type: FileInfoDto, isArray: true }) content!: FileInfoDto[];
}

/** Never contains credentials. */
export class CloudStorageDto {
  @ApiProperty() id!: number;
  @ApiProperty({ type: BasicUserDto, nullable: true }) owner!: BasicUserDto | null;
  @ApiProperty({ type: String, isArray: true }) manifests!: string[];
  @ApiProperty({ format: 'date-time' }) created_date!: string;
  @ApiProperty({ format: 'date-time' }) updated_date!: string;
  @ApiProperty({ enum: PROVIDERS }) provider_type!: string;
  @ApiProperty() resource!: string;
  @ApiProperty() display_name!: string;
  @ApiProperty({ enum: CREDENTIALS_TYPES }) credentials_type!: string;
  @ApiProperty() specific_attributes!: string;
  @ApiProperty() description!: string;
  @ApiProperty({ type: Number, nullable: true }) organization!: number | null;
}

export interface CloudStorageRow {
  readonly id: number;
  readonly provider_type: string;
  readonly resource: string;
  readonly display_name: string;
  readonly credentials_type: string;
  /** Encrypted. */
  readonly credentials: string | null;
  readonly specific_attributes: string;
  readonly description: string;
  readonly manifests: string[];
  readonly owner_id: number | null;
  readonly organization_id: number | null;
  readonly created_date: string;
  readonly updated_date: string;
}

export const toCloudStorage = (row: CloudStorageRow, urls: Urls): CloudStorageDto => ({
  id: row.id,
  owner: readBasicUser(row, 'owner', urls),
  manifests: row.manifests,
  created_date: row.created_date,
  updated_date: row.updated_date,
  provider_type: row.provider_type,
  resource: row.resource,
  display_name: row.display_name,
  credentials_type: row.credentials_type,
  specific_attributes: row.specific_attributes,
  description: row.description,
  organization: row.organization_id,
});
