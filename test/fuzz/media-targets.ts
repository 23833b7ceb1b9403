import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { deflateRawSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { pack } from 'tar-stream';
import { openDatasetFiles } from '../../src/engines/annotations/formats/zip.js';
import { extractArchive } from '../../src/engines/media/archive-tar.js';
import { extractZip } from '../../src/engines/media/archive-zip.js';
import { encodePreview } from '../../src/engines/media/image-encode.js';
import { probeWholeImage } from '../../src/engines/media/image-integrity.js';
import { readImageManifest } from '../../src/engines/media/manifest.js';
import { renderPdfPages } from '../../src/engines/media/pdf.js';
import { asPcd, probePointCloud } from '../../src/engines/media/point-cloud.js';
import { storedZip } from '../../src/engines/media/stored-zip.js';
import { tiffPages, writeTiffPages } from '../../src/engines/media/tiff.js';
import { pdfOf, tiffOf } from '../support/documents.js';
import { mutatedBytes } from './byte-mutations.js';
import type { Random } from './random.js';
import type { FuzzTarget } from './target.js';
import { mutatedText } from './text-mutations.js';

/** A larger image takes long to decode, however it is stored. */
const LIMITS = { maxPixels: 16_000_000 };
const MEGABYTE = 2 ** 20;

/** A kind of file: valid ones, and what reads them. */
interface Kind {
  readonly name: string;
  readonly isText?: boolean;
  /** Files to begin with. */
  valid(): Promise<readonly Buffer[]>;
  read(path: string, folder: string): Promise<unknown>;
}

const picture = (format: 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif', options = {}): Promise<Buffer> =>
  sharp({ create: { width: 60, height: 40, channels: 3, background: 'red', noise: { type: 'gaussian', sigma: 9 } } })
    .toFormat(format, options)
    .toBuffer();

/** A deflated file in a zip archive; sizes and checksum of the directory are right unless they are changed later. */
function zipOf(name: string, data: Buffer): Buffer {
  const stored = storedZip([{ name, data }]);
  const deflated = deflateRawSync(data);
  const start = 30 + Buffer.byteLength(name);
  const directory = Buffer.from(stored.subarray(start + data.length));
  const head = Buffer.from(stored.subarray(0, start));
  for (const [part, method, size] of [
    [head, 8, 18],
    [directory, 10, 20],
  ] as const) {
    part.writeUInt16LE(8, method);
    part.writeUInt32LE(deflated.length, size);
  }
  const end = directory.length - 22;
  directory.writeUInt32LE(start + deflated.length, end + 16);
  return Buffer.concat([head, deflated, directory]);
}

async function tarOf(): Promise<Buffer> {
  const tar = pack();
  const image = await picture('png');
  for (const name of ['a.png', 'b/c.png']) tar.entry({ name }, image);
  tar.entry({ name: `${'long/'.repeat(40)}d.png`, pax: { comment: 'x' } }, image);
  tar.finalize();
  return buffer(tar);
}

const BZIP2 = Buffer.from('QlpoOTFBWSZTWSEdsa8AAG/bgMqAwAFdAAAIZ6PeAAgIIAB1DSepNANA0MT01BJKD1MgaADQfaxKEINKkhGLJCO5QJXRdAhgYefW2TivcEEigPEo7CDhAjqmSjXt5iakL9R6qzehuURA/F3JFOFCQIR2xrw=', 'base64'); // prettier-ignore
const BZIP2_ZEROS = Buffer.from('QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZudCH0AAAxdAAwAAEAAAIIAAgpTQZjUhbBQvF3JFOFCQpcNCbgA==', 'base64'); // prettier-ignore

const PCD = (data: string): string =>
  `# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 4\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\nDATA ${data}\n`;

const KINDS: readonly Kind[] = [
  {
    name: 'dataset archive',
    valid: () => Promise.resolve([zipOf('a.xml', Buffer.from('<annotations/>'.repeat(50))), zipOf('a.txt', Buffer.alloc(50 * MEGABYTE))]), // prettier-ignore
    read: async (path) => {
      const files = await openDatasetFiles(path, 'a.zip');
      try {
        for (const each of files.paths) for await (const _ of files.read(each));
      } finally {
        files.close();
      }
    },
  },
  {
    name: 'image archive',
    valid: async () => [zipOf('a.png', await picture('png')), zipOf('a.bmp', Buffer.alloc(50 * MEGABYTE)), storedZip([{ name: 'a.png', data: await picture('png') }])], // prettier-ignore
    read: (path, folder) => extractZip(path, join(folder, 'out'), { name: 'a.zip' }),
  },
  {
    name: 'tar archive',
    valid: async () => {
      const tar = await tarOf();
      return [tar, tar, gzipSync(tar), gzipSync(Buffer.concat([tar, Buffer.alloc(50 * MEGABYTE)])), BZIP2, BZIP2_ZEROS];
    },
    read: (path, folder) => extractArchive(path, join(folder, 'out'), { name: 'a.tar' }),
  },
  {
    name: 'image',
    valid: async () => [
      await picture('jpeg'),
      await picture('jpeg', { progressive: true }),
      await picture('png'),
      await picture('webp'),
      await picture('gif'),
      await picture('tiff'),
      await picture('avif'),
      Buffer.from('P3 2 2 255\n1 2 3 4 5 6 7 8 9 10 11 12\n'),
      Buffer.from('P6 2 2 255\n123456789012'),
      bmpOf(),
    ],
    read: async (path) => {
      const { readFile } = await import('node:fs/promises');
      await probeWholeImage(path, 'a.img', LIMITS);
      await encodePreview(await readFile(path), 'a.img', LIMITS);
    },
  },
  {
    name: 'TIFF pages',
    valid: async () => [await tiffOf([20, 60, 100]), await tiffOf([1], { width: 2_000, height: 1_500 })],
    read: async (path, folder) => {
      const pages = (await tiffPages(path, 'a.tif')).slice(0, 20).map((page, at) => ({ page, target: join(folder, `${at}.tif`) })); // prettier-ignore
      await writeTiffPages(path, 'a.tif', pages, { limits: LIMITS, scratch: join(folder, 'scratch'), maxBytes: 256 * MEGABYTE }); // prettier-ignore
    },
  },
  {
    name: 'PDF',
    isText: true,
    valid: () => Promise.resolve([pdfOf([{ width: 60, height: 40 }, { width: 20, height: 20, content: '0 0 10 10 re f BT /F1 5 Tf (a) Tj ET' }])]), // prettier-ignore
    read: async (path, folder) => {
      const options = { limits: LIMITS, maxBytes: 256 * MEGABYTE };
      const count = await renderPdfPages(path, 'a.pdf', [], options);
      const pages = Array.from({ length: Math.min(count, 3) }, (_, page) => ({ page, target: join(folder, `${page}.jpg`) })); // prettier-ignore
      if (pages.length > 0) await renderPdfPages(path, 'a.pdf', pages, options);
    },
  },
  {
    name: 'point cloud',
    isText: true,
    valid: () => Promise.resolve([Buffer.from(PCD('ascii') + '1 2 3\n'.repeat(4)), Buffer.from(PCD('binary') + 'x'.repeat(48)), Buffer.from(PCD('binary_compressed') + 'x'.repeat(48))]), // prettier-ignore
    read: async (path) => {
      await probePointCloud(path, 'a.pcd');
      asPcd(Buffer.alloc(16), 'a.bin');
    },
  },
  {
    name: 'manifest',
    isText: true,
    valid: () =>
      Promise.resolve([
        Buffer.from('{"version":"1.1"}\n{"type":"images"}\n{"name":"a","extension":".jpg","width":20,"height":10,"meta":{"related_images":["b"]}}\n'), // prettier-ignore
      ]),
    read: async (path) => {
      for await (const _ of readImageManifest(path, 'manifest.jsonl'));
    },
  },
];

/** Four pixels of 24 bits. */
function bmpOf(): Buffer {
  const file = Buffer.alloc(70);
  file.write('BM');
  for (const [at, value] of [
    [2, 70],
    [10, 54],
    [14, 40],
    [18, 2],
    [22, 2],
  ] as const)
    file.writeUInt32LE(value, at);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  return file;
}

/** Everything that reads files of media on the server. */
export const mediaTargets: readonly FuzzTarget[] = KINDS.map((kind) => {
  let valid: Promise<readonly Buffer[]> | undefined;
  return {
    name: `media ${kind.name}`,
    make: async (random) => {
      const content = mutated(random.pick(await (valid ??= kind.valid())), kind.isText === true, random);
      return {
        files: new Map([['file', content]]),
        run: () => inFolder(content, (path, folder) => kind.read(path, folder)),
      };
    },
  };
});

function mutated(file: Buffer, isText: boolean, random: Random): Buffer {
  if (!isText || random.chance(0.2)) return mutatedBytes(file, random);
  return Buffer.from(mutatedText(file.toString('latin1'), random), 'latin1');
}

async function inFolder(content: Buffer, use: (path: string, folder: string) => Promise<unknown>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-fuzz-'));
  try {
    const path = join(folder, 'file');
    await writeFile(path, content);
    await use(path, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
