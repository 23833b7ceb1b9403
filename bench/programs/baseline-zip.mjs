// The baselines for exports: yazl alone writes the same files into an archive, images stored and the rest compressed; or
// libvips also encodes as many PNGs of the same kind, one ahead of yazl.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { serveCalls } from '../child.mjs';

sharp.concurrency(1);
sharp.cache(false);

/** A multiple of the numbers of PNGs that formats write for each image, so that the kinds come in the same order. */
const SAMPLES = 12;

let rasters = [];

/** Extracts an archive into a new folder. @returns its files, and whether each was compressed */
async function extract({ archive, folder }) {
  await rm(folder, { recursive: true, force: true });
  const zip = await openPromise(archive, { lazyEntries: true, autoClose: false });
  const files = [];
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      const path = join(folder, entry.fileName);
      await mkdir(dirname(path), { recursive: true });
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(path));
      files.push({ name: entry.fileName, path, compress: entry.compressionMethod !== 0 });
    }
  } finally {
    zip.close();
  }
  rasters = await Promise.all(files.filter(isPng).slice(0, SAMPLES).map(rasterOf));
  return files;
}

const isPng = ({ name }) => name.endsWith('.png');

async function rasterOf({ path }) {
  const { depth, space } = await sharp(path).metadata();
  const { data, info } = await sharp(path).raw({ depth }).toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const pixels = depth === 'ushort' ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  return { pixels, raw: { width, height, channels }, space };
}

function encode({ pixels, raw, space }) {
  const image = sharp(pixels, { raw });
  return (raw.channels === 1 ? image.toColourspace(space) : image).png().toBuffer();
}

/** @returns seconds */
async function write({ files, archive }) {
  const begin = performance.now();
  const zip = new ZipFile();
  for (const { name, path, compress } of files) zip.addFile(path, name, { compress });
  zip.end();
  const output = zip.outputStream.pipe(createWriteStream(archive));
  await once(output, 'close');
  return (performance.now() - begin) / 1000;
}

/** As `write`, with PNGs that libvips encodes. @returns seconds */
async function encodeAndWrite({ files, archive }) {
  const begin = performance.now();
  const zip = new ZipFile();
  const output = zip.outputStream.pipe(createWriteStream(archive));
  const count = files.filter(isPng).length;
  let started = 0;
  const next = () => (started < count ? encode(rasters[started++ % rasters.length]) : undefined);
  let png = next();
  for (const file of files) {
    const { name, path, compress } = file;
    if (isPng(file)) {
      const bytes = png;
      png = next();
      zip.addBuffer(await bytes, name, { compress: false });
    } else zip.addFile(path, name, { compress });
  }
  zip.end();
  await once(output, 'close');
  return (performance.now() - begin) / 1000;
}

serveCalls({ extract, write, encodeAndWrite });
