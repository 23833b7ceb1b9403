import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Invalid, InvalidList, NotFound } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Urls } from '../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import { type Page, parameter } from '../../core/list/page-request.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { join, sql } from '../../engines/sql/sql.js';
import { CloudBuckets, CloudCredentials, requireUsable } from './cloud-buckets.js';
import {
  type CloudStorageDto,
  type CloudStorageRow,
  type CreateCloudStorageDto,
  PROVIDERS,
  toCloudStorage,
  type UpdateCloudStorageDto,
} from './cloud-storage.dto.js';
import {
  CLOUD_STORAGE_COLUMNS,
  cloudStorageList,
  CloudStorageRepository,
  type CloudStorageValues,
} from './cloud-storage.repository.js';
import { type Actor, contextOrganization } from '../../shared/policy/actor.js';
import { cloudStoragePolicy, type CloudStorageScope } from '../../shared/policy/cloudstorage.policy.js';

/** Cloud storages: buckets with their credentials. */
@Injectable()
export class CloudStorageService {
  constructor(
    private readonly db: Db,
    private readonly work: UnitOfWork,
    private readonly storages: CloudStorageRepository,
    private readonly credentials: CloudCredentials,
    private readonly buckets: CloudBuckets,
    private readonly lists: ListService,
    private readonly preconditions: Preconditions,
  ) {}

  list(actor: Actor, query: Record<string, unknown>): Promise<Page<CloudStorageDto>> {
    requireAll(cloudStoragePolicy, ['list'], actor, { ownerId: null, organization: contextOrganization(actor) });
    const provider = parameter(query, 'provider_type');
    if (provider !== '' && !PROVIDERS.some((known) => known === provider))
      throw new InvalidList('Unsupported type of cloud provider');
    const urls = new Urls(actor.baseUrl);
    return this.lists.page<CloudStorageRow, CloudStorageDto>(
      cloudStorageList,
      {
        select: CLOUD_STORAGE_COLUMNS,
        visible: cloudStoragePolicy.visible(actor),
        organization: listOrganization(actor),
        query,
        url: `${actor.baseUrl}/api/cloudstorages`,
      },
      (row) => toCloudStorage(row, urls),
    );
  }

  async get(actor: Actor, id: number): Promise<CloudStorageDto> {
    return toCloudStorage(await this.require(this.db, actor, id, 'view'), new Urls(actor.baseUrl));
  }

  /** @throws NotFound, Forbidden */
  async require(db: Queryable, actor: Actor, id: number, scope: CloudStorageScope): Promise<CloudStorageRow> {
    const found = await this.storages.findWithFacts(db, id, actor.id);
    if (found === undefined) throw NotFound.of('CloudStorage');
    requireAll(cloudStoragePolicy, [scope], actor, found.facts);
    return found.row;
  }

  /** Checks the permission before validating the body, and the bucket before saving anything. */
  async create(actor: Actor, body: Unvalidated<CreateCloudStorageDto>): Promise<CloudStorageDto> {
    const organization = contextOrganization(actor);
    requireAll(cloudStoragePolicy, ['create'], actor, { ownerId: actor.id, organization });
    const dto = body.validate();
    const values = this.valuesOf(dto, null);
    await this.requireReachable(values);
    return this.work.run(async (tx) => {
      const place = { ownerId: actor.id, organizationId: organization?.id ?? null, now: tx.now };
      const id = await this.storages.insert(tx, values, place);
      return this.read(tx, actor, id);
    });
  }

  async update(actor: Actor, id: number, body: Unvalidated<UpdateCloudStorageDto>): Promise<CloudStorageDto> {
    const before = await this.require(this.db, actor, id, 'update');
    const values = this.valuesOf(body.validate(), before);
    if (changesPlace(values, before)) await this.requireReachable(values);
    return this.work.run(async (tx) => {
      await this.storages.lock(tx, id);
      const row = await this.require(tx, actor, id, 'update');
      await this.preconditions.require(tx, 'cloud storage', toCloudStorage(row, new Urls(actor.baseUrl)));
      // The bucket was checked outside a transaction, so a concurrent change would not have been checked.
      if (row.updated_date !== before.updated_date)
        throw new InvalidList('The cloud storage was changed by another request. Try again.');
      await this.storages.set(
        tx,
        id,
        join(
          [
            sql`provider_type = ${values.provider_type}`,
            sql`resource = ${values.resource}`,
            sql`display_name = ${values.display_name}`,
            sql`credentials_type = ${values.credentials_type}`,
            sql`credentials = ${values.credentials}`,
            sql`specific_attributes = ${values.specific_attributes}`,
            sql`description = ${values.description}`,
            sql`manifests = ${[...values.manifests]}::text[]`,
            sql`updated_date = ${tx.now}`,
          ],
          ', ',
        ),
      );
      return this.read(tx, actor, id);
    });
  }

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      await this.storages.lock(tx, id);
      const row = await this.require(tx, actor, id, 'delete');
      await this.preconditions.require(tx, 'cloud storage', toCloudStorage(row, new Urls(actor.baseUrl)));
      await this.storages.delete(tx, id);
    });
  }

  private async read(tx: Tx, actor: Actor, id: number): Promise<CloudStorageDto> {
    const row = await this.storages.find(tx, id);
    if (row === undefined) throw new Error(`Cloud storage ${id} is gone in the transaction that wrote it`);
    return toCloudStorage(row, new Urls(actor.baseUrl));
  }

  /** Applies a body to the current values. @throws Invalid */
  private valuesOf(
    dto: CreateCloudStorageDto | UpdateCloudStorageDto,
    before: CloudStorageRow | null,
  ): CloudStorageValues {
    const { key = '', secret_key: secret = '', session_token: token = '' } = dto;
    const newPair = key !== '' || secret !== '' || token !== '';
    const values = {
      provider_type: dto.provider_type ?? before?.provider_type ?? '',
      resource: dto.resource ?? before?.resource ?? '',
      display_name: dto.display_name ?? before?.display_name ?? '',
      credentials_type: dto.credentials_type ?? before?.credentials_type ?? '',
      specific_attributes: dto.specific_attributes ?? before?.specific_attributes ?? '',
      description: dto.description ?? before?.description ?? '',
      manifests: dto.manifests ?? before?.manifests ?? [],
    };
    const moves = before !== null && isElsewhere(values, before);
    // Credentials are kept only for the server they were given for, so that a user who does not know them cannot send
    // them to another server.
    const keepsCredentials = before?.credentials != null && !newPair && !moves;
    requireUsable({ ...values, key, secret_key: secret, keepsCredentials });
    const isOpen = values.credentials_type === 'ANONYMOUS_ACCESS';
    const pair = { key, secret, ...(token === '' ? {} : { token }) };
    const credentials = isOpen ? null : keepsCredentials ? before.credentials : this.credentials.seal(pair);
    return { ...values, credentials };
  }

  /** Checks that the bucket is reachable and contains the manifests. @throws Invalid */
  private async requireReachable(values: CloudStorageValues): Promise<void> {
    try {
      const { bucket } = this.buckets.of(values);
      await bucket.check();
      for (const name of values.manifests)
        if (!(await bucket.has(name)))
          throw new Invalid({ manifests: [`There is no file ${name} in the resource ${values.resource}.`] });
    } catch (error) {
      if (error instanceof ObjectStorageError) throw new Invalid({ [fieldOf(error)]: [error.message] });
      throw error;
    }
  }
}

const fieldOf = ({ problem }: ObjectStorageError): string =>
  ({ 'not-found': 'resource', forbidden: 'resource', unreachable: 'specific_attributes', failed: 'resource' })[problem];

const endpointOf = (attributes: string): string => new URLSearchParams(attributes).get('endpoint_url') ?? '';

const isElsewhere = (values: { readonly specific_attributes: string }, before: CloudStorageRow): boolean =>
  endpointOf(values.specific_attributes) !== endpointOf(before.specific_attributes);

const changesPlace = (values: CloudStorageValues, before: CloudStorageRow): boolean =>
  values.resource !== before.resource ||
  values.credentials !== before.credentials ||
  values.credentials_type !== before.credentials_type ||
  values.specific_attributes !== before.specific_attributes ||
  values.manifests.join('\n') !== before.manifests.join('\n');
