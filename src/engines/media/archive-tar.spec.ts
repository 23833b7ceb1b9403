import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pack } from 'tar-stream';
import { extractArchive } from './archive-tar.js';

let work: string;
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'archive-tar-'));
});
afterEach(() => rm(work, { recursive: true, force: true }));

async function tarOf(...names: string[]): Promise<Buffer> {
  const tar = pack();
  for (const name of names) tar.entry({ name }, 'stands for an image');
  tar.finalize();
  return buffer(tar);
}

/** An archive with one image, whose name the header has as these bytes. */
async function named(bytes: Buffer): Promise<Buffer> {
  const tar = await tarOf('x'.repeat(bytes.length));
  bytes.copy(tar);
  const header = tar.subarray(0, 512);
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return tar;
}

async function extracted(tar: Buffer): Promise<string[]> {
  const archive = join(work, 'a.tar');
  await writeFile(archive, tar);
  return extractArchive(archive, join(work, 'out'), { name: 'a.tar' });
}

describe('extractArchive', () => {
  it('reads names in pax headers as UTF-8', async () => {
    expect(await extracted(await tarOf('é日本.png', 'Ã©.png'))).toEqual(['é日本.png', 'Ã©.png']);
  });

  it('reads names in UTF-8 without pax headers', async () => {
    expect(await extracted(await named(Buffer.from('é日本.png')))).toEqual(['é日本.png']);
  });

  it('reads names that are not UTF-8 as Latin-1', async () => {
    expect(await extracted(await named(Buffer.from('é.png', 'latin1')))).toEqual(['é.png']);
  });

  it('skips files that operating systems add', async () => {
    expect(await extracted(await tarOf('i/._a.png', 'i/a.png', '__MACOSX/b.png'))).toEqual(['i/a.png']);
  });
});
