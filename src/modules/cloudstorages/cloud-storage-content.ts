import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { Db } from '../../core/database/db.js';
import { ApiError, InvalidList, InvalidString, PlainError } from '../../core/http/errors.js';
import { parameter, type Query } from '../../core/list/page-request.js';
import { encodePreview } from '../../engines/media/image-encode.js';
import { readImageManifest } from '../../engines/media/manifest.js';
import { MediaError } from '../../engines/media/media-error.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { CloudBuckets, type OpenBucket } from './cloud-buckets.js';
import type { CloudStorageContentDto, CloudStorageRow } from './cloud-storage.dto.js';
import { CloudStorageService } from './cloud-storage.service.js';
import { toFileInfo } from '../share/index.js';
import { isPointCloud, mediaKind } from '../../shared/media-kind.js';
import type { Actor } from '../../shared/policy/actor.js';

const MOST_PER_PAGE = 500;
/** Objects that are looked at for a preview. */
const MOST_LOOKED_AT = 1000;
const MANIFEST_BYTES = 2 ** 30;
const PREVIEW_BYTES = 2 ** 28;

/** What is in a cloud storage, and whether it can be used. */
@Injectable()
export class CloudStorageContent {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly db: Db,
    private readonly storages: CloudStorageService,
    private readonly buckets: CloudBuckets,
  ) {}

  /** AVAILABLE, NOT_FOUND or FORBIDDEN. @throws InvalidString when the server cannot be asked */
  async status(actor: Actor, id: number): Promise<string> {
    const row = await this.storages.require(this.db, actor, id, 'view');
    try {
      await this.buckets.of(row).bucket.check();
      return 'AVAILABLE';
    } catch (error) {
      if (!(error instanceof ObjectStorageError)) throw error;
      if (error.problem === 'not-found') return 'NOT_FOUND';
      if (error.problem === 'forbidden') return 'FORBIDDEN';
      throw new InvalidString(error.message);
    }
  }

  /** What can be done: everything with keys, reading without. @throws PlainError 400 when the bucket cannot be used */
  async actions(actor: Actor, id: number): Promise<string[]> {
    const row = await this.storages.require(this.db, actor, id, 'view');
    try {
      await this.buckets.of(row).bucket.check();
    } catch (error) {
      if (error instanceof ObjectStorageError) throw new PlainError(400, error.message);
      throw error;
    }
    return row.credentials_type === 'ANONYMOUS_ACCESS' ? ['read'] : ['read', 'write'];
  }

  /**
   * A page of a folder, in the bucket or in a manifest: of what in it begins as the prefix does after its last slash.
   * Without a prefix it is the storage's own; names are those in the folder, `server_files` are whole keys all the same.
   * @throws ApiError 404 for a bucket or manifest that is not there, else 400
   */
  async list(actor: Actor, id: number, query: Query): Promise<CloudStorageContentDto> {
    const row = await this.storages.require(this.db, actor, id, 'view');
    const size = pageSize(parameter(query, 'page_size'));
    const next = parameter(query, 'next_token') || null;
    const manifest = parameter(query, 'manifest_path');
    return asking(async () => {
      const opened = this.buckets.of(row);
      const prefix = parameter(query, 'prefix').replace(/^\/+/, '') || opened.prefix; // keys do not begin with a slash
      if (manifest === '') return listBucket(opened, prefix, { size, next });
      if (!manifest.startsWith(opened.prefix) && !row.manifests.includes(manifest))
        throw new ObjectStorageError('forbidden', `${manifest} lies outside of the prefix of the cloud storage`);
      return this.listManifest(opened, manifest, prefix, { size, next });
    });
  }

  /** The first image in small. @throws ApiError 404 where there is none, 400 for one that cannot be read */
  async preview(actor: Actor, id: number): Promise<Buffer> {
    const row = await this.storages.require(this.db, actor, id, 'view');
    return asking(async () => {
      const opened = this.buckets.of(row);
      const key = (await this.firstOfManifests(opened, row)) ?? (await firstImage(opened));
      if (key === undefined) throw new ApiError(404, 'There is no image in the cloud storage');
      const bytes = await opened.bucket.read(key, { most: PREVIEW_BYTES });
      return encodePreview(bytes, key, { maxPixels: this.config.limits.imagePixels });
    });
  }

  private async firstOfManifests(opened: OpenBucket, row: CloudStorageRow): Promise<string | undefined> {
    const [manifest] = row.manifests;
    if (manifest === undefined) return undefined;
    for await (const name of this.manifestNames(opened, manifest)) return name;
    return undefined;
  }

  private async listManifest(
    opened: OpenBucket,
    manifest: string,
    prefix: string,
    { size, next }: PageWish,
  ): Promise<CloudStorageContentDto> {
    const from = next === null ? 0 : Number(next);
    if (!Number.isInteger(from) || from < 0) throw new InvalidString('next_token is not of this list');
    const folder = folderOf(prefix).length;
    const folders = new Set<string>();
    const names = new Set<string>();
    for await (const name of this.manifestNames(opened, manifest)) {
      if (!name.startsWith(prefix)) continue;
      const [part = '', ...rest] = name.slice(folder).split('/');
      if (part !== '') (rest.length > 0 ? folders : names).add(part);
    }
    const all = [
      ...[...folders].sort().map((name) => ({ name, isFolder: true })),
      ...[...names].map((name) => ({ name, isFolder: false })),
    ];
    const content = all.slice(from, from + size).map(toFileInfo);
    return { next: from + size < all.length ? String(from + size) : null, content };
  }

  /** Keys of the images of a manifest, which names them from where it lies, as far as they are the storage's. */
  private async *manifestNames({ bucket, prefix }: OpenBucket, key: string): AsyncGenerator<string> {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-manifest-'));
    try {
      const file = join(folder, 'manifest.jsonl');
      await bucket.download(key, file, MANIFEST_BYTES, new AbortController().signal);
      for await (const { path } of readImageManifest(file, key)) {
        const name = folderOf(key) + path;
        if (name.startsWith(prefix)) yield name;
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

interface PageWish {
  readonly size: number;
  readonly next: string | null;
}

/** Up to the last slash, with it. */
const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1);

async function listBucket(opened: OpenBucket, prefix: string, wish: PageWish): Promise<CloudStorageContentDto> {
  const { bucket, prefix: own } = opened;
  const isWithin = prefix.startsWith(own);
  if (!isWithin && !own.startsWith(prefix)) return { next: null, content: [] };
  const folder = folderOf(prefix).length;
  const onTheWay = own.indexOf('/', folder);
  // On the way to the storage's own prefix there is nothing but the next folder of it.
  if (!isWithin && onTheWay >= 0)
    return { next: null, content: [toFileInfo({ name: own.slice(folder, onTheWay), isFolder: true })] };
  const page = await bucket.list(isWithin ? prefix : own, wish.size, wish.next);
  const content = [
    ...page.folders.map((name) => ({ name: name.slice(folder, -1), isFolder: true })),
    ...page.keys.map((name) => ({ name: name.slice(folder), isFolder: false })),
  ];
  return { next: page.next, content: content.filter(({ name }) => name !== '').map(toFileInfo) };
}

async function firstImage({ bucket, prefix }: OpenBucket): Promise<string | undefined> {
  let looked = 0;
  for await (const key of bucket.keys(prefix, new AbortController().signal)) {
    if (mediaKind(key) === 'image' && !isPointCloud(key)) return key;
    if (++looked >= MOST_LOOKED_AT) return undefined;
  }
  return undefined;
}

function pageSize(text: string): number {
  if (text === '') return MOST_PER_PAGE;
  const size = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (size < 1) throw new InvalidList('"page_size" must be a whole number of at least 1');
  return Math.min(size, MOST_PER_PAGE);
}

/** What the other server does wrong is told as a JSON string. @throws ApiError 404 for what is not there, else 400 */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof MediaError) throw new InvalidString(error.message);
    if (!(error instanceof ObjectStorageError)) throw error;
    throw new ApiError(error.problem === 'not-found' ? 404 : 400, error.message);
  }
}
