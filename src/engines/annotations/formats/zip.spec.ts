import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { collectGarbage } from '../../memory/memory.js';
import { datasetArchiveLimits } from '../../media/archive-folder.js';
import { FormatError } from './format.js';
import { openDatasetFiles, ZipSink } from './zip.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'formats-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const date = new Date('2026-11-21T08:00:00Z');

async function* texts(...pieces: string[]): AsyncGenerator<string> {
  yield* pieces;
}

async function archive(files: Readonly<Record<string, string>>): Promise<string> {
  const path = join(folder, 'a.zip');
  const sink = new ZipSink(path, date);
  for (const [name, content] of Object.entries(files)) await sink.addFile(name, texts(content));
  await sink.close();
  return path;
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('ZipSink', () => {
  it('round-trips files', async () => {
    const path = join(folder, 'a.zip');
    const sink = new ZipSink(path, date);
    await sink.addFile('a/ä.txt', texts('one', '', ' two'));
    await sink.addFile('b.jpg', Buffer.from('picture'));
    await sink.addFile('empty.txt', Buffer.from(''));
    await sink.close();
    const files = await openDatasetFiles(path, 'any.zip');
    expect(files.paths).toEqual(['a/ä.txt', 'b.jpg', 'empty.txt']);
    expect(await Promise.all(files.paths.map((name) => textOf(files.read(name))))).toEqual(['one two', 'picture', '']);
    files.close();
  });

  it('computes checksums with Node.js', async () => {
    const required = createRequire(createRequire(import.meta.url).resolve('yazl'));
    expect((required('buffer-crc32') as { unsigned: unknown }).unsigned).toBe(crc32);
  });

  it('fails with the error of its content, and leaves no file', async () => {
    const sink = new ZipSink(join(folder, 'a.zip'), date);
    const failing = (async function* () {
      yield 'half';
      throw new Error('the source is gone');
    })();
    await expect(sink.addFile('a.txt', failing)).rejects.toThrow('the source is gone');
    await sink.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  it('does not hold the content of written files', async () => {
    const sink = new ZipSink(join(folder, 'a.zip'), date);
    const addFile = async (path: string): Promise<WeakRef<object>> => {
      const source = { text: 'x' };
      const content = (async function* () {
        yield source.text;
      })();
      await sink.addFile(path, content);
      return new WeakRef(source);
    };
    const sources = [await addFile('a.txt'), await addFile('b.txt')];
    await collectGarbage();
    expect(sources.map((source) => source.deref())).toEqual([undefined, undefined]);
    await sink.close();
  });

  it('stops reading its content when the archive is discarded', async () => {
    const sink = new ZipSink(join(folder, 'a.zip'), date);
    let stopped: () => void = () => undefined;
    const end = new Promise<void>((resolve) => (stopped = resolve));
    const endless = (async function* () {
      try {
        for (;;) yield 'x'.repeat(2 ** 16);
      } finally {
        stopped();
      }
    })();
    const adding = sink.addFile('a.png', endless);
    await Promise.all([expect(adding).rejects.toThrow(), sink.discard(), end]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('rejects a second file of the same name', async () => {
    const sink = new ZipSink(join(folder, 'a.zip'), date);
    await sink.addFile('a.txt', texts('x'));
    await expect(sink.addFile('a.txt', texts('y'))).rejects.toThrow(
      new FormatError("The format has one file 'a.txt' for several images of the dataset."),
    );
    await sink.discard();
  });

  it('fails if the file cannot be written', async () => {
    const sink = new ZipSink(join(folder, 'absent', 'a.zip'), date);
    const big = 'x'.repeat(2 ** 20);
    await expect(sink.addFile('a.png', texts(big, big, big)).then(() => sink.close())).rejects.toThrow('ENOENT');
    await sink.discard();
  });
});

describe('openDatasetFiles', () => {
  it('opens a single file that is not an archive', async () => {
    const path = join(folder, 'upload');
    await writeFile(path, '<annotations/>');
    const files = await openDatasetFiles(path, 'C:\\my\\annotations.xml');
    expect(files.paths).toEqual(['annotations.xml']);
    expect(await textOf(files.read('annotations.xml'))).toBe('<annotations/>');
  });

  it.each([
    ['a.zip', '\uFEFF {"items": []}', 'a.json'],
    ['a.json', '<?xml version="1.0"?>', 'a.xml'],
    ['b.v2.zip', '[{"a": 1}]', 'b.v2.json'],
    ['a', '{}', 'a.json'],
    ['metadata.jsonl', '{"file_name": "a.png"}', 'metadata.jsonl'],
    ['a.zip', 'PAR1', 'a.parquet'],
    ['a.csv', 'a,b', 'a.csv'],
  ])('takes the type of the file %s from its content', async (name, content, found) => {
    const path = join(folder, 'upload');
    await writeFile(path, content);
    expect((await openDatasetFiles(path, name)).paths).toEqual([found]);
  });

  it('skips files that operating systems add', async () => {
    const files = await openDatasetFiles(await archive({ '__MACOSX/a.xml': '', 'a.xml': '' }), 'a.zip');
    expect(files.paths).toEqual(['a.xml']);
    files.close();
  });

  it.each([
    ['a text', () => Buffer.from('no archive')],
    ['an archive that is cut short', (good: Buffer) => good.subarray(0, good.length - 30)],
  ])('rejects an archive that is %s', async (_, spoil) => {
    const path = await archive({ 'a.xml': 'x'.repeat(1000) });
    await writeFile(path, spoil(await readFile(path)));
    const message = "zipfile.BadZipFile: File is not a zip file: 'a.zip'";
    await expect(openDatasetFiles(path, 'a.zip')).rejects.toMatchObject({ name: 'FormatError', message });
  });

  it('rejects archives beyond the limits', async () => {
    const path = await archive({ 'a.xml': 'x'.repeat(10_000), 'b.xml': 'y' });
    const open = (limits: object) => openDatasetFiles(path, 'a.zip', { ...datasetArchiveLimits, ...limits });
    await expect(open({ maxEntries: 1 })).rejects.toThrow("The archive 'a.zip' holds more than 1 entries");
    await expect(open({ maxBytes: 9999 })).rejects.toThrow("The archive 'a.zip' holds more than 9999 bytes");
    await expect(open({ maxRatio: 2, ratioFrom: 100 })).rejects.toThrow(
      "The archive 'a.zip' holds more than 2 times its own size",
    );
  });

  it('rejects archives whose texts are far longer than their size explains', async () => {
    const path = await archive({ 'a.xml': 'x'.repeat(100_000), 'b.bmp': 'y'.repeat(100_000) });
    const texts = (ratioFrom: number) => ({ ...datasetArchiveLimits, texts: { maxRatio: 2, ratioFrom } });
    await expect(openDatasetFiles(path, 'a.zip', texts(99_999))).rejects.toThrow(
      "The archive 'a.zip' holds texts of more than 2 times its own size",
    );
    const files = await openDatasetFiles(path, 'a.zip', texts(100_000));
    expect(files.paths).toEqual(['a.xml', 'b.bmp']);
    files.close();
  });

  it('fails only with a FormatError, whichever byte is wrong', async () => {
    const path = await archive({ 'a.xml': 'some text that is deflated, some text that is deflated', 'b.xml': 'z' });
    const good = await readFile(path);
    for (let at = 4; at < good.length; at++) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] ?? 0) ^ 0x55;
      await writeFile(path, bad);
      const outcome = await readAll(path).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ name: 'FormatError' });
    }
  });
});

async function readAll(path: string): Promise<void> {
  const files = await openDatasetFiles(path, 'a.zip');
  try {
    for (const name of files.paths) await textOf(files.read(name));
  } finally {
    files.close();
  }
}
