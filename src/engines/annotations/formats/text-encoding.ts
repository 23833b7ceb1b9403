import { refuse } from './format.js';

/** Names of encodings that programs write, but that TextDecoder does not know. ASCII is a part of UTF-8. */
const ALIASES: Readonly<Record<string, string>> = {
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  cp65001: 'utf-8',
  cp932: 'shift_jis',
  cp936: 'gbk',
  ms936: 'gbk',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  cp950: 'big5',
};

const UTF16 = /^utf-16/;

/** An XML declaration is read up to this length, in bytes. */
const DECLARATION_BYTES = 1024;
const DECLARED = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*(["'])([^"'<>]*)\1/;

/** Byte order marks, and the first bytes of text in UTF-16 that lacks one: its first character is of ASCII. */
const MARKS: readonly (readonly [encoding: string, fits: (head: Uint8Array) => boolean])[] = [
  ['utf-32', ([a, b, c, d]) => a === 0xff && b === 0xfe && c === 0 && d === 0],
  ['utf-32', ([a, b, c, d]) => a === 0 && b === 0 && c === 0xfe && d === 0xff],
  ['utf-8', ([a, b, c]) => a === 0xef && b === 0xbb && c === 0xbf],
  ['utf-16le', ([a, b]) => a === 0xff && b === 0xfe],
  ['utf-16be', ([a, b]) => a === 0xfe && b === 0xff],
  ['utf-16le', ([a = 0, b, c = 0, d]) => a !== 0 && b === 0 && c !== 0 && d === 0],
  ['utf-16be', ([a, b = 0, c, d = 0]) => a === 0 && b !== 0 && c === 0 && d !== 0],
];

/** The number of bytes from which {@link openDecoder} finds the encoding. */
export const headBytes = (isXml: boolean): number => (isXml ? DECLARATION_BYTES : 4);

/** Decodes the bytes of a file piece by piece. @throws FormatError for bytes that are not of the encoding */
export type Decode = (bytes?: Uint8Array) => string;

/**
 * Finds the encoding of a text: a byte order mark takes precedence over what XML declares, and UTF-8 is the default.
 * @param head the first bytes of the file
 * @throws FormatError for an unknown encoding
 */
export function openDecoder(head: Uint8Array, file: string, isXml: boolean): Decode {
  const marked = MARKS.find(([, fits]) => fits(head))?.[0];
  const declared = marked === undefined && isXml ? declaredEncoding(head) : undefined;
  const encoding = marked ?? declared ?? 'utf-8';
  const { decode, name } = decoderOf(encoding, file);
  const isOlder = name !== 'utf-8' && !UTF16.test(name);
  const fault =
    declared === undefined
      ? `the text is not ${encoding.toUpperCase()}`
      : `the text is not in ${declared}, which it declares as its encoding`;
  return (bytes) => {
    let text: string;
    try {
      text = decode(bytes);
    } catch (error) {
      return refuse(file, fault, error);
    }
    return isOlder && STRAY.test(text) ? refuse(file, fault) : text;
  };
}

/** What older encodings have for bytes that stand for no character. */
const STRAY = /[\u0080-\u009f\uf8c0-\uf8ff]/;

/** Bytes that can be read as ASCII are not UTF-16, whatever they declare: programs convert files without changing it. */
function declaredEncoding(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  const encoding = DECLARED.exec(text)?.[2]?.trim();
  return encoding === undefined || UTF16.test(encoding.toLowerCase()) ? undefined : encoding;
}

function decoderOf(encoding: string, file: string): { readonly decode: Decode; readonly name: string } {
  try {
    const decoder = new TextDecoder(ALIASES[encoding.toLowerCase()] ?? encoding, { fatal: true });
    return {
      decode: (bytes) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })),
      name: decoder.encoding,
    };
  } catch (error) {
    return refuse(file, `the encoding ${encoding} is not known; save the file as UTF-8`, error);
  }
}
