import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { decoderOf, isOfDecoding } from './content-encoding.js';
import { codeOf } from './failure.js';

const text = 'text '.repeat(1000);

async function decoded(header: string | undefined, body: Buffer, size = 100): Promise<string> {
  const decode = decoderOf(header);
  if (typeof decode === 'string') return `unknown: ${decode}`;
  const pieces = async function* () {
    for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
  };
  let found = '';
  for await (const piece of decode(pieces())) found += piece.toString();
  return found;
}

describe('decoderOf', () => {
  it.each([
    [undefined, Buffer.from(text)],
    ['identity', Buffer.from(text)],
    ['aws-chunked', Buffer.from(text)],
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['br, gzip', gzipSync(brotliCompressSync(text))],
    ['gzip', Buffer.concat([gzipSync(text.slice(0, 500)), gzipSync(text.slice(500))])],
  ])('decodes %s', async (header, body) => {
    expect(await decoded(header, body)).toBe(text);
  });

  it('decodes an empty body', async () => {
    expect(await decoded('gzip', Buffer.alloc(0))).toBe('');
  });

  it.each(['zstd', 'compress', '__proto__'])('names the unknown coding %s', async (coding) => {
    expect(await decoded(`gzip, ${coding}`, Buffer.alloc(0))).toBe(`unknown: ${coding}`);
  });

  it.each([
    ['gzip', Buffer.from(text)],
    ['gzip', gzipSync(text).subarray(0, -10)],
    ['deflate', Buffer.from(text)],
    ['br', Buffer.from(text)],
  ])('fails with an error of decoding for a body that is not %s', async (header, body) => {
    const error: unknown = await decoded(header, body).catch((failure: unknown) => failure);
    expect(isOfDecoding(codeOf(error))).toBe(true);
  });

  it('passes on an error of the body', async () => {
    const decode = decoderOf('gzip');
    const failing = async function* () {
      yield gzipSync(text).subarray(0, 20);
      throw new Error('cut off');
    };
    const read = async () => {
      if (typeof decode !== 'string') for await (const _ of decode(failing())) continue;
    };
    await expect(read()).rejects.toThrow('cut off');
  });
});
