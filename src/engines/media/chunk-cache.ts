import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { copyFile, type FileHandle, link, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit, { type LimitFunction } from 'p-limit';
import { mapBounded } from '../concurrency/concurrency.js';
import { freeMemory, readWholeFile } from '../memory/memory.js';
import { errorCode, storageError } from './media-error.js';

export interface ChunkCacheOptions {
  /** Created if it is missing. Files in it that the cache did not write are left unchanged. */
  folder: string;
  maxBytes: number;
  /** Maximum number of chunks created concurrently; further ones wait. */
  concurrentBuilds?: number;
}

export interface CreateOptions {
  /** Bypasses the queue of chunks. For single frames, which take a fraction of the time of a chunk. */
  readonly atOnce?: boolean;
}

/**
 * Returns a chunk, or writes it to `file`, so that chunks created by other processes need not pass through this one.
 * @param file an unused name in the cache's folder
 */
export type MakeChunk = (file: string) => Promise<Buffer | 'written'>;

interface Build {
  promise: Promise<Buffer>;
  /** Set if the chunk was deleted while it was being created: it is returned, but not kept. */
  discarded: boolean;
  /** Number of callers that received the chunk and have not released it. */
  users: number;
}

const suffix = '.chunk';
/** Suffix of a chunk that is being written. If its process dies, the file ages and is evicted like any other. */
const partSuffix = '.chunk-part';
const longestFileName = 200;
/** After adding this part of its limit, a cache looks for the chunks of other processes. */
const unseenPart = 1 / 16;

/**
 * A cache of chunks on disk, limited in bytes, that evicts the least recently used first. Concurrent requests create a
 * chunk once. Chunks of an earlier run are found again, in the order in which they were written. Several processes may
 * share the folder; each finds the files of the others now and then, so that together they exceed maxBytes only a little.
 */
export class ChunkCache {
  /** File name -> bytes, least recently used first. */
  private readonly files = new Map<string, number>();
  private readonly builds = new Map<string, Build>();
  /** Maps buffers that this cache allocated to their builds; only these buffers may be freed. */
  private readonly given = new WeakMap<Buffer, Build>();
  private readonly limited: LimitFunction;
  private readonly requested = { hit: 0, miss: 0 };
  private bytes = 0;
  /** Total size of the chunks that are being written. */
  private reserved = 0;
  private loaded: Promise<void> | undefined;
  /** Bytes added since the folder was last read. */
  private added = 0;

  constructor(private readonly options: ChunkCacheOptions) {
    this.limited = pLimit(options.concurrentBuilds ?? 2);
  }

  /** How many requested chunks were on disk, and how many had to be created. */
  get uses(): { readonly hit: number; readonly miss: number } {
    return this.requested;
  }

  get maxBytes(): number {
    return this.options.maxBytes;
  }

  /** Known size on disk in bytes. */
  get size(): number {
    return this.bytes;
  }

  /**
   * Returns the chunk of a key, and creates it if it is missing. All waiting callers receive an error of `make`; it is
   * not cached.
   * @param key any text. deletePrefix matches its beginning, so use a form like `<data>/<kind>/<number>`
   * @throws MediaStorageFull
   */
  async getOrCreate(key: string, make: MakeChunk, options: CreateOptions = {}): Promise<Buffer> {
    const name = fileName(key);
    const running = this.builds.get(name);
    if (running) {
      running.users += 1;
      return running.promise;
    }
    const build: Build = { discarded: false, users: 1, promise: Promise.resolve(Buffer.alloc(0)) };
    const { limited } = this;
    const inTurn: MakeChunk = options.atOnce === true ? make : (file) => limited(() => make(file));
    build.promise = this.readOrMake(name, inTurn, build).finally(() => {
      if (this.builds.get(name) === build) this.builds.delete(name);
    });
    this.builds.set(name, build);
    return build.promise;
  }

  /**
   * Frees the memory of a chunk once every caller that received it has called this once. Optional: otherwise the
   * garbage collector frees it later.
   */
  release(chunk: Buffer): void {
    const build = this.given.get(chunk);
    if (build === undefined) return;
    build.users -= 1;
    if (build.users === 0) freeMemory(chunk);
  }

  /**
   * Creates a missing chunk for later use, without passing its bytes through this process.
   * @param write writes it to an unused file and returns its size in bytes
   * @throws MediaStorageFull
   */
  async put(key: string, write: (file: string) => Promise<number>): Promise<void> {
    const name = fileName(key);
    const part = this.newPart();
    try {
      await this.load();
      await this.makeFolder();
      if (this.has(key)) return;
      const bytes = await write(part);
      if (bytes > this.options.maxBytes) return;
      await this.keep(name, bytes, { discarded: false }, () => rename(part, join(this.options.folder, name)));
    } catch (error) {
      throw storageError(error);
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Whether a chunk is known to exist or is being created. The folder is first read by `getOrCreate`. */
  has(key: string): boolean {
    const name = fileName(key);
    return this.files.has(name) || this.builds.has(name);
  }

  /** Returns the file of an existing chunk, even if another process created it. Counts as a use. */
  async file(key: string): Promise<string | undefined> {
    await this.load();
    const name = fileName(key);
    const path = join(this.options.folder, name);
    const info = await statIfThere(path);
    if (info === null) return undefined;
    this.touch(name, info.size);
    return path;
  }

  /**
   * Gives the file of an existing chunk a second name, which stays valid when the chunk is evicted. Counts as a use.
   * @returns false if there is no such chunk
   */
  async link(key: string, target: string): Promise<boolean> {
    const path = await this.file(key);
    if (path === undefined) return false;
    try {
      await link(path, target).catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') throw error;
        return copyFile(path, target); // a file system without hard links
      });
      return true;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw storageError(error);
      return false;
    }
  }

  /** Opens an existing chunk, even if another process created it. Counts as a use. The caller closes the file. */
  async open(key: string): Promise<FileHandle | undefined> {
    await this.load();
    const name = fileName(key);
    const file = await open(join(this.options.folder, name)).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      this.forget(name);
    });
    if (file !== undefined) this.touch(name, this.files.get(name) ?? (await file.stat()).size);
    return file ?? undefined;
  }

  /** Deletes a chunk if it exists. */
  async delete(key: string): Promise<void> {
    await this.remove(fileName(key));
  }

  /** Deletes every chunk whose key starts with the prefix, and discards those that are being created. */
  async deletePrefix(prefix: string): Promise<void> {
    await this.load();
    const start = encodeKey(prefix);
    for (const [name, build] of this.builds) {
      if (!name.startsWith(start)) continue;
      build.discarded = true;
      this.builds.delete(name);
    }
    await this.makeFolder();
    const onDisk = await readdir(this.options.folder);
    await Promise.all(
      onDisk.filter((name) => name.startsWith(start) && name.endsWith(suffix)).map((name) => this.remove(name)),
    );
  }

  private async readOrMake(name: string, make: MakeChunk, build: Build): Promise<Buffer> {
    const part = this.newPart();
    try {
      await this.load();
      const found = await this.read(name, build);
      if (found) {
        this.requested.hit += 1;
        return found;
      }
      this.requested.miss += 1;
      await this.makeFolder();
      const made = await make(part);
      const chunk = made === 'written' ? await this.readFor(build, part) : made;
      if (!build.discarded && chunk.length <= this.options.maxBytes) {
        await this.keep(name, chunk.length, build, async () => {
          if (made !== 'written') await writeFile(part, chunk, { flag: 'wx' });
          await rename(part, join(this.options.folder, name));
        });
      }
      return chunk;
    } catch (error) {
      throw storageError(error);
    } finally {
      await rm(part, { force: true });
    }
  }

  /** A chunk has a temporary name until it is complete, so that nobody reads a partial file. */
  private newPart(): string {
    return join(this.options.folder, `${randomUUID()}${partSuffix}`);
  }

  private async read(name: string, build: Build): Promise<Buffer | null> {
    try {
      const chunk = await this.readFor(build, join(this.options.folder, name));
      if (!build.discarded) this.touch(name, chunk.length);
      return chunk;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      this.forget(name);
      return null;
    }
  }

  private async readFor(build: Build, path: string): Promise<Buffer> {
    const chunk = await readWholeFile(path);
    this.given.set(chunk, build);
    return chunk;
  }

  private async keep(
    name: string,
    bytes: number,
    build: Pick<Build, 'discarded'>,
    put: () => Promise<void>,
  ): Promise<void> {
    this.reserved += bytes;
    try {
      await this.makeRoom();
      await put();
    } finally {
      this.reserved -= bytes;
    }
    if (build.discarded) return this.remove(name);
    this.touch(name, bytes);
    this.added += bytes;
    if (this.added > this.options.maxBytes * unseenPart) await this.findOthers();
  }

  private async makeRoom(): Promise<void> {
    for (const name of this.files.keys()) {
      if (this.bytes + this.reserved <= this.options.maxBytes) return;
      await this.remove(name);
    }
  }

  private async remove(name: string): Promise<void> {
    this.forget(name);
    await rm(join(this.options.folder, name), { force: true });
  }

  private touch(name: string, bytes: number): void {
    this.forget(name);
    this.files.set(name, bytes);
    this.bytes += bytes;
  }

  private forget(name: string): void {
    this.bytes -= this.files.get(name) ?? 0;
    this.files.delete(name);
  }

  private load(): Promise<void> {
    this.loaded ??= this.readFolder().catch((error: unknown) => {
      this.loaded = undefined;
      throw error;
    });
    return this.loaded;
  }

  /** If the folder is removed while the server runs, it is created again and so are its chunks. */
  private async makeFolder(): Promise<void> {
    const isNew = (await mkdir(this.options.folder, { recursive: true })) !== undefined;
    if (isNew) for (const name of this.files.keys()) this.forget(name);
  }

  /** Adds the chunks that other processes have created, and forgets those that they have removed. */
  private async findOthers(): Promise<void> {
    this.added = 0;
    const found = await this.onDisk();
    const sizes = new Map(found.map(({ name, info }) => [name, info?.size]));
    for (const name of this.files.keys()) if (sizes.get(name) === undefined) this.forget(name);
    const others = found.filter(({ name }) => name.endsWith(suffix) && !this.files.has(name)); // complete ones
    for (const { name, info } of others) if (info) this.touch(name, info.size);
    await this.makeRoom();
  }

  private async readFolder(): Promise<void> {
    await this.makeFolder();
    for (const { name, info } of await this.onDisk()) if (info) this.touch(name, info.size);
    await this.makeRoom();
  }

  /** The chunks in the folder, oldest first. */
  private async onDisk(): Promise<{ name: string; info: Stats | null }[]> {
    const { folder } = this.options;
    const names = (await readdir(folder)).filter((name) => name.endsWith(suffix) || name.endsWith(partSuffix));
    const found = await mapBounded(names, 16, async (name) => ({ name, info: await statIfThere(join(folder, name)) }));
    return found.toSorted((a, b) => (a.info?.mtimeMs ?? 0) - (b.info?.mtimeMs ?? 0));
  }
}

async function statIfThere(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function fileName(key: string): string {
  const name = encodeKey(key) + suffix;
  if (name.length > longestFileName) throw new RangeError(`The key of a chunk is too long: ${key.slice(0, 60)}…`);
  return name;
}

/** Preserves prefixes: if a key starts with a prefix, its file name starts with the encoded prefix. */
function encodeKey(key: string): string {
  return encodeURIComponent(key);
}
