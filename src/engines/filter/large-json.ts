import { setImmediate as breath } from 'node:timers/promises';

/** Below this size a text may be what it wants, and is parsed at once. */
const LARGE_BYTES = 2 ** 21;
/** An object or list takes this many bytes of text or more, on average, in every body that says something. */
const BYTES_EACH = 8;
/** What is read before others get their turn. */
const TURN_BYTES = 2 ** 20;

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const LIST_END = 0x5d;
const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

/** A JSON text that is little else than brackets. */
export class HollowJson extends Error {
  override name = 'HollowJson';
}

/**
 * Whether a JSON text is little else than brackets: to read fifty megabytes of `{},{},…` takes more than a gigabyte and
 * many seconds, in which nobody else is answered.
 */
export function isHollow(text: Uint8Array): boolean {
  const cuts = cutLists(text, Infinity);
  for (;;) {
    const { done, value } = cuts.next();
    if (done === true) return value === undefined;
  }
}

/**
 * `JSON.parse` that lets others have their turn: the lists of the outermost object are parsed in slices.
 * @param text UTF-8
 * @param turn bytes that are read at once
 * @throws SyntaxError for what is not JSON, HollowJson
 */
export async function parseLargeJson(text: Buffer, turn = TURN_BYTES): Promise<unknown> {
  if (text.length < 2 * turn) return JSON.parse(text.toString('utf8')) as unknown;
  const cuts = cutLists(text, turn);
  let step = cuts.next();
  for (; step.done !== true; step = cuts.next()) await breath();
  const slices = step.value;
  if (slices === undefined) throw new HollowJson('the text is made of brackets');
  const parts: unknown[][] = [];
  for (const { start, end } of slices) {
    const part = JSON.parse(`[${text.toString('utf8', start, end)}]`) as unknown[];
    const isWhole = text[start - 1] === LIST && text[end] !== COMMA;
    if (part.length === 0 && !isWhole) throw new SyntaxError('a comma without an element');
    parts.push(part);
    await breath();
  }
  const outline = JSON.parse(withNumbers(text, slices)) as unknown;
  return slices.length === 0 ? outline : joined(outline as Record<string, unknown>, parts);
}

/** Elements of a list, or all that stands in it; `end` is exclusive. */
interface Slice {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts every list in the outermost object at commas between its elements. What is cut wrongly, since the text is not JSON,
 * leaves parts that are not JSON either.
 * @yields after every turn
 * @returns the slices in the order of the text; undefined when it is hollow
 */
function* cutLists(text: Uint8Array, turn: number): Generator<undefined, Slice[] | undefined> {
  const slices: Slice[] = [];
  const { length } = text;
  let left = length < LARGE_BYTES ? Infinity : Math.floor(length / BYTES_EACH);
  let inString = false;
  let depth = 0;
  let inObject = false;
  /** Where the slice began that is not at its end yet. */
  let start = -1;
  let next = turn;
  for (let at = 0; at < length; at++) {
    const byte = text[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === LIST || byte === OBJECT) {
      if (--left < 0) return undefined;
      depth += 1;
      if (depth === 1) inObject = byte === OBJECT;
      else if (depth === 2 && inObject && byte === LIST) start = at + 1;
    } else if (byte === LIST_END || byte === OBJECT_END) {
      if (depth-- === 2 && start >= 0) {
        slices.push({ start, end: at });
        start = -1;
      }
    } else if (byte === COMMA && depth === 2 && start >= 0 && at - start >= turn) {
      slices.push({ start, end: at });
      start = at + 1;
    }
    if (at < next) continue;
    next = at + turn;
    yield undefined;
  }
  return slices;
}

/** The text with the number of its slice in the place of each. */
function withNumbers(text: Buffer, slices: readonly Slice[]): string {
  let outline = '';
  let at = 0;
  for (const [index, { start, end }] of slices.entries()) {
    outline += text.toString('utf8', at, start) + String(index);
    at = end;
  }
  return outline + text.toString('utf8', at);
}

/** Puts the elements of slices in the place of their numbers. */
function joined(outline: Record<string, unknown>, parts: readonly unknown[][]): unknown {
  for (const [key, numbers] of Object.entries(outline)) {
    if (!Array.isArray(numbers)) continue;
    const found = (numbers as number[]).map((number) => parts[number] ?? []);
    outline[key] = found.length === 1 ? found[0] : found.flat();
  }
  return outline;
}
