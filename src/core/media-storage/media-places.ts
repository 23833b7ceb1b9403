import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { S3Objects } from '../../engines/object-storage/s3-objects.js';
import { sql } from '../../engines/sql/sql.js';
import { Db } from '../database/db.js';
import { LOGGER, type Logger } from '../logging/logger.js';
import { BucketPlace } from './bucket-place.js';
import { FolderPlace } from './folder-place.js';
import type { MediaPlace } from './media-place.js';

/** Where files are, as recorded in the database. URLs are empty for the data folder. */
export interface RecordedPlaces {
  readonly url: string;
  /** Where they are being moved. */
  readonly target: string | null;
  /** Whether new files are written to the target. Before that, all processes must know that it is read. */
  readonly writesTarget: boolean;
}

/** Where files are written, and where they are read: the first place that has a file. */
export interface CurrentPlaces {
  readonly write: MediaPlace;
  readonly read: readonly MediaPlace[];
}

/**
 * For how long a process relies on the recorded places. `move-media` waits several times as long after each change, so that
 * all processes know of it.
 */
export const PLACES_VALID_MS = 2_000;

/** Parses `s3://bucket/prefix`. @returns the prefix with a slash at its end, unless it is empty */
export function readBucketUrl(url: string): { readonly bucket: string; readonly prefix: string } {
  const [bucket = '', ...parts] = url.slice('s3://'.length).split('/').filter(Boolean);
  return { bucket, prefix: parts.map((part) => `${part}/`).join('') };
}

/** The data folder. */
export const openFolder = ({ dataDir }: Pick<Config, 'dataDir'>): FolderPlace => new FolderPlace(dataDir);

/** A bucket, with the credentials of the settings. @param url `s3://bucket/prefix` */
export function openBucket(url: string, { media, dataDir }: Pick<Config, 'media' | 'dataDir'>) {
  const { bucket, prefix } = readBucketUrl(url);
  const { endpoint, region, accessKeyId, secretAccessKey, timeoutMs } = media;
  const objects = new S3Objects({
    bucket,
    region,
    ...(endpoint === '' ? {} : { endpoint }),
    ...(accessKeyId === '' ? {} : { credentials: { accessKeyId, secretAccessKey } }),
    pathStyle: media.pathStyle,
    timeoutMs,
  });
  return { objects, prefix, place: new BucketPlace(url, objects, prefix, join(dataDir, 'work', 'pieces')) };
}

type OpenBucketPlace = ReturnType<typeof openBucket>;

/** Knows the places of files. While they are moved, files are written to the new place and read from both. */
@Injectable()
export class MediaPlaces implements OnApplicationShutdown {
  readonly folder: FolderPlace;
  private readonly buckets = new Map<string, OpenBucketPlace>();
  private recorded: RecordedPlaces;
  private checkedAt = -Infinity;
  private checking: Promise<void> | undefined;
  /** URLs of the places that this process has tried to reach. */
  private readonly tried = new Set<string>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly db: Db,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.folder = openFolder(config);
    this.recorded = { url: config.media.url, target: null, writesTarget: false };
  }

  onApplicationShutdown(): void {
    for (const { objects } of this.buckets.values()) objects.close();
  }

  /** The places, as recorded at most {@link PLACES_VALID_MS} ago. @throws DatabaseUnavailable */
  async fresh(): Promise<CurrentPlaces> {
    if (performance.now() - this.checkedAt > PLACES_VALID_MS) {
      this.checking ??= this.check().finally(() => (this.checking = undefined));
      await this.checking;
    }
    return this.current();
  }

  /** The bucket at a URL, for links. */
  bucket(url: string): OpenBucketPlace {
    const known = this.buckets.get(url) ?? openBucket(url, this.config);
    this.buckets.set(url, known);
    return known;
  }

  private current(): CurrentPlaces {
    const { url, target, writesTarget } = this.recorded;
    const place = this.open(url);
    if (target === null) return { write: place, read: [place] };
    const other = this.open(target);
    return writesTarget ? { write: other, read: [other, place] } : { write: place, read: [place, other] };
  }

  private open(url: string): MediaPlace {
    return url === '' ? this.folder : this.bucket(url).place;
  }

  /** Files may be moved to a place for which this process lacks the settings: its log says so at once. */
  private async try(url: string): Promise<void> {
    this.tried.add(url);
    try {
      await this.bucket(url).place.info('installation.id');
    } catch (error) {
      this.log.error(
        { err: error, place: url },
        'this process cannot reach the place of the files: check that it has the MEDIA_S3_ settings of "cairn move-media"',
      );
    }
  }

  private async check(): Promise<void> {
    const started = performance.now();
    const [row] = await this.db.query<{ url: string; target: string | null; writes_target: boolean }>(
      sql`select media_url as url, media_target as target, media_writes_target as writes_target from installation`,
    );
    // Tests start without a recorded installation.
    if (row !== undefined) this.recorded = { url: row.url, target: row.target, writesTarget: row.writes_target };
    this.checkedAt = started;
    for (const url of [this.recorded.url, this.recorded.target ?? ''])
      if (url !== '' && url !== this.config.media.url && !this.tried.has(url)) void this.try(url);
  }
}
