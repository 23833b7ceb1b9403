/** Text that is already XML. */
export interface XmlText {
  readonly xml: string;
}

/** An element on one line, without attributes. */
export const textElement = (name: string, text: string | number): XmlText => ({
  xml: text === '' ? `<${name}></${name}>\n` : `<${name}>${escapeText(String(text))}</${name}>\n`,
});

/**
 * An element with indented children.
 * @param attributes as written by {@link attribute}
 */
export function element(name: string, attributes: string, children: readonly XmlText[]): XmlText {
  if (children.length === 0) return { xml: `<${name}${attributes}></${name}>\n` };
  return { xml: `<${name}${attributes}>\n${indent(children.map(({ xml }) => xml).join(''))}</${name}>\n` };
}

/** An element with attributes whose text is on the same line as its tags. */
export const labelledText = (name: string, attributes: string, text: string): XmlText => ({
  xml: `<${name}${attributes}>${escapeText(text)}</${name}>\n`,
});

/** Starts with a space, so that the attributes of an element can be concatenated. */
export const attribute = (name: string, value: string | number): string =>
  ` ${name}="${typeof value === 'number' ? value : escapeAttribute(value)}"`;

const INDENT = '  ';

/**
 * Indents every line that begins with a tag. Continuation lines of a text begin with something else and stay unchanged.
 * Only a line feed ends a line: the flag `m` would treat U+2028 in a text as a line end.
 */
export const indent = (xml: string): string => xml.replaceAll(/(?<=^|\n)(?= *<)/g, INDENT);

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
