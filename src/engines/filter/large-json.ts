import { setImmediate as breath } from 'node:timers/promises';

/** Smaller texts are parsed at once without checks. */
const LARGE_BYTES = 2 ** 21;
/** Minimum average number of bytes per object or list in any meaningful body. */
const BYTES_EACH = 8;
/** Bytes to read before other requests get a turn. */
const TURN_BYTES = 2 ** 20;
/** Per object. A million keys take a second to read, whatever their values. */
const MAX_KEYS = 100_000;
/** Per list. Ten million numbers take 80 MB of memory. */
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
export function isHollow(text: Uint8Array): boolean {
  const cuts = cutLists(text, Infinity);
  try {
    for (;;) if (cuts.next().done === true) return false;
  } catch (error) {
    if (error instanceof ExcessiveJson) return true;
    throw error;
  }
}

/**
 * A `JSON.parse` that yields to other requests: it parses the lists of the outermost object in slices, and also those
 * of a long element in them.
 * @param text UTF-8
 * @param turn number of bytes to read at once
 * @throws SyntaxError for invalid JSON, ExcessiveJson
 */
export async function parseLargeJson(text: Buffer, turn = TURN_BYTES, nesting = 0): Promise<unknown> {
  if (text.length < 2 * turn) return JSON.parse(text.toString('utf8')) as unknown;
  const cuts = cutLists(text, turn, nesting < MAX_NESTING);
  let step = cuts.next();
  for (; step.done !== true; step = cuts.next()) await breath();
  const slices = step.value;
  const parts: unknown[][] = [];
  for (const slice of slices) {
    parts.push(await parseSlice(text, slice, turn, nesting));
    await breath();
  }
  const outline = JSON.parse(withNumbers(text, slices)) as unknown;
  if (slices.length === 0) return outline;
  if (Array.isArray(outline)) return joined(outline as number[], parts);
  const object = outline as Record<string, unknown>;
  for (const [key, numbers] of Object.entries(object))
    if (Array.isArray(numbers)) object[key] = await joined(numbers as number[], parts);
  return object;
}

async function parseSlice(text: Buffer, slice: Slice, turn: number, nesting: number): Promise<unknown[]> {
  const { start, end, isOne } = slice;
  if (isOne && end - start >= 2 * turn && /^\s*[[{]/.test(text.toString('latin1', start, start + 100)))
    return [await parseLargeJson(text.subarray(start, end), turn, nesting + 1)];
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
 * Cuts the outermost list, or every list in the outermost object, at commas between elements. A long element becomes a
 * slice of its own. Invalid JSON may be cut in the wrong places, but then the parts are not valid JSON either.
 * @param cutting false: nothing is cut
 * @yields after every turn
 * @returns the slices in the order of the text
 * @throws ExcessiveJson
 */
function* cutLists(text: Uint8Array, turn: number, cutting = true): Generator<undefined, Slice[]> {
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
      if (--brackets < 0) throw new ExcessiveJson('The text is made of brackets.');
      depth += 1;
      if (isLarge && depth > MAX_DEPTH)
        throw new ExcessiveJson(`Values are nested more than ${MAX_DEPTH} levels deep.`);
      isObject[depth] = byte === OBJECT;
      room[depth] = isLarge ? (byte === OBJECT ? MAX_KEYS : MAX_ELEMENTS) : Infinity;
      if (depth === 1) level = cutting ? (byte === OBJECT ? 2 : 1) : 0;
      if (depth === level && byte === LIST) start = at + 1;
    } else if (byte === LIST_END || byte === OBJECT_END) {
      if (depth-- === level && start >= 0) {
        push(at);
        start = -1;
      }
    } else if (byte === COMMA) {
      const left = (room[depth] ?? Infinity) - 1;
      if (left < 1) {
        throw new ExcessiveJson(
          isObject[depth] === true
            ? `An object has more than ${MAX_KEYS} keys.`
            : `A list has more than ${MAX_ELEMENTS} elements.`,
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

/** The elements of slices by their numbers. They are moved, so that they do not occupy memory twice. */
async function joined(numbers: readonly number[], parts: unknown[][]): Promise<unknown[]> {
  const [first = 0, ...others] = numbers;
  const list = parts[first] ?? [];
  for (const number of others) {
    for (const element of parts[number] ?? []) list.push(element);
    parts[number] = [];
    await breath();
  }
  return list;
}
