import { Injectable } from '@nestjs/common';
import {
  organizationFacts,
  organizationFactsColumns,
  organizationFactsJoin,
  type OrganizationFactsRow,
} from '../../core/access/organization-context.js';
import type { Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { choice, integer, type ListSpec, text } from '../../core/list/list-spec.js';
import { type Sql, sql } from '../../engines/sql/sql.js';
import { type CloudStorageRow, CREDENTIALS_TYPES, PROVIDERS } from './cloud-storage.dto.js';
import { basicUserColumns } from '../users/index.js';
import type { CloudStorageFacts } from '../../shared/policy/cloudstorage.policy.js';

export const CLOUD_STORAGE_FROM = sql`cloud_storage left join app_user owner on owner.id = cloud_storage.owner_id`;

export const CLOUD_STORAGE_COLUMNS = sql`cloud_storage.id, cloud_storage.provider_type, cloud_storage.resource,
  cloud_storage.display_name, cloud_storage.credentials_type, cloud_storage.credentials,
  cloud_storage.specific_attributes, cloud_storage.description, cloud_storage.manifests, cloud_storage.organization_id,
  cloud_storage.created_date, cloud_storage.updated_date, ${basicUserColumns('owner', 'owner')}`;

/** The fields of a cloud storage that users set. */
export type CloudStorageValues = Pick<
  CloudStorageRow,
  | 'provider_type'
  | 'resource'
  | 'display_name'
  | 'credentials_type'
  | 'credentials'
  | 'specific_attributes'
  | 'description'
  | 'manifests'
>;

@Injectable()
export class CloudStorageRepository {
  async find(db: Queryable, id: number): Promise<CloudStorageRow | undefined> {
    const [row] = await db.query<CloudStorageRow>(sql`
      select ${CLOUD_STORAGE_COLUMNS} from ${CLOUD_STORAGE_FROM} where cloud_storage.id = ${id}`);
    return row;
  }

  /** The row with the facts for the policy. */
  async findWithFacts(
    db: Queryable,
    id: number,
    actorId: number,
  ): Promise<{ row: CloudStorageRow; facts: CloudStorageFacts } | undefined> {
    const [row] = await db.query<CloudStorageRow & OrganizationFactsRow>(sql`
      select ${CLOUD_STORAGE_COLUMNS}, ${organizationFactsColumns} from ${CLOUD_STORAGE_FROM}
      ${organizationFactsJoin(sql`cloud_storage.organization_id`, actorId)} where cloud_storage.id = ${id}`);
    if (row === undefined) return undefined;
    return { row, facts: { ownerId: row.owner_id, organization: organizationFacts(row) } };
  }

  /** Locks the row until the transaction ends. */
  async lock(tx: Tx, id: number): Promise<void> {
    await tx.query(sql`select 1 from cloud_storage where id = ${id} for update`);
  }

  async insert(
    tx: Tx,
    values: CloudStorageValues,
    place: { readonly ownerId: number; readonly organizationId: number | null; readonly now: Date },
  ): Promise<number> {
    const [row] = await tx.query<{ id: number }>(sql`
      insert into cloud_storage (provider_type, resource, display_name, credentials_type, credentials,
        specific_attributes, description, manifests, owner_id, organization_id, created_date, updated_date)
      values (${values.provider_type}, ${values.resource}, ${values.display_name}, ${values.credentials_type},
        ${values.credentials}, ${values.specific_attributes}, ${values.description}, ${[...values.manifests]}::text[],
        ${place.ownerId}, ${place.organizationId}, ${place.now}, ${place.now}) returning id`);
    return row?.id ?? 0;
  }

  async set(tx: Tx, id: number, assignments: Sql): Promise<void> {
    await tx.query(sql`update cloud_storage set ${assignments} where id = ${id}`);
  }

  /** Projects and tasks that used this storage have none afterwards, and so use the server. */
  async delete(tx: Tx, id: number): Promise<void> {
    // the references are set to null by the foreign keys
    await tx.query(sql`delete from storage where cloud_storage_id = ${id}`);
    await tx.query(sql`update media_data set cloud_storage_id = null where cloud_storage_id = ${id}`);
    await tx.query(sql`delete from cloud_storage where id = ${id}`);
  }
}

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
