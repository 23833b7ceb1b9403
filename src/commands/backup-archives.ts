import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { BackupError } from '../backup/backup-format.js';
import type { Config } from '../config/config.js';
import { openBucket } from '../core/media-storage/media-places.js';
import { ObjectStorageError } from '../engines/object-storage/object-storage-error.js';
import { StartError } from '../start-error.js';

/** Standard output or standard input. */
export const STANDARD = '-';

export interface Target {
  readonly stream: Writable;
  /** Gives the archive its name. Call it when the stream has finished. */
  keep(): Promise<void>;
  /** Removes what was written. @returns why the target failed, if it did */
  discard(): Promise<unknown>;
}

/** The file gets its name when it is complete. @throws StartError if it exists or cannot be written */
export async function openTarget(to: string, config: Config): Promise<Target> {
  requirePlace('--to', to);
  if (to.startsWith('s3://')) return openObject(to, config);
  return to === STANDARD ? openStandardOutput() : openFile(to);
}

/** @throws StartError if it is neither a file, nor an object of a bucket, nor `-` */
function requirePlace(option: string, place: string): void {
  const expected = 'a file, s3://bucket/name or -';
  if (place.trim() === '') throw new StartError(`${option} is empty. It must be ${expected}.`);
  const isObject = /^s3:\/\/[^/]+\/(.*[^/])$/.test(place);
  if (!isObject && /^[a-z][a-z\d+.-]*:\/\//i.test(place))
    throw new StartError(`${option} cannot be ${place}. It must be ${expected}.`);
}

/** Standard output cannot be ended, and its errors have no other listener. */
function openStandardOutput(): Target {
  const stream = new Writable({
    write: (piece: Buffer, _, done) => void process.stdout.write(piece, (error) => done(error)),
  });
  process.stdout.on('error', (error) => stream.destroy(error));
  stream.on('error', () => undefined); // the writer of the archive gets it
  return {
    stream,
    keep: () => Promise.resolve(),
    discard: () => Promise.resolve(stream.errored),
  };
}

async function openFile(to: string): Promise<Target> {
  const path = resolve(to);
  if (await exists(path)) throw existsAlready(path);
  // Another backup to the same file has a part of its own.
  const part = `${path}.${randomBytes(4).toString('hex')}.part`;
  const stream = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
  await new Promise<void>((opened, failed) => stream.once('open', () => opened()).once('error', failed)).catch(
    (error: NodeJS.ErrnoException) => {
      throw explained(Object.assign(error, { path: error.code === 'ENOTDIR' ? path : dirname(path) }), to);
    },
  );
  return {
    stream,
    async keep() {
      try {
        await moveTo(path, part);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
      await syncFolder(dirname(path));
    },
    async discard() {
      stream.destroy();
      await finished(stream).catch(() => undefined);
      await rm(part, { force: true });
      return stream.errored;
    },
  };
}

/** Never replaces a file, as `rename` would. @throws StartError if there is one */
async function moveTo(path: string, part: string): Promise<void> {
  try {
    await link(part, path).catch(async (error: NodeJS.ErrnoException) => {
      if (!WITHOUT_LINKS.includes(error.code ?? '')) throw error;
      await (await open(path, 'wx')).close(); // reserves the name
      await rename(part, path);
    });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? existsAlready(path) : error;
  }
  await rm(part, { force: true });
}

/** Errors of file systems that have no hard links. */
const WITHOUT_LINKS: readonly string[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const existsAlready = (path: string): StartError =>
  new StartError(`${path} exists already. Choose another file, or remove it.`);

export async function openSource(from: string, config: Config): Promise<Readable> {
  requirePlace('--from', from);
  if (from.startsWith('s3://')) return readObject(from, config);
  if (from === STANDARD) return process.stdin;
  const stream = createReadStream(resolve(from), { highWaterMark: 2 ** 20 });
  await new Promise<void>((opened, failed) => stream.once('open', () => opened()).once('error', failed)).catch(
    (error: unknown) => {
      throw explained(error, from);
    },
  );
  return stream;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Splits `s3://bucket/folder/name.tar`. */
function objectAt(url: string, config: Config) {
  const at = url.lastIndexOf('/');
  const { objects, prefix } = openBucket(url.slice(0, at), config);
  return { objects, key: `${prefix}${url.slice(at + 1)}` };
}

/** The object appears when the archive is complete. @throws BackupError if it exists */
async function openObject(to: string, config: Config): Promise<Target> {
  const { objects, key } = objectAt(to, config);
  const stream = new PassThrough();
  try {
    if ((await objects.info(key)) !== undefined) throw new BackupError(`${to} exists already. Choose another name.`);
  } catch (error) {
    objects.close();
    throw explained(error, to);
  }
  const uploaded = objects.uploadStream(key, stream);
  uploaded.catch((error: unknown) => stream.destroy(error as Error));
  return {
    stream,
    keep: () => uploaded.finally(() => objects.close()),
    async discard() {
      stream.destroy(new Error('The backup failed'));
      const problem = await uploaded.catch((error: unknown) => error);
      objects.close();
      return problem;
    },
  };
}

async function readObject(from: string, config: Config): Promise<Readable> {
  const { objects, key } = objectAt(from, config);
  try {
    const opened = await objects.open(key);
    if (opened === undefined) throw new BackupError(`${from} does not exist.`);
    return opened.stream.once('close', () => objects.close());
  } catch (error) {
    objects.close();
    throw explained(error, from);
  }
}

/** Whether the error only says that the target has ended, not why. */
export const isCut = (error: unknown): boolean =>
  error instanceof Error &&
  (/(stream|entry) destroyed$/.test(error.message) ||
    ['ABORT_ERR', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(
      String('code' in error && error.code),
    ));

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'it is a folder',
  EPIPE: 'the program that reads it has ended',
};

/** Errors that the operator can act on, as one sentence. @param archive its place */
export function explained(error: unknown, archive: string): unknown {
  if (error instanceof BackupError || error instanceof ObjectStorageError) return new StartError(error.message);
  const { code = '', path } = error as NodeJS.ErrnoException;
  const reason = REASONS[code];
  return reason === undefined
    ? error
    : new StartError(`${path ?? (archive === STANDARD ? 'standard output' : archive)}: ${reason} (${code}).`);
}
