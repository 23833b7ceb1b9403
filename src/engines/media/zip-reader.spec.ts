import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ZipFile } from 'yazl';
import { storedZip } from './stored-zip.js';
import { entryName, openZip } from './zip-reader.js';

let work: string;
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'zip-reader-'));
});
afterEach(() => rm(work, { recursive: true, force: true }));

const zipOf = (...names: string[]) => storedZip(names.map((name) => ({ name, data: Buffer.from(`text of ${name}`) })));

async function zip64(): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('text of a.txt'), 'a.txt', { forceZip64Format: true });
  zip.end({ forceZip64Format: true, comment: '' });
  return buffer(zip.outputStream);
}

/** The files of an archive with their content; undefined if it is none. */
async function contentOf(bytes: Buffer): Promise<Record<string, string> | undefined> {
  const path = join(work, 'a.zip');
  await writeFile(path, bytes);
  const zip = await openZip(path);
  if (zip === undefined) return undefined;
  const files: Record<string, string> = {};
  for await (const entry of zip.eachEntry()) {
    files[entryName(entry)] = (await buffer(await zip.openReadStreamPromise(entry))).toString();
  }
  zip.close();
  return files;
}

/** Replaces the comment of an archive that has none. */
function commented(zip: Buffer, comment: Buffer, statedLength = comment.length): Buffer {
  const copy = Buffer.concat([zip, comment]);
  copy.writeUInt16LE(statedLength, zip.length - 2);
  return copy;
}

const A = { 'a.txt': 'text of a.txt' };

describe('openZip', () => {
  it.each([
    ['zeros after the archive', async () => Buffer.concat([zipOf('a.txt'), Buffer.alloc(100)])],
    ['half a megabyte after the archive', async () => Buffer.concat([zipOf('a.txt'), Buffer.alloc(500_000, 'x')])],
    ['a program before the archive', async () => Buffer.concat([Buffer.alloc(70_000, '#!'), zipOf('a.txt')])],
    ['bytes on both sides', async () => Buffer.concat([Buffer.alloc(9), zipOf('a.txt'), Buffer.from('\r\n')])],
    ['the longest comment', async () => commented(zipOf('a.txt'), Buffer.alloc(65_535, 'c'))],
    ['a comment that was cut off', async () => commented(zipOf('a.txt'), Buffer.from('half'), 8)],
    ['an end record in its comment', async () => commented(zipOf('a.txt'), zipOf('b.txt').subarray(-22))],
    ['a ZIP64 end record', zip64],
    ['a program before a ZIP64 archive', async () => Buffer.concat([Buffer.alloc(5000), await zip64()])],
    ['bytes after a ZIP64 archive', async () => Buffer.concat([await zip64(), Buffer.alloc(5000)])],
  ])('reads an archive with %s', async (_, bytes) => {
    expect(await contentOf(await bytes())).toEqual(A);
  });

  it('reads an empty archive', async () => {
    expect(await contentOf(zipOf())).toEqual({});
  });

  it('reads more than 65,535 entries without ZIP64, which the end record cannot count', async () => {
    const one = zipOf('a.txt');
    const start = one.indexOf('PK\x01\x02', 0, 'latin1');
    const entry = one.subarray(start, -22);
    const directory = Buffer.alloc(entry.length * 65_538, entry);
    const end = one.subarray(-22);
    end.writeUInt16LE(2, 8);
    end.writeUInt16LE(2, 10);
    end.writeUInt32LE(directory.length, 12);
    const path = join(work, 'a.zip');
    await writeFile(path, Buffer.concat([one.subarray(0, start), directory, end]));
    const zip = await openZip(path);
    expect(zip?.entryCount).toBe(65_538);
    zip?.close();
  });

  it.each([
    ['a text', Buffer.from('no zip at all')],
    ['nothing', Buffer.alloc(0)],
    ['an archive without its end', zipOf('a.txt').subarray(0, -30)],
    ['an archive without its beginning', zipOf('a.txt').subarray(10)],
    ['a text with the mark of an end record', Buffer.from(`PK\x05\x06${'x'.repeat(40)}`)],
  ])('does not take %s for an archive', async (_, bytes) => {
    expect(await contentOf(bytes)).toBeUndefined();
  });
});

describe('entryName', () => {
  /** Replaces the name `??` by bytes, without the flag for UTF-8. */
  const named = (bytes: Buffer, flags: number): Buffer => {
    const zip = Buffer.from(zipOf('?'.repeat(bytes.length)).toString('latin1').replaceAll('?'.repeat(bytes.length), bytes.toString('latin1')), 'latin1'); // prettier-ignore
    zip.writeUInt16LE(flags, zip.indexOf('PK\x01\x02', 0, 'latin1') + 8);
    return zip;
  };
  const nameOf = async (bytes: Buffer, flags = 0) => Object.keys((await contentOf(named(bytes, flags))) ?? {});

  it('is UTF-8 without the flag if the bytes are valid', async () => {
    expect(await nameOf(Buffer.from('é日本.jpg'))).toEqual(['é日本.jpg']);
  });

  it('is code page 437 otherwise', async () => {
    expect(await nameOf(Buffer.from('\x82.jpg', 'latin1'))).toEqual(['é.jpg']);
  });

  it('is code page 437 if the flag for UTF-8 is wrong', async () => {
    expect(await nameOf(Buffer.from('\x82.jpg', 'latin1'), 0x800)).toEqual(['é.jpg']);
  });
});
