import { InvalidList } from '../../core/http/errors/errors.js';
import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { requireAll } from '../../core/access/require.js';
import type { Queryable } from '../../core/database/db.js';
import type { Actor } from '../../shared/policy/actor.js';
import { cloudStoragePolicy } from '../../shared/policy/cloudstorage.policy.js';
import { RemoteAgents } from '../../core/remote/remote-agents.js';
import { ServerSecret } from '../../core/secret.js';
import { AzureContainer } from '../../engines/object-storage/azure-container.js';
import type { Bucket } from '../../engines/object-storage/bucket.js';
import { GoogleBucket } from '../../engines/object-storage/google-bucket.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { S3Bucket } from '../../engines/object-storage/s3-bucket.js';
import { openSecret, SealedSecretError, sealSecret } from '../../engines/signature/secret-box.js';
import { readSpecificAttributes, type SpecificAttributes, type StoredCredentials } from './cloud-providers.js';
import type { CloudStorageRow } from './cloud-storage.dto.js';
import { CloudStorageRepository } from './cloud-storage.repository.js';

/** Encrypts the credentials of cloud storages in the database. They are never part of a response. */
@Injectable()
export class CloudCredentials {
  private readonly sealingKey: KeyObject;

  constructor(secret: ServerSecret) {
    this.sealingKey = createSecretKey(secret.keyFor('cloud storage credentials'));
  }

  seal(credentials: StoredCredentials): string {
    return sealSecret(JSON.stringify(credentials), this.sealingKey);
  }

  /** @throws SealedSecretError if the credentials were encrypted with another server secret */
  open(sealed: string): StoredCredentials {
    return JSON.parse(openSecret(sealed, this.sealingKey)) as StoredCredentials;
  }
}

/** The fields that determine how a bucket is accessed. */
export type BucketRow = Pick<
  CloudStorageRow,
  'provider_type' | 'resource' | 'credentials' | 'specific_attributes' | 'credentials_type'
>;

export interface OpenBucket {
  readonly bucket: Bucket;
  /** Keys without this prefix do not belong to the storage; empty for all. */
  readonly prefix: string;
}

/** Opens the buckets of cloud storages. */
@Injectable()
export class CloudBuckets {
  private readonly known = new Map<string, OpenBucket>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly agents: RemoteAgents,
    private readonly credentials: CloudCredentials,
    private readonly storages: CloudStorageRepository,
  ) {}

  /** Opens the bucket of a storage. The caller has checked the permission. @throws ObjectStorageError */
  async find(db: Queryable, id: number | null): Promise<OpenBucket> {
    const row = id === null ? undefined : await this.storages.find(db, id);
    if (row === undefined) throw new ObjectStorageError('failed', 'The cloud storage was deleted');
    return this.of(row);
  }

  /** @throws ObjectStorageError for a storage that this server does not support */
  of(row: BucketRow): OpenBucket {
    const { provider_type: provider, resource, credentials, specific_attributes: attributes } = row;
    const identity = JSON.stringify([provider, resource, credentials, attributes, row.credentials_type]);
    const known = this.known.get(identity);
    if (known !== undefined) return known;
    const opened = this.open(row);
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(identity, opened);
    return opened;
  }

  private open(row: BucketRow): OpenBucket {
    const attributes = readSpecificAttributes(row.specific_attributes);
    if (typeof attributes === 'string') throw new ObjectStorageError('failed', `specific_attributes: ${attributes}`);
    const { prefix } = attributes;
    if (row.provider_type === 'AWS_S3_BUCKET') return { bucket: this.s3(row, attributes), prefix };
    if (row.provider_type === 'GOOGLE_CLOUD_STORAGE') return { bucket: this.google(row), prefix };
    if (row.provider_type === 'AZURE_CONTAINER') return { bucket: this.azure(row, attributes), prefix };
    throw new ObjectStorageError('failed', `The provider ${row.provider_type} is not supported`);
  }

  private s3(row: BucketRow, { endpoint, region }: SpecificAttributes): Bucket {
    const stored = this.stored(row);
    const credentials = stored !== null && 'secret' in stored ? stored : null;
    const place = {
      bucket: row.resource,
      region: region || DEFAULT_REGION,
      credentials,
      ...(endpoint === null ? {} : { endpoint }),
    };
    return new S3Bucket(place, { agents: this.agents, timeoutMs: this.config.remote.timeoutMs });
  }

  private google(row: BucketRow): Bucket {
    const stored = this.stored(row);
    const credentials = stored !== null && 'privateKey' in stored ? stored : null;
    const { googleEndpoint: endpoint, timeoutMs } = this.config.remote;
    return new GoogleBucket({ bucket: row.resource, credentials }, { endpoint, agents: this.agents.google, timeoutMs });
  }

  private azure(row: BucketRow, { endpoint }: SpecificAttributes): Bucket {
    const credentials = this.stored(row);
    if (credentials === null || !('account' in credentials || 'connectionString' in credentials))
      throw new ObjectStorageError('forbidden', 'The cloud storage has no credentials. Enter them again.');
    const place = { container: row.resource, credentials, ...(endpoint === null ? {} : { endpoint }) };
    return new AzureContainer(place, { agents: this.agents, timeoutMs: this.config.remote.timeoutMs });
  }

  private stored({ credentials }: BucketRow): StoredCredentials | null {
    if (credentials === null) return null;
    try {
      return this.credentials.open(credentials);
    } catch (error) {
      if (!(error instanceof SealedSecretError)) throw error;
      throw new ObjectStorageError('forbidden', `The credentials cannot be read: ${error.message}`, { cause: error });
    }
  }
}

const DEFAULT_REGION = 'us-east-1';

/** Maximum number of cached clients; all share the same connections. */
const MAX_KNOWN = 100;

/** Checks cloud storages referenced in bodies and queries. */
@Injectable()
export class CloudStorageAccess {
  constructor(private readonly storages: CloudStorageRepository) {}

  /** Requires that the storage exists and that the actor may use it. @throws InvalidList, Forbidden */
  async require(db: Queryable, actor: Actor, id: number): Promise<void> {
    const found = Math.abs(id) > MAX_ID ? undefined : await this.storages.findWithFacts(db, id, actor.id);
    if (found === undefined) throw new InvalidList('CloudStorage matching query does not exist.');
    requireAll(cloudStoragePolicy, ['view'], actor, found.facts);
  }
}

/** The largest id that the column can hold. */
const MAX_ID = 2 ** 31 - 1;
