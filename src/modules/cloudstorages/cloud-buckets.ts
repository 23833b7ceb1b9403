import { Invalid, InvalidList } from '../../core/http/errors/errors.js';
import { createSecretKey, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { requireAll } from '../../core/access/require.js';
import type { Queryable } from '../../core/database/db.js';
import type { Actor } from '../../shared/policy/actor.js';
import { cloudStoragePolicy } from '../../shared/policy/cloudstorage.policy.js';
import { RemoteAgents } from '../../core/remote/remote-agents.js';
import { ServerSecret } from '../../core/secret.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { S3Bucket } from '../../engines/object-storage/s3-bucket.js';
import { openSecret, SealedSecretError, sealSecret } from '../../engines/signature/secret-box.js';
import type { CloudStorageRow } from './cloud-storage.dto.js';
import { CloudStorageRepository } from './cloud-storage.repository.js';

/** A cloud storage to be saved, with unencrypted credentials. */
export interface WantedStorage {
  readonly provider_type: string;
  readonly resource: string;
  readonly credentials_type: string;
  readonly key: string;
  readonly secret_key: string;
  /** Whether existing credentials are kept. */
  readonly keepsCredentials: boolean;
  readonly specific_attributes: string;
  readonly manifests: readonly string[];
}

const PROVIDER = 'Only AWS_S3_BUCKET is supported: Amazon S3 and compatible servers.';

/** Checks everything that does not require access to the bucket. @throws Invalid with every invalid field */
export function requireUsable(wanted: WantedStorage): void {
  const attributes = readSpecificAttributes(wanted.specific_attributes);
  const hasPair = wanted.key !== '' && wanted.secret_key !== '';
  const needsPair = wanted.credentials_type === 'KEY_SECRET_KEY_PAIR' && !wanted.keepsCredentials;
  const problems = {
    provider_type: wanted.provider_type !== 'AWS_S3_BUCKET' && PROVIDER,
    resource:
      !/^[a-z0-9.-]{3,}$/.test(wanted.resource) &&
      'The name of a bucket has at least 3 lower case letters, digits, dots and hyphens.',
    credentials_type:
      !['KEY_SECRET_KEY_PAIR', 'ANONYMOUS_ACCESS'].includes(wanted.credentials_type) &&
      'For AWS_S3_BUCKET it is KEY_SECRET_KEY_PAIR or ANONYMOUS_ACCESS.',
    key: needsPair && !hasPair && 'KEY_SECRET_KEY_PAIR needs key and secret_key.',
    specific_attributes: typeof attributes === 'string' && attributes,
    manifests: !wanted.manifests.every((name) => name.endsWith('.jsonl')) && 'Names of manifests end with .jsonl.',
  };
  const found = Object.entries(problems).filter(([, problem]) => problem !== false);
  if (found.length > 0) throw new Invalid(Object.fromEntries(found.map(([name, problem]) => [name, [problem]])));
}

/** The content of `specific_attributes`. */
export interface SpecificAttributes {
  readonly region: string;
  /** URL of a server other than the provider's own. */
  readonly endpoint: string | null;
  /** Prefix of all keys; empty for none. */
  readonly prefix: string;
}

const KNOWN = ['region', 'endpoint_url', 'prefix'];
const DEFAULT_REGION = 'us-east-1';

/**
 * Parses `a=b&c=d` with URL-encoded values (`%3A` is a colon).
 * @returns a sentence if it is invalid
 */
export function readSpecificAttributes(text: string): SpecificAttributes | string {
  const pairs = text === '' ? [] : text.split('&');
  if (pairs.some((pair) => pair.split('=').length !== 2)) return 'Each attribute has the form name=value.';
  const values = new URLSearchParams(text);
  const unknown = [...values.keys()].find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) return `"${unknown}" is not known here, only ${KNOWN.join(', ')}.`;
  const prefix = values.get('prefix') ?? '';
  if (prefix.startsWith('/')) return 'prefix may not begin with a slash.';
  if (prefix.includes('//')) return 'prefix may not have two slashes together.';
  const endpoint = values.get('endpoint_url') ?? '';
  if (endpoint !== '' && !isEndpoint(endpoint)) return 'endpoint_url is not an http or https address of a server.';
  return { region: values.get('region') || DEFAULT_REGION, endpoint: endpoint === '' ? null : endpoint, prefix };
}

function isEndpoint(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  return url !== null && isHttp && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

/** The credentials of a bucket. */
export interface KeyPair {
  readonly key: string;
  readonly secret: string;
  readonly token?: string;
}

/** Encrypts the credentials of cloud storages in the database. They are never part of a response. */
@Injectable()
export class CloudCredentials {
  private readonly sealingKey: KeyObject;

  constructor(secret: ServerSecret) {
    this.sealingKey = createSecretKey(secret.keyFor('cloud storage credentials'));
  }

  seal(pair: KeyPair): string {
    return sealSecret(JSON.stringify(pair), this.sealingKey);
  }

  /** @throws SealedSecretError if the credentials were encrypted with another server secret */
  open(sealed: string): KeyPair {
    return JSON.parse(openSecret(sealed, this.sealingKey)) as KeyPair;
  }
}

/** The fields that determine how a bucket is accessed. */
export type BucketRow = Pick<
  CloudStorageRow,
  'provider_type' | 'resource' | 'credentials' | 'specific_attributes' | 'credentials_type'
>;

export interface OpenBucket {
  readonly bucket: S3Bucket;
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
    const identity = JSON.stringify([row.resource, row.credentials, row.specific_attributes, row.credentials_type]);
    const known = this.known.get(identity);
    if (known !== undefined) return known;
    const opened = this.open(row);
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(identity, opened);
    return opened;
  }

  private open(row: BucketRow): OpenBucket {
    const attributes = readSpecificAttributes(row.specific_attributes);
    if (row.provider_type !== 'AWS_S3_BUCKET' || typeof attributes === 'string')
      throw new ObjectStorageError('failed', `The provider ${row.provider_type} is not supported. Use AWS_S3_BUCKET.`);
    const { endpoint, region, prefix } = attributes;
    const place = {
      bucket: row.resource,
      region,
      credentials: this.keyPair(row),
      ...(endpoint === null ? {} : { endpoint }),
    };
    return { bucket: new S3Bucket(place, { agents: this.agents, timeoutMs: this.config.remote.timeoutMs }), prefix };
  }

  private keyPair(row: BucketRow): KeyPair | null {
    if (row.credentials_type === 'ANONYMOUS_ACCESS' || row.credentials === null) return null;
    try {
      return this.credentials.open(row.credentials);
    } catch (error) {
      if (!(error instanceof SealedSecretError)) throw error;
      throw new ObjectStorageError('forbidden', `The credentials cannot be read: ${error.message}`, { cause: error });
    }
  }
}

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
