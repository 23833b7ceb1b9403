import { rm } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Actors } from '../../core/access/actors.js';
import { identityOf } from '../../core/access/current-actor.decorator.js';
import { Clock } from '../../core/clock.js';
import { Db } from '../../core/database/db.js';
import { Forbidden, InvalidList } from '../../core/http/errors/errors.js';
import { currentRequest } from '../../core/http/request/request-context.js';
import { MediaStorage } from '../../core/media-storage/media-storage.js';
import { UpkeepEvery } from '../../core/worker/workers.js';
import { ZipSink } from '../../engines/annotations/formats/zip.js';
import type { Actor } from '../../shared/policy/actor.js';
import { CloudBuckets, CloudStorageAccess, type OpenBucket } from '../cloudstorages/index.js';
import { loadOwner, type RequestContext, type RequestResult, ResultFiles, stillPermitted } from '../requests/index.js';
import { DatasetRepository, type DefaultStorage } from './dataset/dataset.repository.js';
import type { FileQuery, RequestedLocation } from './exchange-query.js';
import { type ExportTarget, toExchangeFailure, type UploadLocation } from './exchange-requests.js';

/** A file in a cloud storage. */
export interface CloudFile {
  readonly cloudStorageId: number;
  /** As requested. The prefix of the storage is added unless the name starts with it. */
  readonly name: string;
}

/** The destination of the file that a background request creates. */
export interface OutgoingFile {
  /** Name of the file for the download, or its key in the cloud storage. */
  readonly filename: string;
  readonly cloud_storage_id?: number | null;
}

/** An object with default storages, and which one of them applies. */
export interface OwnStorage {
  readonly target: ExportTarget;
  readonly field: DefaultStorage;
}

/** Whether the credential of the request may only be used for reading. */
const isReading = (): boolean => {
  const request = currentRequest();
  return request !== undefined && identityOf(request)?.credential.readOnly === true;
};

/** The limit of S3. */
const MAX_KEY_BYTES = 1024;

/** Cloud storages as the destination of exports and the source of imports. */
@Injectable()
export class ExchangeClouds {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly db: Db,
    private readonly datasets: DatasetRepository,
    private readonly access: CloudStorageAccess,
    private readonly buckets: CloudBuckets,
    private readonly results: ResultFiles,
    private readonly actors: Actors,
  ) {}

  /**
   * Selects the cloud storage for a file: the requested one, else the object's default.
   * @param own undefined if there is no object yet
   * @returns null for this server
   * @throws InvalidList, Forbidden
   */
  async select(actor: Actor, requested: RequestedLocation, own?: OwnStorage): Promise<number | null> {
    if (requested.location === 'local') return null;
    const named = requested.location === 'cloud_storage';
    const usual = named || !own ? undefined : await this.datasets.defaultStorage(this.db, own.target, own.field);
    if (!named && usual?.location !== 'cloud_storage') return null;
    const id = named ? requested.cloudStorageId : (usual?.cloud_storage_id ?? null);
    if (id === null) throw new InvalidList('Trying to use undefined cloud storage (cloud_storage_id was not provided)');
    if (isReading())
      throw new Forbidden('This token may only be used for reading. To download the file, set location=local.');
    try {
      await this.access.require(this.db, actor, id);
    } catch (error) {
      if (!(error instanceof Forbidden)) throw error;
      const why = named ? '' : 'A cloud storage is selected as the default location. ';
      throw new Forbidden(`${why}You don't have access to this cloud storage`);
    }
    return id;
  }

  /**
   * The destination of an exported file.
   * @returns the destination with the requested name; an empty one selects the default name
   * @throws InvalidList, Forbidden
   */
  async destination(actor: Actor, target: ExportTarget, wanted: FileQuery): Promise<OutgoingFile> {
    const cloudStorageId = await this.select(actor, wanted, { target, field: 'target_storage' });
    const filename = cloudStorageId === null ? wanted.filename : wanted.key;
    if (cloudStorageId !== null && filename !== '') requireKey(filename);
    return { filename, cloud_storage_id: cloudStorageId };
  }

  /**
   * Makes a finished file available for download, or uploads it to the cloud storage.
   * @throws ObjectStorageError; RequestFailure if whoever made the request can no longer use the cloud storage
   */
  async deliver(request: RequestContext, file: string): Promise<RequestResult> {
    const { cloud_storage_id: cloudStorageId, filename } = request.parameters as OutgoingFile;
    if (cloudStorageId == null) return { resultFile: await this.results.keep(file) };
    await this.requireOwner(request, cloudStorageId);
    await this.upload(request, { cloudStorageId, name: filename }, file);
    await rm(file, { force: true });
    return {};
  }

  private async requireOwner(request: RequestContext, cloudStorageId: number): Promise<void> {
    const owner = await loadOwner(this.actors, this.db, request);
    await stillPermitted(() => this.access.require(this.db, owner, cloudStorageId));
  }

  private async upload(request: RequestContext, { cloudStorageId, name }: CloudFile, path: string): Promise<void> {
    const opened = await this.buckets.find(this.db, cloudStorageId);
    request.setMessage('Uploading the file to the cloud storage');
    await opened.bucket.upload(keyOf(opened, name), path, {
      signal: request.signal,
      onProgress: (done) => request.setProgress(UPLOAD_STARTS_AT + (1 - UPLOAD_STARTS_AT) * done),
    });
  }

  /** Downloads a file from a bucket. @throws ObjectStorageError; RequestFailure, as `deliver` */
  async download(request: RequestContext, { cloudStorageId, name }: CloudFile, path: string): Promise<void> {
    await this.requireOwner(request, cloudStorageId);
    const opened = await this.buckets.find(this.db, cloudStorageId);
    request.setMessage('Downloading the file from the cloud storage');
    await opened.bucket.download(keyOf(opened, name), path, this.config.limits.uploadBytes, request.signal);
  }
}

const UPLOAD_STARTS_AT = 0.8;

/** The progress of an export after its file has been written; the rest is the upload to a cloud storage. */
export const progressWhenWritten = ({ cloud_storage_id: cloudStorageId }: OutgoingFile): number =>
  cloudStorageId == null ? 1 : UPLOAD_STARTS_AT;

const keyOf = ({ prefix }: OpenBucket, name: string): string => (name.startsWith(prefix) ? name : `${prefix}${name}`);

/** @throws InvalidList if no bucket accepts the name as a key */
export function requireKey(name: string): void {
  const parts = name.split('/');
  if (Buffer.byteLength(name) > MAX_KEY_BYTES || parts.some((part) => ['', '.', '..'].includes(part)))
    throw new InvalidList(`The file name '${name.slice(0, 100)}' cannot be used in a cloud storage`);
}

/** The time in the default name of a file, in UTC: `2026_11_21_08_33_38`. */
export const fileTimestamp = (time: Date): string => time.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '_');

const HOUR_MS = 3_600_000;
/** Longer than a finished export can be downloaded. */
const EXPORT_LIFE_MS = 48 * HOUR_MS;
/** For unfinished uploads. */
const IMPORT_LIFE_MS = 48 * HOUR_MS;

/**
 * The keys of exports and imports in the storage. `exports/<name>`: files to download. `imports/<object>-<user>/<uuid>`:
 * what a user uploaded to an object, or as a backup, until it is read.
 */
@Injectable()
export class ExchangeFolders {
  constructor(
    private readonly storage: MediaStorage,
    private readonly clock: Clock,
  ) {}

  /** The folder of a user's uploads to an object, as a key with a slash at its end. */
  uploads(location: UploadLocation, userId: number): string {
    return `imports/${location.folder}-${userId}/`;
  }

  /** Removes files left by crashes, and abandoned uploads. */
  @UpkeepEvery({ name: 'clean-up of exports and imports', everyMs: HOUR_MS, kind: 'requests' })
  async tidy(): Promise<void> {
    const now = this.clock.now().getTime();
    await this.removeOlder('exports/', now - EXPORT_LIFE_MS);
    await this.removeOlder('imports/', now - IMPORT_LIFE_MS);
  }

  private async removeOlder(folder: string, time: number): Promise<void> {
    const files = [...(await this.storage.list(folder)).values()];
    await this.storage.remove(...files.filter(({ modified }) => modified.getTime() < time).map(({ key }) => key));
  }
}

/** Writes the archives of exports and backups. */
@Injectable()
export class ExportedArchives {
  constructor(
    private readonly results: ResultFiles,
    private readonly clouds: ExchangeClouds,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes an archive, and makes it available for download or uploads it to the cloud storage. An incomplete archive is
   * removed.
   * @param fill also receives the path of a temporary file, which it removes
   * @throws RequestFailure if the user can act on the error
   */
  async write(
    request: RequestContext,
    fill: (sink: ZipSink, scratch: string) => Promise<void>,
  ): Promise<RequestResult> {
    const file = await this.results.newPath(request, '.zip');
    const sink = new ZipSink(file, this.clock.now());
    try {
      await fill(sink, `${file}.manifest`);
      await sink.close();
      return await this.clouds.deliver(request, file);
    } catch (error) {
      await sink.discard();
      throw toExchangeFailure(error, request);
    }
  }
}
