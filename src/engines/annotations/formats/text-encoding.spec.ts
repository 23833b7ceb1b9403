import { describe, expect, it } from '@jest/globals';
import { decodeText, decodeXml } from './text-pieces.js';

const bytesOf = (...parts: (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

/** Reads a text in pieces of each size from 1 byte on, which must all give the same. */
async function decoded(bytes: Buffer, decode: typeof decodeText = decodeText): Promise<string> {
  const texts = new Set<string>();
  for (const size of [1, 3, 50, bytes.length + 1]) {
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    let text = '';
    for await (const piece of decode(pieces(), 'a.xml')) text += piece;
    texts.add(text);
  }
  expect(texts.size).toBe(1);
  return [...texts][0] ?? '';
}

const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const xml = (encoding: string, text: readonly number[]): Buffer =>
  bytesOf(`<?xml version="1.0" encoding="${encoding}"?><name>`, text, '</name>');
const nameIn = async (bytes: Buffer): Promise<string> => />([^<>]*)<\/name>/.exec(await decoded(bytes, decodeXml))?.[1] ?? ''; // prettier-ignore

describe('decodeText', () => {
  it.each([
    ['UTF-8', Buffer.from('é図')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffé図')],
    ['UTF-16 with a byte order mark', Buffer.from('\ufeffé図', 'utf16le')],
    ['big-endian UTF-16 with a byte order mark', swapped('\ufeffé図')],
  ])('reads %s', async (_, bytes) => {
    expect(await decoded(bytes)).toBe('é図');
  });

  it.each([
    ['little-endian', Buffer.from('a;é図', 'utf16le')],
    ['big-endian', swapped('a;é図')],
  ])('reads %s UTF-16 without a byte order mark', async (_, bytes) => {
    expect(await decoded(bytes)).toBe('a;é図');
  });

  it.each(['', 'a', 'ab', '\ufeff'])('reads the short text %j', async (text) => {
    expect(await decoded(Buffer.from(text))).toBe(text.replace('\ufeff', ''));
  });

  it.each([
    ['bytes that are not UTF-8', Buffer.from([0x61, 0xff]), 'a.xml: the text is not UTF-8'],
    ['UTF-32', Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]), 'a.xml: the encoding utf-32 is not known'],
    ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x61]), 'a.xml: the text is not UTF-16LE'],
  ])('rejects %s', async (_, bytes, message) => {
    await expect(decoded(bytes)).rejects.toThrow(message);
  });
});

describe('decodeXml', () => {
  it.each([
    ['GB2312', [0xcd, 0xbc], '图'],
    ['GBK', [0x87, 0xe5], '囧'],
    ['gb18030', [0xcd, 0xbc], '图'],
    ['cp936', [0xcd, 0xbc], '图'],
    ['Shift_JIS', [0x90, 0x7d], '図'],
    ['EUC-JP', [0xbf, 0xde], '図'],
    ['EUC-KR', [0xb1, 0xd7], '그'],
    ['Big5', [0xb9, 0xcf], '圖'],
    ['ISO-8859-1', [0xe9], 'é'],
    ['iso-8859-15', [0xa4], '€'],
    ['windows-1252', [0x80, 0xe9], '€é'],
    ['windows-1251', [0xe9], 'й'],
    ['KOI8-R', [0xca], 'й'],
  ])('reads the declared encoding %s', async (encoding, bytes, text) => {
    expect(await nameIn(xml(encoding, bytes))).toBe(text);
  });

  it('reads UTF-16, which declares itself in itself', async () => {
    const text = '<?xml version="1.0" encoding="UTF-16"?><name>図</name>';
    expect(await decoded(swapped(`\ufeff${text}`), decodeXml)).toBe(text);
  });

  it('prefers a byte order mark to a declaration that was not changed with the encoding', async () => {
    const text = '<?xml version="1.0" encoding="GBK"?><name>é</name>';
    expect(await decoded(Buffer.from(`\ufeff${text}`), decodeXml)).toBe(text);
  });

  it.each(['UTF-16', 'us-ascii', 'utf-8'])('reads UTF-8 that declares %s', async (encoding) => {
    expect(await nameIn(xml(encoding, [...Buffer.from('é')]))).toBe('é');
  });

  it('reads control characters and those for private use in UTF-8', async () => {
    expect(await nameIn(xml('UTF-8', [...Buffer.from('\u0080\uf8ff')]))).toBe('\u0080\uf8ff');
  });

  it('ignores what looks like a declaration elsewhere', async () => {
    expect(await nameIn(bytesOf('<a encoding="GBK"><name>', [...Buffer.from('é')], '</name></a>'))).toBe('é');
  });

  it.each([
    ['bytes of another encoding', xml('GB2312', [0xff]), 'a.xml: the text is not in GB2312, which it declares as its encoding'],
    ['an unknown encoding', xml('x-none', []), 'a.xml: the encoding x-none is not known; save the file as UTF-8'],
    ['bytes that are not UTF-8 without a declaration', bytesOf('<name>', [0xe9]), 'a.xml: the text is not UTF-8'],
  ])('rejects %s', async (_, bytes, message) => {
    await expect(decoded(bytes, decodeXml)).rejects.toThrow(message);
  }); // prettier-ignore
});
