import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { ObjectStorageError } from '../engines/object-storage/object-storage-error.js';
import { hashing } from './archive-writer.js';
import { type BackupEnd, BackupError, CHECKSUMS, END } from './backup-format.js';

/** An entry of a backup, whose content must be read before the next one. */
export interface ArchiveEntry {
  readonly name: string;
  readonly bytes: number;
  readonly content: Readable;
  /** Why the content ended early, which its reader may have noticed as another error. */
  problem(): BackupError | undefined;
}

/** Entries that are read into memory. */
const MAX_BYTES = 256 * 2 ** 20;

/**
 * Reads a backup and compares the checksums of all entries. Only when it returns is the backup known to be complete and
 * unchanged.
 * @throws BackupError that names the damaged entry, if it is known
 */
export async function* readArchive(source: Readable): AsyncGenerator<ArchiveEntry, undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-restore-'));
  try {
    return yield* new ArchiveReader(folder).read(source);
  } finally {
    source.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads an entry into memory. */
export async function contentOf({ name, bytes, content }: Omit<ArchiveEntry, 'problem'>): Promise<Buffer> {
  if (bytes > MAX_BYTES) throw damaged(name);
  const parts: Buffer[] = [];
  for await (const part of content as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

class ArchiveReader {
  /** The checksums of what was read. */
  private readonly sums: string;
  private entries = 0;
  private isArchive = false;
  private checksums: string | undefined;

  constructor(folder: string) {
    this.sums = join(folder, CHECKSUMS);
  }

  async *read(source: Readable): AsyncGenerator<ArchiveEntry, undefined> {
    const archive = extract();
    const reading = pipeline(source, archive as unknown as NodeJS.WritableStream);
    reading.catch((error: unknown) => archive.destroy(error as Error));
    let failure: Error | undefined;
    const written = createWriteStream(this.sums, { mode: 0o600 }).on('error', (error) => (failure ??= error));
    try {
      for await (const entry of archive) {
        const { name, size: bytes, type } = entry.header;
        this.isArchive = true;
        if (type !== 'file') throw damaged(name);
        const content = entry as unknown as Readable;
        if (name === CHECKSUMS) {
          written.end();
          await finished(written);
          this.checksums = await this.compare(content);
        } else if (name === END) {
          this.requireComplete(parsed(END, await contentOf({ name, bytes, content })) as BackupEnd);
          return;
        } else {
          const [hash, counter] = hashing();
          let problem: BackupError | undefined;
          content.once('error', (error: Error) => {
            if (isOfArchive(error)) problem = incomplete();
          });
          const passed = pipeline(content, counter);
          passed.catch(() => undefined); // the reader of the entry gets the error
          yield { name, bytes, content: counter, problem: () => problem };
          counter.resume();
          await passed;
          this.entries += 1;
          written.write(`${hash.digest('hex')}  ${name}\n`);
          if (failure !== undefined) throw failure;
        }
      }
      await reading;
    } catch (error) {
      throw this.isArchive || isOfSystem(error) ? archiveProblem(error) : notABackup();
    } finally {
      written.destroy();
      archive.destroy();
    }
    throw this.isArchive ? incomplete() : notABackup();
  }

  private requireComplete({ sha256, entries }: BackupEnd): void {
    if (this.checksums === undefined || sha256 !== this.checksums || entries !== this.entries) throw damaged(CHECKSUMS);
  }

  /** @returns the checksum of the list; @throws BackupError that names the first entry that differs */
  private async compare(list: Readable): Promise<string> {
    const [hash, counter] = hashing();
    const passed = pipeline(list, counter);
    passed.catch(() => undefined);
    const own = createInterface({ input: createReadStream(this.sums) })[Symbol.asyncIterator]();
    for await (const line of createInterface({ input: counter })) {
      const { value } = (await own.next()) as { value?: string };
      if (value !== line) throw damaged((value ?? line).slice(DIGEST_AND_SPACES));
    }
    await passed;
    if ((await own.next()).done !== true) throw damaged(CHECKSUMS);
    return hash.digest('hex');
  }
}

const DIGEST_AND_SPACES = 66;

/** @throws BackupError if it is not JSON */
export function parsed(name: string, content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'));
  } catch {
    throw damaged(name);
  }
}

export const damaged = (entry: string): BackupError =>
  new BackupError(`The backup is damaged: ${entry} is not what was written. Nothing was restored.`);

export const notABackup = (): BackupError => new BackupError('This is not a backup of Cairn.');

const incomplete = (): BackupError =>
  new BackupError('The backup is incomplete: its end is missing. Nothing was restored.');

/** Errors of the tar library in the middle of an entry. */
const isOfArchive = (error: Error): boolean => /unexpected end|invalid tar/i.test(error.message);

/** Errors of the disk, and of the bucket that the archive is in. */
const isOfSystem = (error: unknown): boolean =>
  error instanceof Error && ('syscall' in error || error instanceof ObjectStorageError);

/** Errors of the tar library mean that the archive is not one, or was cut; those of the system stay as they are. */
function archiveProblem(error: unknown): unknown {
  if (!(error instanceof Error) || isOfSystem(error) || error instanceof BackupError) return error;
  return /invalid|checksum/i.test(error.message) ? damaged('the archive') : incomplete();
}
