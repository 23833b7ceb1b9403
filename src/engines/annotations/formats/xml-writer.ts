/** Text that is XML already. */
export interface XmlText {
  readonly xml: string;
}

/** An element on one line, without attributes. */
export const textElement = (name: string, text: string | number): XmlText => ({
  xml: text === '' ? `<${name}></${name}>\n` : `<${name}>${escapeText(String(text))}</${name}>\n`,
});

/**
 * An element with what it contains, indented.
 * @param attributes as {@link attribute} writes them
 */
export function element(name: string, attributes: string, children: readonly XmlText[]): XmlText {
  if (children.length === 0) return { xml: `<${name}${attributes}></${name}>\n` };
  return { xml: `<${name}${attributes}>\n${indent(children.map(({ xml }) => xml).join(''))}</${name}>\n` };
}

/** An element whose text stands between its tags. */
export const labelledText = (name: string, attributes: string, text: string): XmlText => ({
  xml: `<${name}${attributes}>${escapeText(text)}</${name}>\n`,
});

/** A blank and the attribute, so that attributes of an element are simply joined. */
export const attribute = (name: string, value: string | number): string =>
  ` ${name}="${typeof value === 'number' ? value : escapeAttribute(value)}"`;

const INDENT = '  ';

/**
 * Indents every line that begins with a tag. Further lines of a text begin with something else, and stay as they are.
 * Only a line feed ends a line: the flag `m` would take U+2028 in a text for another end.
 */
export const indent = (xml: string): string => xml.replaceAll(/(?<=^|\n)(?= *<)/g, INDENT);

/** Most texts need no escape. */
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

/** The last line feed is escaped where only blanks follow, so that the closing tag does not begin a line. */
function escapeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return legal(text).replaceAll(/[&<>\r]|\n(?= *$)/g, (character) => ESCAPES[character] ?? character);
}

function escapeAttribute(text: string): string {
  if (PLAIN.test(text)) return text;
  return legal(text).replaceAll(/[&<>"\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}

/** Characters that XML cannot have, not even escaped, become the sign for a lost character. */
// oxlint-disable-next-line no-control-regex
const ILLEGAL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;

const legal = (text: string): string => text.replaceAll(ILLEGAL, '\uFFFD');
