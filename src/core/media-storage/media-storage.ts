import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import { mapBounded } from '../../engines/concurrency/concurrency.js';
import { MediaStorageUnavailable } from '../../engines/media/media-error.js';
import { HeldRemovals } from './held-removals.js';
import { MediaCache } from './media-cache.js';
import type { ByteRange, MediaPlace, ObjectInfo, OpenObject } from './media-place.js';
import { MediaPlaces, PLACES_VALID_MS } from './media-places.js';

const FILES_AT_A_TIME = 16;

/** Files on this machine, kept until `release`, for programs that read files by path. */
export interface LocalFiles {
  /** @returns the path of a file, or undefined if there is no such file */
  path(key: string): Promise<string | undefined>;
  release(): Promise<void>;
}

/**
 * The files of the installation: originals, uploads, exports and assets. They are in the data folder or in a bucket
 * (MEDIA_URL); see {@link MediaPlace} for keys. While they are moved, a file may be in either place.
 *
 * Files are written on this machine first: `workPath` tells where, and `keep` or `keepFolder` stores them. In the data
 * folder that is already their final place.
 */
@Injectable()
export class MediaStorage {
  private readonly work: string;
  private readonly fetching = new Map<string, Promise<boolean>>();

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly places: MediaPlaces,
    private readonly cache: MediaCache,
    private readonly held: HeldRemovals,
  ) {
    this.work = join(config.dataDir, 'work');
  }

  /** Where this process writes a file before it stores it with `keep`. */
  async workPath(key: string): Promise<string> {
    const isFolder = await this.writesFolder();
    return isFolder ? this.places.folder.path(key) : join(this.work, key);
  }

  /** Whether new files are stored in the data folder. */
  async writesFolder(): Promise<boolean> {
    const { write } = await this.places.fresh();
    return write === this.places.folder;
  }

  /** Identifies a file in the database, in a form that does not depend on its place. */
  nameOf(key: string): string {
    return this.places.folder.path(key);
  }

  info(key: string): Promise<ObjectInfo | undefined> {
    return this.find((place) => place.info(key));
  }

  /** @returns undefined if there is no such file */
  open(key: string, range?: ByteRange): Promise<OpenObject | undefined> {
    return this.find((place) => place.open(key, range));
  }

  /** @returns undefined if there is no such file */
  async read(key: string): Promise<Buffer | undefined> {
    const path = await this.inFolder(key);
    if (path !== undefined) return readFile(path).catch(unlessMissing);
    const opened = await this.open(key);
    return opened === undefined ? undefined : buffer(opened.stream);
  }

  /** Returns the path of a file if it is, or would be, in the data folder. It may be missing. */
  async inFolder(key: string): Promise<string | undefined> {
    const { read } = await this.places.fresh();
    if (read.length === 1) return read[0] === this.places.folder ? this.places.folder.path(key) : undefined;
    const found = await this.find(async (place) => ((await place.info(key)) === undefined ? undefined : place));
    const place = found ?? read.at(-1);
    return place === this.places.folder ? this.places.folder.path(key) : undefined;
  }

  /** Creates or replaces a file. Returns when it is durable. */
  async put(key: string, content: Buffer): Promise<void> {
    await this.write((place) => place.put(key, content));
  }

  /** Stores a file that was written to this machine, and removes the original. */
  async keep(key: string, path: string): Promise<void> {
    const stored = this.places.folder.path(key);
    const place = await this.write(async (write) => {
      if (write === this.places.folder) await write.putFile(key, path);
      else await write.putFile(key, (await isThere(path)) ? path : stored, { keep: true });
    });
    if (path !== stored || place !== this.places.folder) await rm(path, { force: true });
  }

  /** Stores a copy of a file of this machine, or of bytes, that can be created again. */
  async share(key: string, content: string | Buffer): Promise<void> {
    const { write } = await this.places.fresh();
    if (typeof content === 'string') await write.putFile(key, content, { keep: true });
    else await write.put(key, content);
  }

  /** Stores everything in a folder of this machine. @param folder as a key, with a slash at its end */
  async keepFolder(folder: string, path: string): Promise<void> {
    const isStored = resolve(path) === resolve(this.places.folder.path(folder));
    const place = await this.write(async (write) => {
      if (write === this.places.folder && isStored) return;
      await mapBounded(await filesIn(path), FILES_AT_A_TIME, (name) =>
        write.putFile(`${folder}${name}`, join(path, name), { keep: true }),
      );
    });
    if (!isStored || place !== this.places.folder) await rm(path, { recursive: true, force: true });
  }

  /** @returns false if there is no file to copy */
  async copy(from: string, to: string): Promise<boolean> {
    const { write } = await this.places.fresh();
    if (await write.copy(from, to)) return true;
    const content = await this.read(from); // it is in the other place
    if (content === undefined) return false;
    await this.put(to, content);
    return true;
  }

  /** While a backup is being made, the files are removed later. */
  async remove(...keys: readonly string[]): Promise<void> {
    if (await this.held.hold(keys)) return;
    const { read } = await this.places.fresh();
    for (const place of read) await mapBounded(keys, FILES_AT_A_TIME, (key) => place.remove(key));
  }

  /** While a backup is being made, the files are removed later. @param folder ends with `/` */
  async removeFolder(folder: string): Promise<void> {
    if (await this.held.hold([folder])) return;
    const { read } = await this.places.fresh();
    for (const place of read) await place.removeFolder(folder);
  }

  /** All files below a folder, in all places. @param folder ends with `/`, or is empty */
  async list(folder: string): Promise<Map<string, ObjectInfo>> {
    const found = new Map<string, ObjectInfo>();
    for await (const info of this.each(folder)) if (!found.has(info.key)) found.set(info.key, info);
    return found;
  }

  /** Yields all files below a folder. While they are moved, a file may come twice. */
  async *each(folder: string): AsyncGenerator<ObjectInfo> {
    for (const place of (await this.places.fresh()).read) yield* place.list(folder);
  }

  /** Names of what is directly below a folder. @param folder ends with `/` */
  async names(folder: string): Promise<Set<string>> {
    const found = new Set<string>();
    for (const place of (await this.places.fresh()).read) for await (const name of place.names(folder)) found.add(name);
    return found;
  }

  /** Runs `use` with local copies of files. */
  async withLocal<T>(use: (files: LocalFiles) => Promise<T>): Promise<T> {
    const files = this.local();
    try {
      return await use(files);
    } finally {
      await files.release();
    }
  }

  /** The caller releases the files. */
  local(): LocalFiles {
    let folder: string | undefined;
    let count = 0;
    return {
      path: async (key) => {
        const own = await this.inFolder(key);
        if (own !== undefined) return own;
        folder ??= join(this.work, 'held', randomUUID());
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const target = join(folder, `${count++}${extname(key)}`);
        return (await this.fetch(key, target)) ? target : undefined;
      },
      release: async () => {
        if (folder !== undefined) await rm(folder, { recursive: true, force: true });
      },
    };
  }

  /** The place of an upload: where its first bytes are, or where new files are written. */
  async placeOfUpload(key: string): Promise<{ readonly place: MediaPlace; readonly bytes: number | undefined }> {
    const { write, read } = await this.places.fresh();
    // If a place fails, an older copy in the other one must not be continued.
    for (const place of read) {
      const info = await place.info(key);
      if (info !== undefined) return { place, bytes: info.bytes };
    }
    return { place: write, bytes: undefined };
  }

  /** Removes what crashed processes left on this machine. @param before more recent files may be in use */
  async removeAbandoned(before: Date): Promise<void> {
    for (const folder of ['held', 'media', 'uploads', 'exports', 'imports', 'pieces']) {
      for (const name of await readdir(join(this.work, folder)).catch(() => [])) {
        const path = join(this.work, folder, name);
        const info = await stat(path).catch(() => undefined);
        if (info !== undefined && info.mtime < before) await rm(path, { recursive: true, force: true });
      }
    }
  }

  /** A temporary URL of a file in a bucket. @returns undefined if it is not in the bucket where files are written */
  async link(key: string, seconds: number, type: string): Promise<string | undefined> {
    const { write, read } = await this.places.fresh();
    if (write === this.places.folder) return undefined;
    const info = await write.info(key).catch((error: unknown) => {
      if (read.length === 1 || !(error instanceof MediaStorageUnavailable)) throw error;
    });
    if (info === undefined) return undefined;
    const { objects, prefix } = this.places.bucket(write.url);
    return objects.link(prefix + key, seconds, { type });
  }

  /** Downloads a file to `target`, through the cache if it fits there. */
  private async fetch(key: string, target: string): Promise<boolean> {
    const cached = cacheKeyOf(key);
    if (await this.cache.link(cached, target)) return true;
    const running = this.fetching.get(key) ?? this.fill(key, cached).finally(() => this.fetching.delete(key));
    this.fetching.set(key, running);
    if (!(await running)) return false;
    // Larger than the cache, or evicted at once.
    return (await this.cache.link(cached, target)) || this.download(key, target);
  }

  /** @returns false if there is no such file */
  private async fill(key: string, cached: string): Promise<boolean> {
    const info = await this.info(key);
    if (info === undefined) return false;
    if (info.bytes > this.cache.maxBytes) return true;
    await this.cache.put(cached, async (file) => {
      if (!(await this.download(key, file))) throw new MediaStorageUnavailable(`${key} was removed`);
      return info.bytes;
    });
    return true;
  }

  /** Downloads a file to a path on this machine, without the cache. @returns false if there is no such file */
  async download(key: string, target: string): Promise<boolean> {
    const done = await this.find(async (place) => ((await place.download(key, target)) ? true : undefined));
    return done === true;
  }

  /**
   * Looks in all places. While files are moved, most are still in the old place when the new one fails, for example because
   * this process lacks its settings.
   * @throws MediaStorageUnavailable if a place failed and no other has the file
   */
  private async find<T>(look: (place: MediaPlace) => Promise<T | undefined>): Promise<T | undefined> {
    const { read } = await this.places.fresh();
    let failed: MediaStorageUnavailable | undefined;
    for (const place of read) {
      try {
        const found = await look(place);
        if (found !== undefined) return found;
      } catch (error) {
        if (!(error instanceof MediaStorageUnavailable)) throw error;
        failed ??= error;
      }
    }
    if (failed !== undefined) throw failed;
    return undefined;
  }

  /** Writes to the current place, and again if it has changed meanwhile. @returns the place */
  private async write(store: (place: MediaPlace) => Promise<void>): Promise<MediaPlace> {
    for (;;) {
      const started = performance.now();
      const { write } = await this.places.fresh();
      await store(write);
      if (performance.now() - started < PLACES_VALID_MS || (await this.places.fresh()).write === write) return write;
    }
  }
}

/** Files of a task are forgotten with its chunks. */
function cacheKeyOf(key: string): string {
  const [, id, name] = /^media\/(\d+)\/(.+)$/.exec(key) ?? [];
  return id === undefined || name === undefined ? `file/${digest(key)}` : `${id}/file/${digest(name)}`;
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 40);

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Paths of all files below a folder, relative to it, with slashes. Leaves out downloads in progress. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => !name.startsWith('incoming/'));
}
