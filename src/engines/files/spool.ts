import { type FileHandle, open, rm } from 'node:fs/promises';

/** Length of a piece of text that is worth a write, in characters. */
const PIECE = 64 * 1024;

/** A text in a temporary file, for what is needed later and may not fit in memory. */
export class Spool {
  private pending = '';

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  /** @param path is created or replaced */
  static async open(path: string): Promise<Spool> {
    return new Spool(path, await open(path, 'w+'));
  }

  async add(text: string): Promise<void> {
    this.pending += text;
    if (this.pending.length >= PIECE) await this.flush();
  }

  /** The whole text. */
  async *read(): AsyncGenerator<string> {
    await this.flush();
    yield* this.file.createReadStream({ start: 0, autoClose: false, encoding: 'utf8' }) as AsyncIterable<string>;
  }

  /** Removes the file. */
  async close(): Promise<void> {
    await this.file.close();
    await rm(this.path, { force: true });
  }

  private async flush(): Promise<void> {
    const text = this.pending;
    this.pending = '';
    await this.file.appendFile(text);
  }
}
