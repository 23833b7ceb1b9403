import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readImageManifest, writeImageManifest, type ManifestImage } from './manifest.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manifest-'));
  file = join(folder, 'manifest.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function read(text?: string): Promise<ManifestImage[]> {
  if (text !== undefined) await writeFile(file, text);
  const images: ManifestImage[] = [];
  for await (const image of readImageManifest(file, 'm.jsonl')) images.push(image);
  return images;
}

async function* failing(): AsyncGenerator<ManifestImage> {
  yield { path: 'a.png', width: 1, height: 1 };
  throw new Error('no more');
}

const header = '{"version":"1.1"}\n{"type":"images"}\n';

describe('writeImageManifest', () => {
  it('writes the lines of CVAT and returns their offsets', async () => {
    const offsets = await writeImageManifest(file, [
      { path: 'd/a.b.png', width: 10, height: 20 },
      { path: 'ü.pcd', related: ['r.png'] },
      { path: 'c.JPG', width: 1, height: 2 },
    ]);
    const text = await readFile(file);
    expect(String(text)).toBe(
      header +
        '{"name":"d/a.b","extension":".png","width":10,"height":20,"meta":{"related_images":[]}}\n' +
        '{"name":"ü","extension":".pcd","meta":{"related_images":["r.png"]}}\n' +
        '{"name":"c","extension":".JPG","width":1,"height":2,"meta":{"related_images":[]}}\n',
    );
    expect(offsets.map((at) => text.toString('utf8', at, at + 9))).toEqual(['{"name":"', '{"name":"', '{"name":"']);
    expect(await readdir(folder)).toEqual(['manifest.jsonl']);
  });

  it('leaves no file if its source fails', async () => {
    await expect(writeImageManifest(file, failing())).rejects.toThrow('no more');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('readImageManifest', () => {
  it('reads back what was written, across read boundaries', async () => {
    const images = Array.from({ length: 3000 }, (_, i) => ({
      path: `d/ü${i}.png`,
      width: i + 1,
      height: 9,
      related: [],
    }));
    await writeImageManifest(file, images);
    expect(await read()).toEqual(images);
  });

  it('reads version 1.0, checksums, empty lines and a missing last newline', async () => {
    const text =
      '{"version":"1.0"}\r\n{"type":"images"}\n\n{"name":"a","extension":".png","width":8,"height":9,"checksum":"x"}';
    expect(await read(text)).toEqual([{ path: 'a.png', width: 8, height: 9, related: [] }]);
  });

  it('skips a byte order mark', async () => {
    expect(await read(`\ufeff${header}{"name":"a","extension":".png"}`)).toEqual([{ path: 'a.png', related: [] }]);
  });

  it.each([
    ['', /line 1: the lines of version and type are missing/],
    ['{"version":"2"}\n', /'m.jsonl', line 1: 'version' must be '1.0' or '1.1'/],
    ['{"version":"1.1"}\n{"type":"video"}\n', /line 2: 'type' must be 'images'/],
    [`${header}not json\n`, /line 3: no JSON object/],
    [`${header}[]\n`, /line 3: no JSON object/],
    [`${header}{"name":"a"}\n`, /line 3: 'name' and 'extension'/],
    [`${header}{"name":"a","extension":".png","width":-1,"height":1}\n`, /line 3: 'width' and 'height'/],
    [`${header}${' '.repeat(2 ** 21)}`, /line 3: the line is too long/],
  ])('rejects %#', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });
});
