import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { FormatError, type FileLocation, refuse } from './format.js';
import { decodeXml } from './text-pieces.js';

/** XML whose first tag, and every other tag that begins a line, follows the given indentation. */
export type XmlText = (indentation?: string) => string;

/** An element on one line, without attributes. */
export const textElement = (name: string, text: string | number): XmlText => labelledText(name, '', String(text));

/** An element with attributes whose text is on the same line as its tags. */
export const labelledText =
  (name: string, attributes: string, text: string): XmlText =>
  (indentation = '') =>
    `${indentation}<${name}${attributes}>${escapeText(text)}</${name}>\n`;

/**
 * An element with indented children.
 * @param attributes as written by {@link attribute}
 */
export const element =
  (name: string, attributes: string, children: readonly XmlText[]): XmlText =>
  (indentation = '') =>
    children.length === 0
      ? `${indentation}<${name}${attributes}></${name}>\n`
      : `${indentation}<${name}${attributes}>\n${xmlOf(children, indentation + INDENT)}${indentation}</${name}>\n`;

/** One after the other. */
export function xmlOf(parts: readonly XmlText[], indentation = ''): string {
  let xml = '';
  for (const part of parts) xml += part(indentation);
  return xml;
}

/** Starts with a space, so that the attributes of an element can be concatenated. */
export const attribute = (name: string, value: string | number): string =>
  ` ${name}="${typeof value === 'number' ? value : escapeAttribute(value)}"`;

/** A document whose root has many children, encoded one by one: as text, those of an image can take 200 MB. */
export function longDocument(root: string, children: Iterable<XmlText>): Buffer {
  const pieces = [Buffer.from(`<${root}>\n`)];
  for (const child of children) pieces.push(Buffer.from(child(INDENT)));
  pieces.push(Buffer.from(`</${root}>\n`));
  return Buffer.concat(pieces);
}

/** The indentation of the children of the root. */
export const INDENT = '  ';

/** Most texts need no escaping. */
const PLAIN = /^[ !#-%'-;=?-\uD7FF]*$/;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

/** Escapes the last line feed if only spaces follow, so that the closing tag does not begin a line. */
function escapeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return legal(text).replaceAll(/[&<>\r]|\n(?= *$)/g, (character) => ESCAPES[character] ?? character);
}

function escapeAttribute(text: string): string {
  if (PLAIN.test(text)) return text;
  return legal(text).replaceAll(/[&<>"\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}

/** Replaces characters that XML does not allow, even escaped, with U+FFFD. */
// oxlint-disable-next-line no-control-regex
const ILLEGAL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;

const legal = (text: string): string => text.replaceAll(ILLEGAL, '\uFFFD');

/** The name of the first element at the beginning of a document; undefined if there is none. */
export function rootIn(text: string): string | undefined {
  // One expression for all of it would take exponential time.
  let at = 0;
  for (let next = 0; next !== -1; next = endOf(BEFORE_ROOT, text, at)) at = next;
  return /^\s*<([\w:.-]+)/.exec(text.slice(at))?.[1];
}

/** An instruction, a comment or the document type. */
const BEFORE_ROOT = /\s*(?:<\?[^]*?\?>|<!--[^]*?-->|<!DOCTYPE[^>]*>)/iy;

/** @param sticky begins to match at this position @returns the end of the match, or -1 */
function endOf(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : -1;
}

export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  text: string;
  location: FileLocation;
}

/**
 * Elements above depth `wholeAt` are reported as open and close events, elements at this depth with all their content.
 */
export type XmlEvent =
  | { kind: 'open'; element: XmlElement }
  | { kind: 'close'; name: string; location: FileLocation }
  | { kind: 'whole'; element: XmlElement };

interface XmlOptions {
  /** The root has depth 1. */
  wholeAt: number;
  /** Name of elements to skip with all their content. */
  skip: string;
  /** The name of the document type that may be declared, without anything else in the declaration. */
  doctype?: string;
  /** How many descendants a complete element can have. */
  mostElements?: number;
}

/** Limit of one tag or text, in characters: enough for the largest mask, while it bounds memory. */
const MAX_TOKEN = 32 * 2 ** 20;
const MAX_DEPTH = 32;
/** Limit of the descendants of one complete element. */
const MAX_ELEMENTS = 20_000;

/**
 * Reads XML event by event. Only the five entities of XML itself are supported: a document type declaration is
 * rejected unless it consists of the expected name, so nothing can be expanded or fetched.
 * @yields the events of one piece of the file
 * @throws FormatError if the text is not XML or exceeds a limit
 */
export async function* readXml(
  bytes: AsyncIterable<Uint8Array>,
  file: string,
  options: XmlOptions,
): AsyncGenerator<XmlEvent[]> {
  const assembly = new XmlAssembly(file, options);
  for await (const text of decodeXml(bytes, file)) {
    assembly.write(text);
    yield assembly.take();
  }
  assembly.close();
  yield assembly.take();
}

class XmlAssembly {
  private readonly parser = new SaxesParser({ position: false, xmlns: false } as const);
  /** Open elements above `wholeAt`. */
  private depth = 0;
  /** Open elements within the element that is being collected. */
  private readonly open: XmlElement[] = [];
  private elements = 0;
  /** Depth of the element that is being skipped. */
  private skipping = Infinity;
  private events: XmlEvent[] = [];
  private sinceToken = 0;

  constructor(
    private readonly file: string,
    private readonly options: XmlOptions,
  ) {
    this.parser.on('error', (error) => this.fail(`this is not well-formed XML (${error.message.replace(/\.$/, '')})`));
    this.parser.on('doctype', (text) => {
      if (text.trim() !== options.doctype) this.fail('document type declarations are not accepted');
    });
    this.parser.on('opentag', (tag) => this.onOpen(tag));
    this.parser.on('closetag', (tag) => this.onClose(tag.name));
    this.parser.on('text', (text) => this.onText(text));
    this.parser.on('cdata', (text) => this.onText(text));
  }

  write(text: string): void {
    this.sinceToken += text.length;
    this.guard(() => this.parser.write(text));
    if (this.sinceToken > MAX_TOKEN) this.fail(`a tag or text is longer than ${MAX_TOKEN} characters`);
  }

  close(): void {
    this.guard(() => this.parser.close());
  }

  take(): XmlEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }

  private guard(parse: () => void): void {
    try {
      parse();
    } catch (error) {
      if (error instanceof FormatError) throw error;
      refuse(this.location(), 'this is not well-formed XML', error);
    }
  }

  private onOpen(tag: SaxesTagPlain): void {
    this.sinceToken = 0;
    this.depth++;
    if (this.depth > MAX_DEPTH) this.fail(`elements are nested more than ${MAX_DEPTH} deep`);
    if (this.depth > this.skipping) return;
    if (tag.name === this.options.skip) {
      this.skipping = this.depth;
      return;
    }
    const { name, attributes } = tag;
    const element: XmlElement = { name, attributes, children: [], text: '', location: this.location() };
    if (this.depth < this.options.wholeAt) {
      this.events.push({ kind: 'open', element });
      return;
    }
    const { mostElements = MAX_ELEMENTS } = this.options;
    if (++this.elements > mostElements) this.fail(`an element contains more than ${mostElements} others`);
    this.open.at(-1)?.children.push(element);
    this.open.push(element);
  }

  private onClose(name: string): void {
    this.sinceToken = 0;
    const depth = this.depth--;
    if (depth > this.skipping) return;
    if (depth === this.skipping) {
      this.skipping = Infinity;
      return;
    }
    const element = this.open.pop();
    if (element === undefined) this.events.push({ kind: 'close', name, location: this.location() });
    else if (this.open.length === 0) {
      this.events.push({ kind: 'whole', element });
      this.elements = 0;
    }
  }

  private onText(text: string): void {
    this.sinceToken = 0;
    const element = this.open.at(-1);
    if (element !== undefined && this.depth < this.skipping) element.text += text;
  }

  private location(): FileLocation {
    return `${this.file}, line ${this.parser.line}`;
  }

  private fail(fault: string): never {
    return refuse(this.location(), fault);
  }
}

/** The first child of this name. */
export const childNamed = ({ children }: XmlElement, name: string): XmlElement | undefined =>
  children.find((child) => child.name === name);

/** The text of the first child of this name without spaces around it; empty if there is none. */
export const textIn = (parent: XmlElement, name: string): string => childNamed(parent, name)?.text.trim() ?? '';
