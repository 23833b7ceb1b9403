import { isExcessiveJson } from '../../json/large-json.js';
import { FormatError, type FileLocation, refuse, shown } from './format.js';
import { MAX_NESTING, TOO_DEEP, valueEnd } from './json-ends.js';
import { parseValue, refuseRepeated } from './json-values.js';
import { decodeText } from './text-pieces.js';

/** An element of a list that is a property of the root object. */
export interface ListElement {
  list: string;
  value: unknown;
  location: FileLocation;
}

/** In characters; enough for the largest mask. */
const MAX_VALUE = 64 * 2 ** 20;
/** Shorter values are parsed without a check of their content. */
const MAX_PLAIN = 2 ** 20;

/**
 * Reads JSON of the form `{"a": […], "b": […]}` element by element, whatever its length. It splits the text at the
 * commas between elements and parses each separately. (A token-based parser was measured to be 30 times slower.)
 * @param wanted names of the lists to read; others are skipped
 * @param found receives the names of the lists in the file, including empty ones
 * @throws FormatError if the text is not JSON of this form, or an object has a key twice
 */
export async function* readJsonLists(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  wanted: readonly string[],
  found: Set<string> = new Set(),
): AsyncGenerator<ListElement> {
  const text = new JsonCutter(decodeText(bytes, file), file);
  try {
    yield* listElements(text, file, wanted, found);
  } finally {
    await text.close();
  }
}

/**
 * Reads one property of the root object, which must be small. The others are skipped, whatever their length.
 * @returns undefined if there is no such property
 * @throws FormatError if the text up to the property is not JSON of this form
 */
export async function readJsonValue(bytes: AsyncIterable<Uint8Array>, file: string, wanted: string): Promise<unknown> {
  const text = new JsonCutter(decodeText(bytes, file), file);
  try {
    await text.expect('{');
    if (await text.skip('}')) return undefined;
    const keys = new Set<string>();
    do {
      const key = await text.key(keys, file);
      if (key === wanted) return await text.parse(`${file}, ${wanted}`);
      if (await text.skip('[')) for await (const _ of elementsOf('', false, text, file));
      else await text.value();
    } while (await text.skip(','));
    await text.expect('}');
    return undefined;
  } finally {
    await text.close();
  }
}

/**
 * Reads the properties of the root object one by one, whatever their number. Each must be small.
 * @throws FormatError if the text is not a JSON object
 */
export async function* readJsonEntries(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
): AsyncGenerator<{ readonly key: string; readonly value: unknown; readonly location: FileLocation }> {
  const text = new JsonCutter(decodeText(bytes, file), file);
  try {
    await text.expect('{');
    if (!(await text.skip('}'))) {
      do {
        const key = String(await text.parse(file));
        await text.expect(':');
        const location = `${file}, ${shown(key)}`;
        yield { key, value: await text.parse(location), location };
      } while (await text.skip(','));
      await text.expect('}');
    }
    await text.expectEnd();
  } finally {
    await text.close();
  }
}

/**
 * Reads JSON of the form `[{"a": […], "b": […]}, …]` in the same way.
 * @returns the elements with the index of their object; undefined marks the start of an object
 */
export async function* readJsonObjects(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  wanted: readonly string[],
): AsyncGenerator<{ readonly index: number; readonly element: ListElement | undefined }> {
  const text = new JsonCutter(decodeText(bytes, file), file);
  try {
    await text.expect('[');
    if (!(await text.skip(']'))) {
      let index = 0;
      do {
        yield { index, element: undefined };
        for await (const element of objectElements(text, `${file}[${index}]`, wanted, new Set()))
          yield { index, element };
        index++;
      } while (await text.skip(','));
      await text.expect(']');
    }
    await text.expectEnd();
  } finally {
    await text.close();
  }
}

async function* listElements(
  text: JsonCutter,
  file: string,
  wanted: readonly string[],
  found: Set<string>,
): AsyncGenerator<ListElement> {
  yield* objectElements(text, file, wanted, found);
  await text.expectEnd();
}

async function* objectElements(
  text: JsonCutter,
  file: string,
  wanted: readonly string[],
  found: Set<string>,
): AsyncGenerator<ListElement> {
  await text.expect('{');
  if (await text.skip('}')) return;
  const keys = new Set<string>();
  do {
    const list = await text.key(keys, file);
    const isWanted = wanted.includes(list);
    if (isWanted) found.add(list);
    if (await text.skip('[')) yield* elementsOf(list, isWanted, text, file);
    else if (isWanted) refuse(file, `${list} is not a list`);
    else await text.value();
  } while (await text.skip(','));
  await text.expect('}');
}

async function* elementsOf(
  list: string,
  isWanted: boolean,
  text: JsonCutter,
  file: string,
): AsyncGenerator<ListElement> {
  if (await text.skip(']')) return;
  let index = 0;
  do {
    const location = `${file}, ${list}[${index++}]`;
    if (isWanted) yield { list, value: await text.parse(location), location };
    else await text.value();
  } while (await text.skip(','));
  await text.expect(']');
}

/** Extracts values from text that arrives in pieces. */
class JsonCutter {
  private readonly pieces: AsyncIterator<string>;
  private text = '';
  private at = 0;

  constructor(
    pieces: AsyncIterable<string>,
    private readonly file: string,
  ) {
    this.pieces = pieces[Symbol.asyncIterator]();
  }

  /** Skips a character if it is the next one. */
  async skip(character: string): Promise<boolean> {
    await this.skipSpace();
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  async expect(character: string): Promise<void> {
    if (await this.skip(character)) return;
    const found = this.text[this.at];
    this.refuse(found === undefined ? 'it ends early' : `'${character}' is missing before '${found}'`);
  }

  async expectEnd(): Promise<void> {
    await this.skipSpace();
    if (this.at < this.text.length) this.refuse('there is text after its end');
  }

  async parse(location: FileLocation): Promise<unknown> {
    const text = await this.value(location);
    if (text.length > MAX_PLAIN && isExcessiveJson(Buffer.from(text)))
      refuse(location, 'this consists mostly of brackets');
    return parseValue(text, location);
  }

  /** Reads a key of an object. @param keys those that the object has had before */
  async key(keys: Set<string>, location: FileLocation): Promise<string> {
    const key = await this.parse(location);
    if (typeof key !== 'string') refuse(location, 'this is not JSON: a key is not a string');
    await this.expect(':');
    if (keys.has(key)) refuseRepeated(key, location);
    keys.add(key);
    return key;
  }

  /** @returns the text of the next value, which need not be valid JSON */
  async value(location: FileLocation = this.file): Promise<string> {
    await this.skipSpace();
    let end = valueEnd(this.text, this.at);
    // Each search for the end starts over, so the text must grow by more than one piece.
    for (let wanted = 2 ** 17; end < 0; wanted *= 2) {
      if (this.text.length - this.at > MAX_VALUE) this.refuse(`a value is longer than ${MAX_VALUE} characters`);
      if (end === TOO_DEEP) refuse(location, `this is nested more than ${MAX_NESTING} deep`);
      const ended = !(await this.load(wanted));
      end = valueEnd(this.text, this.at);
      if (ended && end === -1) this.refuse('it ends early');
    }
    const text = this.text.slice(this.at, end);
    this.at = end;
    return text;
  }

  /** Closes the file, even if it has not been read to its end. */
  async close(): Promise<void> {
    await this.pieces.return?.();
  }

  private async skipSpace(): Promise<void> {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code === 32 || code === 10 || code === 13 || code === 9) this.at++;
      else if (!Number.isNaN(code) || !(await this.load(1))) return;
    }
  }

  /** @returns false if the text ends before `wanted` characters are loaded */
  private async load(wanted: number): Promise<boolean> {
    const parts = [this.text.slice(this.at)];
    let length = this.text.length - this.at;
    while (length < wanted) {
      const next = await this.pieces.next();
      if (next.done === true) break;
      parts.push(next.value);
      length += next.value.length;
    }
    this.text = parts.join('');
    this.at = 0;
    return length >= wanted;
  }

  private refuse(fault: string): never {
    throw new FormatError(`${this.file}: this is not JSON with lists: ${fault}`);
  }
}
