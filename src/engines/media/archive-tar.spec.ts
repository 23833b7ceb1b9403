import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pack, type Pack } from 'tar-stream';
import { imageArchiveLimits } from './archive-folder.js';
import { extractArchive } from './archive-tar.js';

let work: string;
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'archive-tar-'));
});
afterEach(() => rm(work, { recursive: true, force: true }));

const IMAGE = 'stands for an image';
/** A tar archive with the image, once in one stream of bzip2 and once in two. */
const BZIP2 = [
  'QlpoOTFBWSZTWSEdsa8AAG/bgMqAwAFdAAAIZ6PeAAgIIAB1DSepNANA0MT01BJKD1MgaADQfaxKEINKkhGLJCO5QJXRdAhgYefW2TivcEEigPEo7CDhAjqmSjXt5iakL9R6qzehuURA/F3JFOFCQIR2xrw=',
  'QlpoOTFBWSZTWR5d3FoAACNbkMqAQAFdAAAIZ6PeAAIACAAgAFQ1Teohpk00DEemglEh6QPSPUABE81qDFUOXmPfNgUFbrjSjCMohEkJZQ9CxRmRe2yDfxpkfiE/s1EVahehgXckU4UJAeXdxaBCWmg5MUFZJlNZZ5ui1AAAEsEAwAACAAAIIAAgpTQZjSNhR4u5IpwoSDPN0WoA',
];
/** 46 million zeros. */
const ZEROS =
  'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZudCH0AAAxdAAwAAEAAAIIAAgpTQZjUhbBQvF3JFOFCQpcNCbgA==';

/** From a megabyte on, the archive must have a hundredth of it. */
const limits = { ...imageArchiveLimits, ratioFrom: 2 ** 20 };

async function extract(archive: Buffer): Promise<string[]> {
  const file = join(work, 'a.archive');
  await writeFile(file, archive);
  return extractArchive(file, join(work, 'out'), { name: 'a.archive', limits });
}

async function tarOf(add: (tar: Pack) => void): Promise<Buffer> {
  const tar = pack();
  add(tar);
  tar.finalize();
  return buffer(tar);
}

const tarWith = (...names: string[]): Promise<Buffer> =>
  tarOf((tar) => {
    for (const name of names) tar.entry({ name }, IMAGE);
  });

/** An archive with one image, whose name the header has as these bytes. */
async function named(bytes: Buffer): Promise<Buffer> {
  const tar = await tarWith('x'.repeat(bytes.length));
  bytes.copy(tar);
  const header = tar.subarray(0, 512);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return tar;
}

describe('extractArchive', () => {
  it('reads names in pax headers as UTF-8', async () => {
    expect(await extract(await tarWith('é日本.png', 'Ã©.png'))).toEqual(['é日本.png', 'Ã©.png']);
  });

  it('reads names in UTF-8 without pax headers', async () => {
    expect(await extract(await named(Buffer.from('é日本.png')))).toEqual(['é日本.png']);
  });

  it('reads names that are not UTF-8 as Latin-1', async () => {
    expect(await extract(await named(Buffer.from('é.png', 'latin1')))).toEqual(['é.png']);
  });

  it('skips files that operating systems add', async () => {
    expect(await extract(await tarWith('i/._a.png', 'i/a.png', '__MACOSX/b.png'))).toEqual(['i/a.png']);
  });

  it.each(BZIP2)('extracts images compressed with bzip2', async (archive) => {
    expect(await extract(Buffer.from(archive, 'base64'))).toEqual(['a.png']);
    expect(await readFile(join(work, 'out', 'a.png'), 'utf8')).toBe(IMAGE);
  });

  it('refuses bzip2 that ends early', async () => {
    const archive = Buffer.from(BZIP2[0] ?? '', 'base64');
    await expect(extract(archive.subarray(0, 100))).rejects.toThrow("'a.archive' is not an archive, or a broken one");
  });

  it('refuses bzip2 with far more content than its size explains', async () => {
    await expect(extract(Buffer.from(ZEROS, 'base64'))).rejects.toThrow(
      "The archive 'a.archive' holds more than 100 times its own size",
    );
  });

  it('refuses gzip with far more zeros after the last file than its size explains', async () => {
    const tar = await tarWith('a.png');
    await expect(extract(gzipSync(Buffer.concat([tar, Buffer.alloc(8 * 2 ** 20)])))).rejects.toThrow(
      "The archive 'a.archive' holds more than 100 times its own size",
    );
  });

  it('refuses files with thousands of fields, of which each would get a copy', async () => {
    const fields = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`field${at}`, 'x']));
    const tar = await tarOf((files) => files.entry({ name: 'a.png', pax: fields }, IMAGE));
    await expect(extract(tar)).rejects.toThrow("'a.archive' is not an archive, or a broken one");
  });
});
