import type { DatasetFiles } from './format.js';

/** Bytes of a file that are looked at. */
const HEAD = 32 * 1024;

/** Files of one kind that are looked at. */
const MAX_FILES = 20;
/** Files whose beginnings are remembered: those of formats that look at the same ones. */
const MAX_HEADS = 200;
/** Bytes of a file in which a text is looked for, and the most characters that the text has. */
const MAX_SCAN = 8 * 2 ** 20;
const MAX_MATCH = 200;

/** Characters of a line that are looked at: lines that tell formats apart are short. */
export const MAX_LINE = 1000;

/** The first line of a text that is not blank, up to a limit; empty if there is none. */
export const firstLine = (text: string): string => /\S[^\n]{0,999}/.exec(text)?.[0].trim() ?? '';

/** An archive whose files can be looked at without importing them. */
export class ArchiveSample {
  readonly paths: readonly string[];
  private readonly heads = new Map<string, Promise<Buffer>>();

  constructor(private readonly files: DatasetFiles) {
    this.paths = files.paths;
  }

  /** The first bytes of a file; empty if it cannot be read. */
  bytes(path: string): Promise<Buffer> {
    const known = this.heads.get(path) ?? this.read(path).catch(() => Buffer.alloc(0));
    this.heads.delete(path);
    this.heads.set(path, known);
    const [oldest] = this.heads.keys();
    if (this.heads.size > MAX_HEADS && oldest !== undefined) this.heads.delete(oldest);
    return known;
  }

  /** The beginning of a text, without a byte order mark. Bytes that are not UTF-8 are replaced. */
  async text(path: string): Promise<string> {
    return new TextDecoder().decode(await this.bytes(path));
  }

  /** The first lines of a text that are not blank. The last one may be cut off only if the text has no other. */
  async lines(path: string): Promise<string[]> {
    const text = await this.text(path);
    const isWhole = (await this.bytes(path)).length < HEAD;
    const lines = text.split('\n');
    if (!isWhole && lines.length > 1) lines.pop();
    return lines.map((line) => line.trim()).filter((line) => line !== '');
  }

  /** Whether one of the first few files with such a path has this content. */
  async some(path: RegExp, test: (text: string, path: string) => boolean): Promise<boolean> {
    for (const each of this.paths.filter((one) => path.test(one)).slice(0, MAX_FILES))
      if (test(await this.text(each), each)) return true;
    return false;
  }

  /** Whether the files with such paths contain a text, as far as it is in the first megabytes. */
  async contain(path: RegExp, wanted: RegExp): Promise<boolean> {
    for (const each of this.paths.filter((one) => path.test(one)).slice(0, MAX_FILES))
      if (await this.contains(each, wanted).catch(() => false)) return true;
    return false;
  }

  private async contains(path: string, wanted: RegExp): Promise<boolean> {
    const decoder = new TextDecoder();
    let [text, size] = ['', 0];
    for await (const piece of this.files.peek?.(path) ?? this.files.read(path)) {
      text = text.slice(-MAX_MATCH) + decoder.decode(piece, { stream: true });
      if (wanted.test(text)) return true;
      size += piece.length;
      if (size > MAX_SCAN) break;
    }
    return false;
  }

  /** See {@link firstLine}. */
  async line(path: string): Promise<string> {
    return firstLine(await this.text(path));
  }

  private async read(path: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of this.files.peek?.(path) ?? this.files.read(path)) {
      pieces.push(piece);
      size += piece.length;
      if (size >= HEAD) break;
    }
    return Buffer.concat(pieces).subarray(0, HEAD);
  }
}
