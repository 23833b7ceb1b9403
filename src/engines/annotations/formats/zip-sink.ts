import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { FileContent, FileSink } from './format.js';

/** Files that are compressed already: deflating them again only takes time. */
const COMPRESSED = /\.(jpe?g|png|webp|gif|mp4|zip)$/i;

/** Writes a zip archive to a file, one file of it after the other, with little of it in memory. */
export class ZipSink implements FileSink {
  private readonly zip = new ZipFile();
  private readonly output = this.zip.outputStream as PassThrough;
  private readonly written: Promise<void>;
  private readonly paths = new Set<string>();

  /**
   * @param file is made or replaced
   * @param date given to every file in the archive
   */
  constructor(
    private readonly file: string,
    private readonly date: Date,
  ) {
    this.written = pipeline(this.output, createWriteStream(file));
    this.written.catch(() => undefined); // whoever waits for it next is told
  }

  /** @throws Error for a path that is there already, for what the content throws, and when the disk is full */
  async addFile(path: string, content: FileContent): Promise<void> {
    if (this.paths.has(path)) throw new Error(`${path} is twice in the archive`);
    this.paths.add(path);
    const stream = Readable.from(content instanceof Uint8Array ? [content] : content, { objectMode: false });
    const options = { mtime: this.date, forceDosTimestamp: true, compress: !COMPRESSED.test(path) };
    const taken = new Promise<void>((resolve, reject) => {
      stream.once('end', resolve).once('error', reject);
    });
    this.zip.addReadStream(stream, path, options);
    // An archive that cannot be written any more takes nothing: its error would otherwise never be heard.
    await Promise.race([taken, this.written.then(() => taken)]).catch((error: unknown) => {
      stream.destroy();
      throw error;
    });
  }

  /** Completes the archive. */
  async close(): Promise<void> {
    this.zip.end();
    await this.written;
  }

  /** Gives up: nothing stays. */
  async discard(): Promise<void> {
    this.output.destroy();
    await this.written.catch(() => undefined);
    await rm(this.file, { force: true });
  }
}
