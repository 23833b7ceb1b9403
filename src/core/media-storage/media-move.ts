import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, posix } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import pLimit from 'p-limit';
import { temporaryPath } from '../../engines/media/temporary.js';
import { FolderPlace } from './folder-place.js';
import { isUpload, type MediaPlace, type ObjectInfo } from './media-place.js';

/** The state of a move, and how it ends. */
export interface MoveReport {
  /** Copied and compared by this run. */
  files: number;
  bytes: number;
  /** Files that were there already, from an earlier run. */
  skipped: number;
}

export interface MoveOptions {
  readonly from: MediaPlace;
  readonly to: MediaPlace;
  /** Its session holds the locks of uploads while they are moved. */
  readonly database: ClientBase;
  /** A folder for files on their way between two buckets. */
  readonly scratch: string;
  readonly signal: AbortSignal;
  readonly onProgress: (report: MoveReport) => void;
}

/** A copy that differs from its original. */
export class MoveError extends Error {
  override name = 'MoveError';
}

const FILES_AT_A_TIME = 8;
/** Derived files, which are created again in the new place. */
const DERIVED = /^chunks\//;

/**
 * Copies all files from one place to another while both are in use: new files are written to the new place, and all
 * processes read both. Compares the content of each copy with its original. Originals stay, except for uploads in progress.
 */
export class MediaMove {
  readonly report: MoveReport = { files: 0, bytes: 0, skipped: 0 };
  private readonly moved = new Set<string>();
  /** Files of this run outside of tasks, which later passes need not read again. */
  private readonly compared = new Set<string>();
  private readonly limited = pLimit(FILES_AT_A_TIME);

  constructor(private readonly options: MoveOptions) {}

  /** Copies everything that is not in the new place yet. @returns whether nothing was left */
  async pass(): Promise<boolean> {
    const { from } = this.options;
    await this.load();
    const before = this.report.files;
    for await (const id of from.names('media/')) await this.folder(`media/${id}/`);
    for (const folder of ['assets/', 'exports/']) await this.copyAll(folder);
    const isComplete = await this.uploads();
    return isComplete && this.report.files === before;
  }

  private async load(): Promise<void> {
    const { rows } = await this.options.database.query<{ folder: string }>('select folder from media_moved');
    for (const { folder } of rows) this.moved.add(folder);
  }

  /** The files of a task, which do not change once they are stored. */
  private async folder(folder: string): Promise<void> {
    if (this.moved.has(folder)) return;
    await this.copyAll(folder);
    await this.options.database.query('insert into media_moved values ($1) on conflict do nothing', [folder]);
    this.moved.add(folder);
  }

  private async copyAll(folder: string): Promise<void> {
    const running = new Set<Promise<void>>();
    try {
      for await (const info of this.options.from.list(folder)) {
        this.options.signal.throwIfAborted();
        if (DERIVED.test(info.key)) continue;
        const copying: Promise<void> = this.limited(() => this.copy(info)).finally(() => running.delete(copying));
        running.add(copying);
        if (running.size >= 2 * FILES_AT_A_TIME) await Promise.race(running);
      }
      await Promise.all(running);
    } finally {
      await Promise.allSettled(running);
    }
  }

  /** Copies a file unless the new place has the same one. */
  private async copy({ key, bytes }: ObjectInfo): Promise<void> {
    const { from, to, signal } = this.options;
    signal.throwIfAborted();
    const identity = `${bytes} ${key}`;
    if (this.compared.has(identity)) return;
    this.compared.add(identity);
    const there = await to.info(key);
    if (there?.bytes === bytes && (await this.isSame(key))) {
      this.report.skipped += 1;
      return this.options.onProgress(this.report);
    }
    const expected = await this.transfer(key);
    if (expected === undefined) return; // it was removed
    if (expected !== (await hashOf(to, key))) throw new MoveError(`The copy of ${key} differs from its original.`);
    if ((await from.info(key)) === undefined) await to.remove(key); // it was removed meanwhile
    this.count(bytes);
  }

  /** @returns the checksum of the original; undefined if there is none */
  private async transfer(key: string): Promise<string | undefined> {
    const { from, to, scratch } = this.options;
    if (from instanceof FolderPlace) {
      const expected = await hashOf(from, key);
      if (expected !== undefined) await to.putFile(key, from.path(key), { keep: true });
      return expected;
    }
    const opened = await from.open(key);
    if (opened === undefined) return undefined;
    const file = temporaryPath(scratch);
    await mkdir(dirname(file), { recursive: true });
    const hash = createHash('sha256');
    const counted = new Transform({
      transform(part: Buffer, _, done) {
        hash.update(part);
        done(null, part);
      },
    });
    try {
      await pipeline(opened.stream, counted, createWriteStream(file, { flush: true }));
      await to.putFile(key, file);
    } finally {
      await rm(file, { force: true });
    }
    return hash.digest('hex');
  }

  private async isSame(key: string): Promise<boolean> {
    const [original, copy] = await Promise.all([hashOf(this.options.from, key), hashOf(this.options.to, key)]);
    return original === copy;
  }

  /** @returns false if an upload could not be moved because a client was sending */
  private async uploads(): Promise<boolean> {
    const { from, to, database, signal } = this.options;
    const { rows } = await database.query<{ file_id: string }>(
      'select file_id from media_upload where completed_date is null',
    );
    const incomplete = new Set(rows.map(({ file_id: fileId }) => `uploads/${fileId}`));
    let isComplete = true;
    for (const folder of ['uploads/', 'imports/']) {
      for await (const info of from.list(folder)) {
        signal.throwIfAborted();
        const grows = isUpload(info.key) && (incomplete.has(info.key) || (await this.isIncompleteImport(info)));
        if (!grows) await this.copy(info);
        else if (!(await this.moveGrowing(info.key))) isComplete = false;
      }
    }
    // A bucket has no trace of uploads without bytes, but the data folder needs their files.
    for (const key of incomplete) if ((await to.info(key)) === undefined) await to.begin(key).catch(unlessThere);
    return isComplete;
  }

  private async isIncompleteImport({ key, bytes }: ObjectInfo): Promise<boolean> {
    if (!key.startsWith('imports/') || /\.(json|data)$/.test(key)) return false;
    const { from, to } = this.options;
    const described = (await from.open(`${key}.json`)) ?? (await to.open(`${key}.json`));
    if (described === undefined) return false; // sent in one request
    const parts: Buffer[] = [];
    for await (const part of described.stream as AsyncIterable<Buffer>) parts.push(part);
    return (JSON.parse(Buffer.concat(parts).toString()) as { length: number }).length !== bytes;
  }

  /** Moves an upload under its lock, so that the next piece is appended in the new place. */
  private async moveGrowing(key: string): Promise<boolean> {
    const { from, to, database } = this.options;
    const lock = `piece ${posix.basename(key)}`;
    const { rows } = await database.query<{ taken: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as taken',
      [lock],
    );
    if (rows[0]?.taken !== true) return false;
    try {
      const opened = await from.open(key);
      if (opened === undefined) return true;
      await to.remove(key); // of an interrupted run
      await to.begin(key);
      if (opened.bytes > 0) await to.append(key, 0, opened.stream as AsyncIterable<Buffer>, () => undefined);
      else opened.stream.destroy();
      if (opened.bytes > 0 && !(await this.isSame(key)))
        throw new MoveError(`The copy of ${key} differs from its original.`);
      await from.remove(key);
      this.count(opened.bytes);
      return true;
    } finally {
      await database.query('select pg_advisory_unlock(hashtextextended($1, 0))', [lock]);
    }
  }

  private count(bytes: number): void {
    this.report.files += 1;
    this.report.bytes += bytes;
    this.options.onProgress(this.report);
  }
}

/** @returns undefined if there is no such file */
async function hashOf(place: MediaPlace, key: string): Promise<string | undefined> {
  const opened = await place.open(key);
  if (opened === undefined) return undefined;
  const hash = createHash('sha256');
  for await (const part of opened.stream as AsyncIterable<Buffer>) hash.update(part);
  return hash.digest('hex');
}

function unlessThere(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
