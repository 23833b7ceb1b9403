export type XmlAttributes = Readonly<Record<string, string | number | undefined>>;

/** Text that is XML already. */
export interface XmlText {
  readonly xml: string;
}

/** An element on one line, without attributes. */
export const textElement = (name: string, text: string | number): XmlText => ({
  xml: text === '' ? `<${name}></${name}>\n` : `<${name}>${escapeText(String(text))}</${name}>\n`,
});

/** An element with what it contains, indented; attributes that are undefined are left out. */
export function element(name: string, attributes: XmlAttributes, children: readonly XmlText[]): XmlText {
  if (children.length === 0) return { xml: `${openTag(name, attributes)}</${name}>\n` };
  return { xml: `${openTag(name, attributes)}\n${indented(children)}</${name}>\n` };
}

/** An element whose text stands between its tags. */
export const labelledText = (name: string, attributes: XmlAttributes, text: string): XmlText => ({
  xml: `${openTag(name, attributes)}${escapeText(text)}</${name}>\n`,
});

export function openTag(name: string, attributes: XmlAttributes): string {
  let text = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) text += ` ${key}="${typeof value === 'number' ? value : escapeAttribute(value)}"`;
  }
  return `${text}>`;
}

const INDENT = '  ';

const indented = (children: readonly XmlText[]): string => children.map(({ xml }) => indent(xml)).join('');

/** Indents every line that begins with a tag. Further lines of a text begin with something else, and stay as they are. */
export const indent = (xml: string): string => xml.replaceAll(/^(?= *<)/gm, INDENT);

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

/** The last line feed is escaped where only blanks follow, so that the closing tag does not begin a line. */
function escapeText(text: string): string {
  return legal(text).replaceAll(/[&<>\r]|\n(?= *$)/g, (character) => ESCAPES[character] ?? character);
}

function escapeAttribute(text: string): string {
  return legal(text).replaceAll(/[&<>"\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}

/** Characters that XML cannot have, not even escaped, become the sign for a lost character. */
// oxlint-disable-next-line no-control-regex
const ILLEGAL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;
const SUSPICIOUS = /[^\t\n\r -\uD7FF]/;

function legal(text: string): string {
  return SUSPICIOUS.test(text) ? text.replaceAll(ILLEGAL, '\uFFFD') : text;
}
