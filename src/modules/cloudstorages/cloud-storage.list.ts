import { choice, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { sql } from '../../engines/sql/sql.js';
import { CREDENTIALS_TYPES, PROVIDERS } from './cloud-storage.dto.js';
import { CLOUD_STORAGE_FROM } from './cloud-storage.repository.js';

export const cloudStorageList: ListSpec = {
  from: CLOUD_STORAGE_FROM,
  fields: {
    provider_type: choice('cloud_storage.provider_type', PROVIDERS),
    name: text('cloud_storage.display_name'),
    resource: text('cloud_storage.resource'),
    credentials_type: choice('cloud_storage.credentials_type', CREDENTIALS_TYPES),
    owner: text('owner.username'),
    description: text('cloud_storage.description'),
    id: integer('cloud_storage.id'),
  },
  search: ['provider_type', 'name', 'resource', 'credentials_type', 'owner', 'description'],
  simple: ['provider_type', 'name', 'resource', 'credentials_type', 'owner'],
  defaultSort: '-id',
  organization: sql`cloud_storage.organization_id`,
};
