import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ZipFile } from 'yazl';
import { type ExtractOptions, imageArchiveLimits } from './archive-folder.js';
import { extractZip } from './archive-zip.js';
import { isSystemFile, safeMediaPath } from './file-name.js';
import { storedZip } from './stored-zip.js';

let work: string;
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'archive-zip-'));
});
afterEach(() => rm(work, { recursive: true, force: true }));

const converter = spawnSync('bsdtar', ['--version']).status === 0;
const itConverts = converter || process.env['CI'] !== undefined ? it : it.skip;

/** The image as `ä.png`, compressed with LZMA. */
const LZMA_ZIP = Buffer.from(
  'UEsDBD8AAggOAAAAIVzNqpd0JwAAABMAAAAGAAAAw6QucG5nCQQFAF0AAIAAADmdCEaUSaZB521GUchKhZFi9d3dTp7jX/9/KgAA' +
    'UEsBAj8DPwACCA4AAAAhXM2ql3QnAAAAEwAAAAYAAAAAAAAAAAAAAIABAAAAAMOkLnBuZ1BLBQYAAAAAAQABADQAAABLAAAAAAA=',
  'base64',
);

const image = Buffer.from('stands for an image');
const zipOf = (...names: string[]) => storedZip(names.map((name) => ({ name, data: image })));

/** Replaces a text everywhere in an archive, because each name occurs twice in it. */
function patched(zip: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

/** Modifies each header of the central directory. */
function patchedDirectory(zip: Buffer, change: (header: Buffer) => void): Buffer {
  const copy = Buffer.from(zip);
  for (let at = copy.indexOf('PK\x01\x02', 0, 'latin1'); at >= 0; at = copy.indexOf('PK\x01\x02', at + 4, 'latin1')) {
    change(copy.subarray(at));
  }
  return copy;
}

async function extract(zip: Buffer, options: Partial<ExtractOptions> = {}): Promise<string[]> {
  const archive = join(work, 'a.zip');
  await writeFile(archive, zip);
  return extractZip(archive, join(work, 'out'), { name: 'a.zip', ...options });
}

async function expectRefused(zip: Buffer, message: string | RegExp, options: Partial<ExtractOptions> = {}) {
  await expect(extract(zip, options)).rejects.toThrow(message);
  expect(await readdir(work)).toEqual(['a.zip']);
}

describe('extractZip', () => {
  it('extracts images and context images, and skips everything else', async () => {
    const zip = zipOf(
      './',
      'b.png',
      'd/A.JPG',
      'd/',
      'd/related_images/A_JPG/c.png',
      'readme.txt',
      '__MACOSX/b.png',
      'd/.DS_Store',
      'inner.zip',
    );
    expect(await extract(zip)).toEqual(['b.png', 'd/A.JPG', 'd/related_images/A_JPG/c.png']);
    expect((await readdir(join(work, 'out'), { recursive: true })).toSorted()).toEqual([
      'b.png',
      'd',
      'd/A.JPG',
      'd/related_images',
      'd/related_images/A_JPG',
      'd/related_images/A_JPG/c.png',
    ]);
    expect(await readFile(join(work, 'out/d/A.JPG'))).toEqual(image);
  });

  it('accepts Windows separators', async () => {
    expect(await extract(zipOf('d\\a.png'))).toEqual(['d/a.png']);
  });

  it('inflates', async () => {
    const zip = new ZipFile();
    zip.addBuffer(Buffer.alloc(100_000), 'a.png');
    zip.end();
    await extract(await buffer(zip.outputStream));
    expect(await readFile(join(work, 'out/a.png'))).toEqual(Buffer.alloc(100_000));
  });

  itConverts('reads entries with unusual compression methods', async () => {
    expect(await extract(LZMA_ZIP)).toEqual(['ä.png']);
    expect(await readFile(join(work, 'out/ä.png'))).toEqual(image);
  });

  it('reports its progress', async () => {
    const seen: number[] = [];
    await extract(zipOf('a.png', 'b.txt'), { onProgress: (done) => seen.push(done) });
    expect(seen).toEqual([0.5, 1]);
  });

  it.each(['../a.png', 'd/../../a.png', '/a.png', '..\\a.png', 'C:\\a.png', 'c:a.png', '../readme.txt'])(
    'rejects the name %s',
    (name) => expectRefused(zipOf('good.png', name), /^File name '.*' is not allowed$/),
  );

  it('rejects invalid file names', async () => {
    await expectRefused(zipOf(`${'n'.repeat(300)}.png`), /^File name 'n{60}…' is too long$/);
    await expectRefused(zipOf('a\0.png'), "File name 'a\\x00.png' is not allowed");
  });

  it('rejects duplicate names, and names that are both a file and a folder', async () => {
    await expectRefused(zipOf('a.png', './a.png'), "The archive 'a.zip' contains the file 'a.png' twice");
    await expectRefused(zipOf('a.png', 'a.png/b.png'), /folder of 'a.png\/b.png' is a file/);
    await expectRefused(zipOf('a.png/b.png', 'a.png'), /contains the file 'a.png' twice/);
  });

  it('rejects symbolic links', () => {
    const zip = patchedDirectory(zipOf('a.png'), (header) => header.writeUInt32LE(0o120777 * 2 ** 16, 38));
    return expectRefused(zip, "File 'a.png' in the archive is a symbolic link");
  });

  it('rejects encrypted entries', () => {
    const zip = patchedDirectory(zipOf('a.png'), (header) => {
      header.writeUInt16LE(0x801, 8);
      // Encrypted data have a 12-byte header.
      header.writeUInt32LE(image.length + 12, 20);
    });
    return expectRefused(zip, /'a.png' is encrypted/);
  });

  itConverts.each([9, 99])('rejects compression method %i', (method) => {
    const zip = patchedDirectory(zipOf('a.png'), (header) => header.writeUInt16LE(method, 10));
    zip.writeUInt16LE(method, zip.indexOf('PK\x03\x04', 0, 'latin1') + 8);
    return expectRefused(zip, `File 'a.png' is compressed in an unusual way (method ${method})`);
  });

  it('detects corrupted bytes', () => {
    return expectRefused(patched(zipOf('a.png'), 'stands', 'Stands'), "zipfile.BadZipFile: Bad data for file 'a.png'");
  });

  it('rejects incorrect sizes', () => {
    const zip = patchedDirectory(zipOf('a.png'), (header) => {
      header.writeUInt32LE(5, 20);
      header.writeUInt32LE(5, 24);
    });
    return expectRefused(zip, "Bad data for file 'a.png'");
  });

  it.each([
    ['text', Buffer.from('no zip at all')],
    ['nothing', Buffer.alloc(0)],
    ['half an archive', zipOf('a.png', 'b.png').subarray(0, 80)],
    ['a broken directory', patchedDirectory(zipOf('a.png'), (header) => header.writeUInt32LE(7, 0))],
  ])('rejects %s', (_, zip) => expectRefused(zip, "zipfile.BadZipFile: File is not a zip file: 'a.zip'"));

  it('rejects an archive without frames', async () => {
    await expectRefused(zipOf('a.txt'), 'Exception: No image found');
    await expectRefused(zipOf('related_images/a_png/b.png'), 'Exception: No image found');
  });

  it('limits entries, bytes and ratio', async () => {
    const limits = { ...imageArchiveLimits, maxEntries: 2 };
    await expectRefused(zipOf('a.png', 'b.png', 'c.png'), /'a.zip' holds more than 2 entries/, { limits });
    const small = { ...imageArchiveLimits, maxBytes: 30 };
    await expectRefused(zipOf('a.png', 'b.png'), /'a.zip' holds more than 30 bytes/, { limits: small });
    const bomb = new ZipFile();
    bomb.addBuffer(Buffer.alloc(1_000_000), 'a.png');
    bomb.end();
    const low = { ...imageArchiveLimits, ratioFrom: 1000 };
    const zip = await buffer(bomb.outputStream);
    await expectRefused(zip, /'a.zip' holds more than 100 times its own size/, { limits: low });
  });

  it('stops when cancelled', async () => {
    const stop = new AbortController();
    const options = { signal: stop.signal, onProgress: () => stop.abort(new Error('cancelled')) };
    await expectRefused(zipOf('a.png', 'b.png'), 'cancelled', options);
  });

  it('leaves an existing non-empty folder unchanged', async () => {
    const archive = join(work, 'a.zip');
    await writeFile(archive, zipOf('a.png'));
    await expect(extractZip(archive, work, { name: 'a.zip' })).rejects.toThrow(/is not empty/);
    expect(await readdir(work)).toEqual(['a.zip']);
  });
});

describe('safeMediaPath', () => {
  it.each([
    ['a.png', 'a.png'],
    ['./d//a.png', 'd/a.png'],
    ['d\\a.png', 'd/a.png'],
    ['..a/b..png', '..a/b..png'],
  ])('%s is %s', (name, path) => expect(safeMediaPath(name)).toBe(path));

  it.each(['', '.', './'])('%j is empty', (name) => expect(() => safeMediaPath(name)).toThrow(/is empty/));

  it('counts bytes, not characters', () => {
    expect(() => safeMediaPath('ü'.repeat(128))).toThrow(/too long/);
    expect(() => safeMediaPath('a/'.repeat(600))).toThrow(/too long/);
    expect(safeMediaPath('u'.repeat(255))).toHaveLength(255);
  });

  it.each([
    'd/__MACOSX/a.png',
    'd/.DS_Store',
    '._a.jpg',
    'd/._a.jpg',
    'Thumbs.db',
    'd/desktop.ini',
    '.AppleDouble/a.jpg',
    '@eaDir/a.jpg/SYNOPHOTO_THUMB_M.jpg',
    '$RECYCLE.BIN/a.png',
  ])('recognizes %s as added by an operating system', (path) => expect(isSystemFile(path)).toBe(true));

  it.each(['d/MACOSX.png', '_a.jpg', '.a.jpg', 'd._a/b.jpg', 'thumbs.png', '__MACOSX.png'])(
    'does not take %s for a file of an operating system',
    (path) => expect(isSystemFile(path)).toBe(false),
  );
});
