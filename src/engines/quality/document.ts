import { Readable } from 'node:stream';
import { createGunzip, createGzip, type Gzip, gzipSync } from 'node:zlib';
import { once } from 'node:events';
import { finish, type Steps } from '../concurrency/steps.js';

/** Keys whose numbers, or lists of numbers, are fractions: clients of CVAT expect `1.0` and not `1`. */
const FRACTIONS: ReadonlySet<string> = new Set([
  'accuracy', 'precision', 'recall', 'jaccard_index', 'mean_iou', 'frame_share', 'frame_share_percent',
  'mean_conflict_count', 'iou_threshold', 'low_overlap_threshold', 'oks_sigma', 'line_thickness',
  'line_orientation_threshold', 'group_match_threshold', 'object_visibility_threshold',
]); // prettier-ignore

const indent = (depth: number): string => '  '.repeat(depth);

/** JSON with an indent of 2, like `JSON.stringify`, but with fractions as CVAT writes them. @param depth of the value */
export const documentText = (value: unknown, depth: number, key = ''): string =>
  finish(documentSteps(value, depth, key));

/** The same in steps: the document of a crowded frame has megabytes. */
export function* documentSteps(value: unknown, depth: number, key = ''): Steps<string> {
  if (typeof value !== 'object' || value === null) return plainText(value, key);
  yield;
  const isList = Array.isArray(value);
  const members = isList ? value.map((item: unknown) => ['', item] as const) : Object.entries(value);
  const before = indent(depth + 1);
  let text = '';
  for (const [name, member] of members) {
    if (member === undefined) continue;
    const isPlain = typeof member !== 'object' || member === null;
    const inner = isList ? key : name;
    const shown = isPlain ? plainText(member, inner) : yield* documentSteps(member, depth + 1, inner);
    text += `${text === '' ? '' : ',\n'}${before}${isList ? '' : `${JSON.stringify(name)}: `}${shown}`;
  }
  const [open, close] = isList ? '[]' : '{}';
  return text === '' ? `${open}${close}` : `${open}\n${text}\n${indent(depth)}${close}`;
}

function plainText(value: unknown, key: string): string {
  if (typeof value !== 'number') return JSON.stringify(value);
  return FRACTIONS.has(key) && Number.isInteger(value) ? value.toFixed(1) : String(value);
}

/** A member that follows others. */
const memberText = (name: string, value: unknown): string =>
  `,\n  ${JSON.stringify(name)}: ${documentText(value, 1, name)}`;

const END = '\n}\n';

/** The same as a `DocumentWriter` stores, for a document that is in memory anyway. */
export const storedDocument = (members: Readonly<Record<string, unknown>>): Buffer =>
  gzipSync(
    Object.entries(members)
      .toSorted(([a], [b]) => Number(LONG_MEMBERS.includes(a)) - Number(LONG_MEMBERS.includes(b)))
      .map(([name, value]) => memberText(name, value))
      .join('') + END,
  );

/** The members whose size depends on the number of frames. They come last. */
const LONG_MEMBERS: readonly string[] = ['frame_results', 'conflicts'];

/** Stands for the URL of the task in documents that are stored before it is known. No other text contains U+0000. */
export const TASK_URL = '\0task';
const ESCAPED_TASK_URL = JSON.stringify(TASK_URL).slice(1, -1);

/** The start of a long member. Nested members of the same name have a deeper indent. */
const LONG_MEMBER = new RegExp(`,\\n {2}"(?:${LONG_MEMBERS.join('|')})": `);
const LONG_MEMBER_LENGTH = 24;

/** Characters that are collected before they are compressed. */
const PIECE = 64 * 1024;

/**
 * Writes the members of a document that follow its header, compressed. Only the compressed bytes and one piece of the text
 * are in memory.
 */
export class DocumentWriter {
  private readonly gzip: Gzip = createGzip();
  private readonly chunks: Buffer[] = [];
  private readonly ended: Promise<unknown>;
  private text = '';

  constructor() {
    this.gzip.on('data', (chunk: Buffer) => this.chunks.push(chunk));
    this.ended = once(this.gzip, 'end');
  }

  /** Resolves when there is room for more. */
  async write(text: string): Promise<void> {
    this.text += text;
    if (this.text.length >= PIECE) await this.flush();
  }

  /** Writes a member of the document. */
  member(name: string, value: unknown): Promise<void> {
    return this.write(memberText(name, value));
  }

  /** Writes a member whose value is created item by item. */
  async members(name: string, brackets: '[]' | '{}', items: AsyncIterable<string> | Iterable<string>): Promise<void> {
    let count = 0;
    await this.write(`,\n  ${JSON.stringify(name)}: ${brackets[0] ?? ''}`);
    for await (const item of items) await this.write(`${count++ === 0 ? '' : ','}\n    ${item}`);
    await this.write(count === 0 ? (brackets[1] ?? '') : `\n  ${brackets[1] ?? ''}`);
  }

  async end(): Promise<Buffer> {
    await this.write(END);
    await this.flush();
    this.gzip.end();
    await this.ended;
    return Buffer.concat(this.chunks);
  }

  private async flush(): Promise<void> {
    const { text } = this;
    this.text = '';
    if (!this.gzip.write(text)) await once(this.gzip, 'drain');
  }
}

/**
 * The complete document: its header, then the stored members.
 * @param header not empty
 * @param frames whether to include the results and conflicts of frames
 * @param taskUrl replaces `TASK_URL`
 */
export function documentStream(
  header: Readonly<Record<string, unknown>>,
  stored: Buffer,
  { frames = true, taskUrl = '' }: { readonly frames?: boolean; readonly taskUrl?: string } = {},
): Readable {
  const gunzip = createGunzip();
  gunzip.end(stored);
  const pieces = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from(documentText(header, 0).slice(0, -2));
    yield* frames ? withTaskUrl(gunzip, taskUrl) : withoutFrames(gunzip);
  };
  return Readable.from(pieces(), { objectMode: false });
}

async function* withTaskUrl(document: AsyncIterable<Buffer>, taskUrl: string): AsyncGenerator<Buffer> {
  const url = Buffer.from(JSON.stringify(taskUrl).slice(1, -1)).toString('latin1');
  let left = '';
  for await (const piece of document) {
    const text = (left + piece.toString('latin1')).replaceAll(ESCAPED_TASK_URL, url);
    yield Buffer.from(text.slice(0, -ESCAPED_TASK_URL.length), 'latin1');
    left = text.slice(-ESCAPED_TASK_URL.length);
  }
  yield Buffer.from(left, 'latin1');
}

/** Stops reading at the first long member. */
async function* withoutFrames(document: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = '';
  for await (const piece of document) {
    left += piece.toString('latin1'); // one character for each byte, so that none is cut into two
    const found = LONG_MEMBER.exec(left);
    if (found !== null) {
      yield Buffer.from(left.slice(0, found.index) + END, 'latin1');
      return;
    }
    yield Buffer.from(left.slice(0, -LONG_MEMBER_LENGTH), 'latin1');
    left = left.slice(-LONG_MEMBER_LENGTH);
  }
  yield Buffer.from(left, 'latin1');
}
