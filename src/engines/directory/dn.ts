/** A distinguished name (RFC 4514), most specific part first. Each part is in one form for all spellings of it. */
export type Dn = readonly string[];

/** Other names of attribute types (RFC 4519), and their object identifiers. */
const TYPES: Readonly<Record<string, string>> = {
  commonname: 'cn',
  '2.5.4.3': 'cn',
  surname: 'sn',
  '2.5.4.4': 'sn',
  countryname: 'c',
  '2.5.4.6': 'c',
  localityname: 'l',
  '2.5.4.7': 'l',
  stateorprovincename: 'st',
  '2.5.4.8': 'st',
  streetaddress: 'street',
  '2.5.4.9': 'street',
  organizationname: 'o',
  '2.5.4.10': 'o',
  organizationalunitname: 'ou',
  '2.5.4.11': 'ou',
  domaincomponent: 'dc',
  '0.9.2342.19200300.100.1.25': 'dc',
  userid: 'uid',
  '0.9.2342.19200300.100.1.1': 'uid',
};

/** A type with its equals sign. The prefix `oid.` is of RFC 1779. */
const TYPE = / *(?:oid\.)?([a-z][a-z\d-]*|\d+(?:\.\d+)+) *= */iy;
/** A value as the bytes of its encoding. */
const HEX = /#((?:[\da-f]{2})+) *(?=[,+]|$)/iy;
/** A character of a value: escaped bytes, an escaped character, or any character that needs no escape. */
const CHARACTER = /\\([\da-f]{2})|\\([ "#+,;<=>\\])|([^"+,;<>\\\0])/iuy;

/** Whether a text is meant as a distinguished name: it starts with an attribute type. */
export const looksLikeDn = (text: string): boolean => new RegExp(TYPE.source, 'i').exec(text)?.index === 0;

/** @returns null for a text that is no distinguished name, or the empty one */
export function parseDn(text: string): Dn | null {
  const parts: string[] = [];
  let values: string[] = [];
  let at = 0;
  for (;;) {
    const type = matchAt(TYPE, text, at);
    if (type === null) return null;
    const value = readValue(text, at + type[0].length);
    if (value === null) return null;
    const name = (type[1] ?? '').toLowerCase();
    values.push(`${TYPES[name] ?? name}=${value.text}`);
    at = value.end;
    if (text[at] !== '+') {
      parts.push(values.toSorted().join('+')); // the order of several values has no meaning
      values = [];
    }
    if (at === text.length) return parts;
    at += 1;
  }
}

export const sameDn = (a: Dn, b: Dn): boolean => a.length === b.length && isBelow(a, b);

/** Whether the entry is below another one, or the same. */
export const isBelow = (dn: Dn, base: Dn): boolean =>
  dn.length >= base.length && base.every((part, index) => part === dn[dn.length - base.length + index]);

interface Value {
  /** Contains no comma and no plus sign. */
  readonly text: string;
  /** The position of the separator, or of the end. */
  readonly end: number;
}

function readValue(text: string, start: number): Value | null {
  const encoded = matchAt(HEX, text, start);
  if (encoded !== null) {
    const content = stringIn(encoded[1] ?? '');
    return {
      text: content === null ? encoded[0].trim().toLowerCase() : formOf([content]),
      end: start + encoded[0].length,
    };
  }
  if (text[start] === '#') return null;
  const bytes: Buffer[] = [];
  let end = start;
  let spaces = 0; // at the end, without a backslash: they are not part of the value
  for (;;) {
    const found = matchAt(CHARACTER, text, end);
    if (found === null) break;
    const [whole, hex, escaped, plain] = found;
    bytes.push(hex === undefined ? Buffer.from(escaped ?? plain ?? '') : Buffer.from(hex, 'hex'));
    spaces = plain === ' ' ? spaces + 1 : 0;
    end += whole.length;
  }
  const isComplete = end === text.length || text[end] === ',' || text[end] === '+';
  return isComplete ? { text: formOf(bytes.slice(0, bytes.length - spaces)), end } : null;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** OCTET STRING, UTF8String, PrintableString and IA5String. */
const STRING_TAGS = new Set([0x04, 0x0c, 0x13, 0x16]);

/** @returns null for anything else than a short string in BER */
function stringIn(hex: string): Buffer | null {
  const bytes = Buffer.from(hex, 'hex');
  const [tag = 0, length = 0] = bytes;
  return STRING_TAGS.has(tag) && length < 0x80 && bytes.length === length + 2 ? bytes.subarray(2) : null;
}

/** Directories ignore letter case and the number of spaces between words. */
function formOf(bytes: readonly Buffer[]): string {
  const value = Buffer.concat(bytes);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return `\\${value.toString('hex')}`;
  }
  return encodeURIComponent(lowerCase(composed(text)).replaceAll(/ +/g, ' '));
}

/** A letter with its accents as one character. Look-alikes stay: the Kelvin sign is no K for every directory. */
const composed = (text: string): string => text.replaceAll(/\P{M}\p{M}+/gu, (letter) => letter.normalize('NFC'));

/** Letters that share their small letter with another one stay as well. */
const lowerCase = (text: string): string =>
  text.replaceAll(/\p{Lu}/gu, (letter) => {
    const small = letter.toLowerCase();
    return small.toUpperCase() === letter ? small : letter;
  });
