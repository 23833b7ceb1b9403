import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Readable, Transform, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { pack, type Pack } from 'tar-stream';
import { type BackupEnd, BackupError, type BackupManifest, CHECKSUMS, END, MANIFEST } from './backup-format.js';

/** Writes the entries of a backup, and their checksums at the end. */
export class ArchiveWriter {
  private readonly archive: Pack = pack();
  private readonly writing: Promise<void>;
  private entries = 0;

  private constructor(
    target: Writable,
    private readonly folder: string,
    private readonly sums: WriteStream,
  ) {
    this.writing = pipeline(this.archive as unknown as Readable, target);
    this.writing.catch(() => undefined); // reported by the next entry, or by `finish`
    sums.on('error', (error) => this.archive.destroy(error));
  }

  /** @param target receives the archive, and is ended */
  static async open(target: Writable): Promise<ArchiveWriter> {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-backup-'));
    return new ArchiveWriter(target, folder, createWriteStream(join(folder, CHECKSUMS), { mode: 0o600 }));
  }

  async add(name: string, content: Buffer): Promise<void> {
    await this.entry(name, content.length, async (entry) => {
      entry.end(content);
      await finished(entry);
      return createHash('sha256').update(content).digest('hex');
    });
  }

  /** @throws BackupError if the stream does not have the given number of bytes */
  async addStream(name: string, bytes: number, content: Readable): Promise<void> {
    await this.entry(name, bytes, async (entry) => {
      const [hash, counter] = hashing();
      await pipeline(content, counter, entry);
      return hash.digest('hex');
    });
  }

  /** Writes manifest and checksums, and waits until the target has everything. */
  async finish(manifest: BackupManifest): Promise<void> {
    await this.add(MANIFEST, json(manifest));
    const { entries } = this;
    this.sums.end();
    await finished(this.sums);
    const path = join(this.folder, CHECKSUMS);
    const { size } = await stat(path);
    const [hash, counter] = hashing();
    await this.raw(CHECKSUMS, size, (entry) => pipeline(createReadStream(path), counter, entry));
    const end: BackupEnd = { entries, sha256: hash.digest('hex') };
    const content = json(end);
    await this.raw(END, content.length, async (entry) => {
      entry.end(content);
      await finished(entry);
    });
    this.archive.finalize();
    await this.writing;
  }

  /** Removes temporary files. After an error, the target is destroyed too. */
  async close(reason?: unknown): Promise<void> {
    if (reason !== undefined) this.archive.destroy(reason as Error);
    await this.writing.catch(() => undefined);
    this.sums.destroy();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async entry(name: string, bytes: number, write: (entry: Writable) => Promise<string>): Promise<void> {
    let sum = '';
    await this.raw(name, bytes, async (entry) => {
      sum = await write(entry);
    });
    this.entries += 1;
    if (!this.sums.write(`${sum}  ${name}\n`)) await once(this.sums, 'drain');
  }

  /** Fails as soon as the target does: an entry would wait for ever. */
  private async raw(name: string, bytes: number, write: (entry: Writable) => Promise<void>): Promise<void> {
    if (/[\n\\]/.test(name)) throw new BackupError(`The name of the file ${JSON.stringify(name)} cannot be stored.`);
    if (this.archive.destroying) await this.writing; // throws the error of the target
    const entry = this.archive.entry({ name, size: bytes, mode: 0o600 }) as unknown as Writable;
    const written = write(entry);
    written.catch(() => undefined);
    await Promise.race([written, this.writing.then(() => written)]);
  }
}

/** The content of an entry. */
export const json = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** A stream that passes everything on, and the hash of what has passed. */
export function hashing(): [Hash, Transform] {
  const hash = createHash('sha256');
  const counter = new Transform({
    transform(piece: Buffer, _, done) {
      hash.update(piece);
      done(null, piece);
    },
  });
  return [hash, counter];
}
