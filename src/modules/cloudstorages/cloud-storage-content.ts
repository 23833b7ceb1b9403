import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Db } from '../../core/database/db.js';
import { ApiError, InvalidList, InvalidString, PlainError } from '../../core/http/errors/errors.js';
import { ImageWorker } from '../../core/images/image-worker.js';
import { parameter, type Query } from '../../core/list/page-request.js';
import { readImageManifest } from '../../engines/media/manifest.js';
import { MediaError } from '../../engines/media/media-error.js';
import { ObjectStorageError } from '../../engines/object-storage/object-storage-error.js';
import { CloudBuckets, type OpenBucket } from './cloud-buckets.js';
import type { CloudStorageContentDto, CloudStorageRow } from './cloud-storage.dto.js';
import { CloudStorageService } from './cloud-storage.service.js';
import { toFileInfo } from '../share/index.js';
import { isPointCloud, mediaKind } from '../../shared/media-kind.js';
import type { Actor } from '../../shared/policy/actor.js';

const MAX_PER_PAGE = 500;
/** Maximum number of objects that are checked for a preview. */
const MAX_LOOKED_AT = 1000;
const MANIFEST_BYTES = 2 ** 30;
/** Of one level of a manifest. They are in memory together, and folders are sorted at once. */
const MOST = { folders: 100_000, files: 1_000_000 };
const PREVIEW_BYTES = 2 ** 28;

/** Reads the content and status of cloud storages. */
@Injectable()
export class CloudStorageContent {
  constructor(
    private readonly images: ImageWorker,
    private readonly db: Db,
    private readonly storages: CloudStorageService,
    private readonly buckets: CloudBuckets,
  ) {}

  /** AVAILABLE, NOT_FOUND or FORBIDDEN. @throws InvalidString if the server cannot be reached */
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

  /**
   * The allowed actions: all with credentials, only reading without. @throws PlainError 400 if the bucket cannot be
   * used
   */
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
   * Lists a page of a folder, from the bucket or from a manifest. The folder is the prefix up to its last slash;
   * entries start with the rest. The default prefix is that of the storage. Names are relative to the folder, except
   * that `server_files` are whole keys.
   * @throws ApiError 404 for a missing bucket or manifest, else 400
   */
  async list(actor: Actor, id: number, query: Query): Promise<CloudStorageContentDto> {
    const row = await this.storages.require(this.db, actor, id, 'view');
    const size = pageSize(parameter(query, 'page_size'));
    const next = parameter(query, 'next_token') || null;
    const manifest = parameter(query, 'manifest_path');
    return asking(async () => {
      const opened = this.buckets.of(row);
      const prefix = parameter(query, 'prefix').replace(/^\/+/, '') || opened.prefix; // keys do not start with a slash
      if (manifest === '') return listBucket(opened, prefix, { size, next });
      if (!manifest.startsWith(opened.prefix) && !row.manifests.includes(manifest))
        throw new ObjectStorageError('forbidden', `${manifest} is outside the prefix of the cloud storage`);
      return this.listManifest(opened, manifest, prefix, { size, next });
    });
  }

  /** A thumbnail of the first image. @throws ApiError 404 if there is none, 400 if it cannot be read */
  async preview(actor: Actor, id: number): Promise<Buffer> {
    const row = await this.storages.require(this.db, actor, id, 'view');
    return asking(async () => {
      const opened = this.buckets.of(row);
      const key = (await this.firstOfManifests(opened, row)) ?? (await firstImage(opened));
      if (key === undefined) throw new ApiError(404, 'The cloud storage contains no image');
      const bytes = await opened.bucket.read(key, { most: PREVIEW_BYTES });
      return this.images.run({ kind: 'preview', image: { name: key, file: bytes }, limits: this.images.limits });
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
    { size, next }: ContentPage,
  ): Promise<CloudStorageContentDto> {
    const from = next === null ? 0 : Number(next);
    if (!Number.isInteger(from) || from < 0)
      throw new InvalidString('next_token is invalid. Use the value from the previous page.');
    const folder = folderOf(prefix).length;
    const folders = new Set<string>();
    const names = new Set<string>();
    for await (const name of this.manifestNames(opened, manifest)) {
      if (!name.startsWith(prefix)) continue;
      const [part = '', ...rest] = name.slice(folder).split('/');
      if (part !== '') (rest.length > 0 ? folders : names).add(part);
      if (folders.size > MOST.folders || names.size > MOST.files)
        throw new InvalidString(`${manifest} lists too much in this folder. Enter the prefix of what you look for.`);
    }
    const end = from + size;
    const page = (all: readonly string[], before: number): string[] =>
      all.slice(Math.max(0, from - before), Math.max(0, end - before));
    const content = [
      ...page([...folders].sort(), 0).map((name) => ({ name, isFolder: true })),
      ...page([...names], folders.size).map((name) => ({ name, isFolder: false })),
    ];
    return { next: end < folders.size + names.size ? String(end) : null, content: content.map(toFileInfo) };
  }

  /**
   * Yields the keys of a manifest's images, which it gives relative to its own folder. Skips keys outside the storage.
   */
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

interface ContentPage {
  readonly size: number;
  readonly next: string | null;
}

/** Up to and including the last slash. */
const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1);

async function listBucket(opened: OpenBucket, prefix: string, wish: ContentPage): Promise<CloudStorageContentDto> {
  const { bucket, prefix: own } = opened;
  const isWithin = prefix.startsWith(own);
  if (!isWithin && !own.startsWith(prefix)) return { next: null, content: [] };
  const folder = folderOf(prefix).length;
  const onTheWay = own.indexOf('/', folder);
  // Above the storage's own prefix, only the next folder towards it is listed.
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
    if (++looked >= MAX_LOOKED_AT) return undefined;
  }
  return undefined;
}

function pageSize(text: string): number {
  if (text === '') return MAX_PER_PAGE;
  const size = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (size < 1) throw new InvalidList('"page_size" must be a whole number of at least 1');
  return Math.min(size, MAX_PER_PAGE);
}

/** Reports errors of the other server as a JSON string. @throws ApiError 404 for a missing object, else 400 */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof MediaError) throw new InvalidString(error.message);
    if (!(error instanceof ObjectStorageError)) throw error;
    throw new ApiError(error.problem === 'not-found' ? 404 : 400, error.message);
  }
}
