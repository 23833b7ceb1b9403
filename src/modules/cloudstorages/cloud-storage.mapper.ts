import type { Urls } from '../../core/http/urls.js';
import { readBasicUser } from '../users/index.js';
import type { CloudStorageDto } from './cloud-storage.dto.js';

export interface CloudStorageRow {
  readonly id: number;
  readonly provider_type: string;
  readonly resource: string;
  readonly display_name: string;
  readonly credentials_type: string;
  /** Sealed. */
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
