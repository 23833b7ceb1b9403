import { Injectable } from '@nestjs/common';
import { requireAll } from '../../core/access/require.js';
import { Db, type Queryable } from '../../core/database/db.js';
import type { Tx } from '../../core/database/tx.js';
import { ChangeLog } from '../../core/event-log/change-log.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Unvalidated } from '../../core/http/body/body.js';
import { Invalid, InvalidList, NotFound } from '../../core/http/errors/errors.js';
import { Preconditions } from '../../core/http/conditional/preconditions.js';
import { Urls } from '../../core/http/response/urls.js';
import { listOrganization, ListService } from '../../core/list/list.service.js';
import { type Page, parameter } from '../../core/list/page-request.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { join, sql } from '../../engines/sql/sql.js';
import { CloudBuckets, CloudCredentials } from './cloud-buckets.js';
import { requireUsable, type SecretFields, storedCredentials } from './cloud-providers.js';
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
    private readonly changes: ChangeLog,
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
      const object = await this.read(tx, actor, id);
      this.changes.record(tx, actor, 'create:cloudstorage', { object }, { organizationId: object.organization });
      return object;
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
      const object = await this.read(tx, actor, id);
      const change = { before: toCloudStorage(row, new Urls(actor.baseUrl)), object };
      this.changes.record(tx, actor, 'update:cloudstorage', change, { organizationId: object.organization });
      return object;
    });
  }

  delete(actor: Actor, id: number): Promise<void> {
    return this.work.run(async (tx) => {
      await this.storages.lock(tx, id);
      const row = await this.require(tx, actor, id, 'delete');
      const object = toCloudStorage(row, new Urls(actor.baseUrl));
      await this.preconditions.require(tx, 'cloud storage', object);
      await this.storages.delete(tx, id);
      this.changes.record(tx, actor, 'delete:cloudstorage', { object }, { organizationId: object.organization });
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
    const values = {
      provider_type: dto.provider_type ?? before?.provider_type ?? '',
      resource: dto.resource ?? before?.resource ?? '',
      display_name: dto.display_name ?? before?.display_name ?? '',
      credentials_type: dto.credentials_type ?? before?.credentials_type ?? '',
      specific_attributes: dto.specific_attributes ?? before?.specific_attributes ?? '',
      description: dto.description ?? before?.description ?? '',
      manifests: dto.manifests ?? before?.manifests ?? [],
    };
    const secrets = secretsOf(dto);
    const isSame = before !== null && isSamePlace(values, before);
    // Credentials are kept only for the server they were given for, so that a user who does not know them cannot send
    // them to another server.
    const keepsCredentials =
      isSame && before.credentials !== null && Object.values(secrets).every((text) => text === '');
    const wanted = { ...values, ...secrets, keepsCredentials };
    requireUsable(wanted);
    if (keepsCredentials) return { ...values, credentials: before.credentials };
    const stored = storedCredentials(wanted);
    return { ...values, credentials: stored === null ? null : this.credentials.seal(stored) };
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
      if (error instanceof ObjectStorageError) throw new Invalid({ [fieldOf(error, values)]: [error.message] });
      throw error;
    }
  }
}

/** The field with the mistake: the one that names the server, if that cannot be reached. */
function fieldOf({ problem }: ObjectStorageError, { credentials_type: type, ...values }: CloudStorageValues): string {
  if (problem !== 'unreachable') return 'resource';
  if (type === 'CONNECTION_STRING') return 'connection_string';
  if (endpointOf(values.specific_attributes) !== '') return 'specific_attributes';
  if (values.provider_type === 'AZURE_CONTAINER') return 'account_name'; // part of the host name
  return values.provider_type === 'AWS_S3_BUCKET' ? 'specific_attributes' : 'resource'; // the region, or nothing
}

const endpointOf = (attributes: string): string => new URLSearchParams(attributes).get('endpoint_url') ?? '';

const isSamePlace = (values: Omit<CloudStorageValues, 'credentials'>, before: CloudStorageRow): boolean =>
  values.provider_type === before.provider_type &&
  values.credentials_type === before.credentials_type &&
  endpointOf(values.specific_attributes) === endpointOf(before.specific_attributes);

const secretsOf = (dto: CreateCloudStorageDto | UpdateCloudStorageDto): SecretFields => ({
  key: dto.key ?? '',
  secret_key: dto.secret_key ?? '',
  session_token: dto.session_token ?? '',
  account_name: dto.account_name ?? '',
  connection_string: dto.connection_string ?? '',
  key_file: dto.key_file ?? '',
});

const changesPlace = (values: CloudStorageValues, before: CloudStorageRow): boolean =>
  values.provider_type !== before.provider_type ||
  values.resource !== before.resource ||
  values.credentials !== before.credentials ||
  values.credentials_type !== before.credentials_type ||
  values.specific_attributes !== before.specific_attributes ||
  values.manifests.join('\n') !== before.manifests.join('\n');
