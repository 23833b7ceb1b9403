// The baseline for exports: yazl alone writes the same files into an archive, images stored and the rest compressed.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { serveCalls } from '../child.mjs';

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
  return files;
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

serveCalls({ extract, write });
