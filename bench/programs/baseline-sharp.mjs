// The baseline for images: sharp alone creates the JPEGs of compressed chunks.

import sharp from 'sharp';
import { serveCalls } from '../child.mjs';

/** Candidates for the fastest: one thread per image with several images at a time, or the reverse. */
const SETTINGS = [
  { threads: 1, parallel: 2 },
  { threads: 1, parallel: 4 },
  { threads: 2, parallel: 1 },
  { threads: 2, parallel: 2 },
];

sharp.cache(false);

/** The server's encoder options for images that it has to decode. */
const encode = (file, quality) => sharp(file).jpeg({ quality, optimiseCoding: false }).toBuffer();

/** @returns seconds */
async function run({ files, quality, threads, parallel }) {
  sharp.concurrency(threads);
  const begin = performance.now();
  const entries = files.values();
  const lane = async () => {
    for (const file of entries) await encode(file, quality);
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  return (performance.now() - begin) / 1000;
}

/** Runs every setting twice. @returns the one with the best time */
async function best({ files, quality }) {
  const tried = [];
  for (const setting of [...SETTINGS, ...SETTINGS]) {
    tried.push({ ...setting, seconds: await run({ files, quality, ...setting }) });
  }
  const { threads, parallel } = tried.reduce((a, b) => (a.seconds <= b.seconds ? a : b));
  return { threads, parallel };
}

serveCalls({ run, best, one: ({ file, quality }) => encode(file, quality) });
