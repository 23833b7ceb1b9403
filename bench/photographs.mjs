// A fixed set of photographs of 1920×1080: crops of the demo's, cached in the temporary folder. Noisy ones have
// Gaussian noise in every channel and are saved at quality 85, like camera images taken in low light.

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const SOURCES = fileURLToPath(new URL('../demo/photos/', import.meta.url));
const SIZE = { width: 1920, height: 1080 };
const QUALITY = 90;
const NOISY_QUALITY = 85;
/** Increment it with any change that affects the images. */
const EDITION = 1;
const LANES = 2;

/**
 * @param {number} count
 * @param {(text: string) => void} say
 * @param {number} sigma standard deviation of the noise; 0: none
 * @returns {Promise<string[]>} paths of the first `count` photographs, which are created if missing
 */
export async function photographs(count, say, sigma = 0) {
  const names = (await readdir(SOURCES)).filter((name) => name.endsWith('.jpg')).sort();
  const sources = await Promise.all(names.map((name) => readFile(join(SOURCES, name))));
  const digest = createHash('sha256').update(
    `${EDITION} ${QUALITY}${sigma === 0 ? '' : ` noise ${sigma} ${NOISY_QUALITY}`}`,
  );
  for (const source of sources) digest.update(source);
  const folder = join(tmpdir(), `cairn-bench-photographs-${digest.digest('hex').slice(0, 12)}`);
  await mkdir(folder, { recursive: true });

  const paths = Array.from({ length: count }, (_, at) => join(folder, `${String(at).padStart(4, '0')}.jpg`));
  const there = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  const missing = paths.map((path, at) => ({ path, at })).filter(({ at }) => !there[at]);
  if (missing.length > 0) say(`making ${missing.length} photographs in ${folder}`);
  const entries = missing.values();
  const lane = async () => {
    for (const { path, at } of entries) await make(sources[at % sources.length], at, path, sigma);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return paths;
}

/** A 16:9 part of the source, enlarged. The number determines its position and size. Every other one is mirrored. */
async function make(source, at, path, sigma) {
  const { width, height } = await sharp(source).metadata();
  const share = 0.6 + (0.4 * ((at * 7) % 11)) / 10;
  const cropWidth = Math.floor(Math.min(width, (height * 16) / 9) * share);
  const cropHeight = Math.floor((cropWidth * 9) / 16);
  const left = Math.floor(((width - cropWidth) * ((at * 5) % 13)) / 12);
  const top = Math.floor(((height - cropHeight) * ((at * 3) % 17)) / 16);
  const unfinished = `${path}.${process.pid}`;
  try {
    const crop = sharp(source)
      .extract({ left, top, width: cropWidth, height: cropHeight })
      .flop(Math.floor(at / 7) % 2 === 1)
      .resize(SIZE);
    const image = sigma === 0 ? crop.jpeg({ quality: QUALITY }) : await noisy(crop, sigma, at);
    await image.toFile(unfinished);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Adds noise that depends only on the seed. */
async function noisy(image, sigma, seed) {
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  let state = seed + 1;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const pixels = Uint8ClampedArray.from(data, (value) => value + sigma * normal());
  const { width, height, channels } = info;
  return sharp(pixels, { raw: { width, height, channels } }).jpeg({ quality: NOISY_QUALITY });
}
