import { setImmediate as yieldToEventLoop } from 'node:timers/promises';

/** Smaller texts are parsed at once without checks. */
const LARGE_BYTES = 2 ** 21;
/** Minimum average number of bytes per object or list in any meaningful body. */
const BYTES_EACH = 8;
/** Bytes to read before other requests get a turn. */
const TURN_BYTES = 2 ** 20;
/** Per object. A million keys take a second to read, whatever their values. */
const MAX_KEYS = 100_000;
/** Per list, unless the caller says otherwise. Ten million numbers take 80 MB of memory. */
const MAX_ELEMENTS = 10_000_000;
const MAX_DEPTH = 1_000;
/**
 * Long elements of lists are read in turns, as are long elements in them: keyframes of skeleton tracks have three
 * levels.
 */
const MAX_NESTING = 4;
/** Maximum number of commas outside the lists that are read in turns. */
const MAX_AT_ONCE = 500_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/**
 * A large JSON text whose parsing would take far too much time or memory for its content. The message is a sentence.
 */
export class ExcessiveJson extends Error {
  override name = 'ExcessiveJson';
}

/**
 * Whether a JSON text consists mostly of brackets, or is one object with countless keys. Parsing fifty megabytes of
 * `{},{},…` takes more than a gigabyte and blocks all other requests for many seconds.
 */
export function isExcessiveJson(text: Uint8Array): boolean {
  const cuts = cutLists(text, { turn: Infinity });
  try {
    for (;;) if (cuts.next().done === true) return false;
  } catch (error) {
    if (error instanceof ExcessiveJson) return true;
    throw error;
  }
}

export interface ReadingOptions {
  /** Number of bytes to read at once. */
  readonly turn?: number;
  /** Maximum number of elements per list of a large text. */
  readonly maxElements?: number;
}

/**
 * A `JSON.parse` that yields to other requests: it parses the lists of the outermost object, and of the objects in it,
 * in slices, and also those of a long element in them.
 * @param text UTF-8
 * @throws SyntaxError for invalid JSON, ExcessiveJson
 */
export const parseLargeJson = (text: Buffer, options: ReadingOptions = {}): Promise<unknown> =>
  new Parser(options).parse(text);

/**
 * Like {@link parseLargeJson}, but a long list of objects becomes a `LongList`.
 * @param read receives the value
 * @returns the result of `read`, once the whole text is known to be valid
 * @throws SyntaxError for invalid JSON, also if `read` has failed; ExcessiveJson; what `read` throws
 */
export async function readLargeJson<T>(
  text: Buffer,
  read: (value: unknown) => Promise<T>,
  options: ReadingOptions = {},
): Promise<T> {
  const lists: LongList[] = [];
  const value = await new Parser(options, lists).parse(text);
  try {
    return await read(value);
  } finally {
    for (const list of lists) await list.finish();
  }
}

/**
 * A long list of objects. They are parsed while it is iterated, so that they are never in memory all together. It can
 * be iterated once.
 */
export class LongList implements Iterable<unknown> {
  /** @param parts elements, or slices that are not parsed yet, in reverse order */
  constructor(
    private readonly text: Buffer,
    private readonly parts: (Slice | unknown[])[],
  ) {}

  /** @throws SyntaxError */
  *[Symbol.iterator](): Generator<unknown, undefined> {
    for (let elements = this.next(); elements !== undefined; elements = this.next()) yield* elements;
  }

  /** Parses what has not been iterated. @throws SyntaxError */
  async finish(): Promise<void> {
    while (this.next() !== undefined) await yieldToEventLoop();
  }

  private next(): unknown[] | undefined {
    const part = this.parts.pop();
    return part === undefined || Array.isArray(part) ? part : parseSlice(this.text, part);
  }
}

class Parser {
  private readonly turn: number;

  constructor(
    private readonly options: ReadingOptions,
    /** Receives the lists that are parsed later; undefined: every list is parsed at once. */
    private readonly later?: LongList[],
  ) {
    this.turn = options.turn ?? TURN_BYTES;
  }

  async parse(text: Buffer, nesting = 0): Promise<unknown> {
    if (text.length < 2 * this.turn) return JSON.parse(text.toString('utf8')) as unknown;
    const cuts = cutLists(text, { ...this.options, turn: this.turn, cutting: nesting < MAX_NESTING });
    let step = cuts.next();
    for (; step.done !== true; step = cuts.next()) await yieldToEventLoop();
    const slices = step.value;
    const outline = JSON.parse(withNumbers(text, slices)) as unknown;
    if (slices.length === 0) return outline;
    const unused = new Set(slices);
    const list = (numbers: readonly number[]): Promise<Iterable<unknown>> => {
      const used = numbers.flatMap((number) => slices[number] ?? []);
      for (const slice of used) unused.delete(slice);
      return this.list(text, used, nesting);
    };
    let value: unknown = outline;
    if (Array.isArray(outline)) value = await list(outline as number[]);
    else {
      const objects = [outline, ...Object.values(outline as object)].filter(isPlainObject);
      for (const object of objects)
        for (const [key, numbers] of Object.entries(object))
          if (Array.isArray(numbers)) object[key] = await list(numbers as number[]);
    }
    // Lists whose key is repeated have no use, but they have to be valid.
    await this.list(text, [...unused], nesting);
    return value;
  }

  private async list(text: Buffer, slices: readonly Slice[], nesting: number): Promise<Iterable<unknown>> {
    const isLater = this.later !== undefined && slices.length > 1 && isObject(text, slices[0]);
    const parts: (Slice | unknown[])[] = [];
    for (const slice of slices) {
      if (this.isLong(text, slice)) parts.push([await this.parse(text.subarray(slice.start, slice.end), nesting + 1)]);
      else if (isLater) parts.push(slice);
      else parts.push(parseSlice(text, slice));
      await yieldToEventLoop();
    }
    if (!isLater) return joined(parts as unknown[][]);
    const list = new LongList(text, parts.toReversed());
    this.later.push(list);
    return list;
  }

  /** Whether a slice is a single object or list that is parsed in slices itself. */
  private isLong(text: Buffer, { start, end, isOne }: Slice): boolean {
    return isOne && end - start >= 2 * this.turn && /^\s*[[{]/.test(text.toString('latin1', start, start + 100));
  }
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isObject = (text: Buffer, slice: Slice | undefined): boolean =>
  slice !== undefined && /^\s*\{/.test(text.toString('latin1', slice.start, slice.start + 100));

function parseSlice(text: Buffer, { start, end }: Slice): unknown[] {
  const part = JSON.parse(`[${text.toString('utf8', start, end)}]`) as unknown[];
  const isWhole = text[start - 1] === LIST && text[end] !== COMMA;
  if (part.length === 0 && !isWhole) throw new SyntaxError('a comma without an element');
  return part;
}

/** Elements of a list, or its complete content; `end` is exclusive. */
interface Slice {
  readonly start: number;
  readonly end: number;
  /** Whether it has no comma between elements. */
  readonly isOne: boolean;
}

/**
 * Cuts the outermost list, or every list in the outermost object and in the objects in it, at commas between elements.
 * A long element becomes a slice of its own. Invalid JSON may be cut in the wrong places, but then the parts are not
 * valid JSON either.
 * @param cutting false: nothing is cut
 * @yields after every turn
 * @returns the slices in the order of the text
 * @throws ExcessiveJson
 */
function* cutLists(
  text: Uint8Array,
  {
    turn,
    cutting = true,
    maxElements = MAX_ELEMENTS,
  }: { readonly turn: number; readonly cutting?: boolean; readonly maxElements?: number },
): Generator<undefined, Slice[]> {
  const slices: Slice[] = [];
  const { length } = text;
  const isLarge = length >= LARGE_BYTES;
  let brackets = isLarge ? Math.floor(length / BYTES_EACH) : Infinity;
  let atOnce = isLarge && turn < Infinity ? MAX_AT_ONCE : Infinity;
  /** For each depth, the number of keys or elements that the object or list may still have. */
  const room: number[] = [];
  const isObject: boolean[] = [];
  /** Depth of the elements between which slices are cut. */
  let level = 0;
  let inString = false;
  let depth = 0;
  /** Start of the unfinished slice, and its last comma between elements. */
  let start = -1;
  let comma = -1;
  let next = turn;

  const push = (end: number): void => {
    const apart = comma >= 0 && end - comma > turn;
    if (apart) slices.push({ start, end: comma, isOne: false });
    slices.push({ start: apart ? comma + 1 : start, end, isOne: apart || comma < 0 });
    comma = -1;
  };

  for (let at = 0; at < length; at++) {
    const byte = text[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === LIST || byte === OBJECT) {
      if (--brackets < 0) throw new ExcessiveJson('The text consists mostly of brackets.');
      depth += 1;
      if (isLarge && depth > MAX_DEPTH)
        throw new ExcessiveJson(`Values are nested more than ${MAX_DEPTH} levels deep.`);
      isObject[depth] = byte === OBJECT;
      room[depth] = isLarge ? (byte === OBJECT ? MAX_KEYS : maxElements) : Infinity;
      if (depth === 1) level = cutting ? (byte === OBJECT ? 2 : 1) : 0;
      else if (depth === 2 && level === 2 && byte === OBJECT) level = 3;
      if (depth === level && byte === LIST) start = at + 1;
    } else if (byte === LIST_END || byte === OBJECT_END) {
      if (depth-- === level && start >= 0) {
        push(at);
        start = -1;
      } else if (depth === 1 && level === 3) level = 2;
    } else if (byte === COMMA) {
      const left = (room[depth] ?? Infinity) - 1;
      if (left < 1) {
        throw new ExcessiveJson(
          isObject[depth] === true
            ? `An object has more than ${MAX_KEYS} keys.`
            : `A list has more than ${maxElements} elements.`,
        );
      }
      room[depth] = left;
      if (start < 0) {
        if (--atOnce < 0) throw new ExcessiveJson('Long lists are nested too deep.');
      } else if (depth === level) {
        if (at - start >= turn) {
          push(at);
          start = at + 1;
        } else comma = at;
      }
    }
    if (at < next) continue;
    next = at + turn;
    yield undefined;
  }
  return slices;
}

/** The text with each slice replaced by its number. */
function withNumbers(text: Buffer, slices: readonly Slice[]): string {
  let outline = '';
  let at = 0;
  for (const [index, { start, end }] of slices.entries()) {
    outline += text.toString('utf8', at, start) + String(index);
    at = end;
  }
  return outline + text.toString('utf8', at);
}

/** The elements of all parts. They are moved, so that they do not occupy memory twice. */
async function joined([first = [], ...others]: unknown[][]): Promise<unknown[]> {
  for (const part of others) {
    for (const element of part) first.push(element);
    part.length = 0;
    await yieldToEventLoop();
  }
  return first;
}
