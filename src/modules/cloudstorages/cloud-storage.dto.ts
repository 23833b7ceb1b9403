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

const PROVIDER =
  'AWS_S3_BUCKET (Amazon S3 and compatible servers), AZURE_CONTAINER or GOOGLE_CLOUD_STORAGE; GOOGLE_DRIVE is not supported';
const ATTRIBUTES =
  '`prefix`; for S3 also `region` and `endpoint_url`, for Azure `endpoint_url`, for Google `project_id` and `location`. As URL parameters: `a=b&c=d`';

const KEY_FILE = 'The JSON file with the key of a service account of Google: a file of a form, or its content';
/** Maximum size of a key file; they have about 2.5 KB. */
export const KEY_FILE_BYTES = 64 * 1024;

/** Fields of creations and updates. */
class CloudStorageDetails {
  @TextField({ optional: true, blank: true, max: 440, description: 'For Azure, the SAS token' }) session_token?: string;
  @TextField({ optional: true, blank: true, max: 24, description: 'The storage account of Azure' })
  account_name?: string;
  @TextField({ optional: true, blank: true, max: 40 }) key?: string;
  @TextField({ optional: true, blank: true, max: 64 }) secret_key?: string;
  @TextField({ optional: true, blank: true, max: 1024, description: 'The connection string of Azure' })
  connection_string?: string;
  @TextField({ optional: true, blank: true, max: KEY_FILE_BYTES, description: KEY_FILE })
  key_file?: string;
  @TextField({ optional: true, blank: true, max: 1024, description: ATTRIBUTES }) specific_attributes?: string;
  @TextField({ optional: true, blank: true }) description?: string;
  @ListField(nameItem(1024), { optional: true, maxItems: 1000, description: 'Keys of manifests in the bucket' })
  manifests?: string[];
}

const CREDENTIALS =
  'ANONYMOUS_ACCESS, or for S3 KEY_SECRET_KEY_PAIR, for Azure ACCOUNT_NAME_TOKEN_PAIR or CONNECTION_STRING, for Google KEY_FILE_PATH';

export class UpdateCloudStorageDto extends CloudStorageDetails {
  @ChoiceField(PROVIDERS, { optional: true, description: PROVIDER }) provider_type?: string;
  @TextField({ optional: true, max: 222, description: 'Name of the bucket or container' }) resource?: string;
  @TextField({ optional: true, max: 63 }) display_name?: string;
  @ChoiceField(CREDENTIALS_TYPES, { optional: true, description: CREDENTIALS }) credentials_type?: string;
}

export class CreateCloudStorageDto extends CloudStorageDetails {
  @ChoiceField(PROVIDERS, { description: PROVIDER }) provider_type!: string;
  @TextField({ max: 222, description: 'Name of the bucket or container' }) resource!: string;
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
