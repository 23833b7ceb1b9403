import { firstPage } from './first-page.js';
import { type ImageLimits, openImage, readOptions, tooManyPixels } from './image-source.js';
import { sharp, type Sharp } from './libvips.js';
import { wideTiff, type WideTiff } from './wide-tiff.js';

/** Images whose samples are stretched in JavaScript are limited: each sample takes up to 8 bytes. */
const MAX_SAMPLES = 100_000_000;

/** Larger values stand for missing ones: programs for maps write the smallest or largest float. */
const MISSING = 1e37;

/** Samples whose range sharp computes exactly: it rounds its statistics to integers of 32 bits. */
const INTEGERS: ReadonlySet<string> = new Set(['char', 'short', 'ushort', 'int']);
const GREY_SPACES: ReadonlySet<string> = new Set(['b-w', 'grey16', 'multiband']);
const COLOUR_SPACES: ReadonlySet<string> = new Set(['srgb', 'rgb', 'scrgb', 'rgb16']);

/**
 * An image of more than 8 bits per channel, stretched to the range of its values, because it seldom uses all of it. Values
 * that are not numbers, infinite or missing have no part in the range. Several channels without colours are those of
 * sensors; the first is shown.
 * @returns undefined for images that are shown as they are: of 8 bits, colours of 16 bits, floats from 0 to 1
 */
export async function deepImage(file: Buffer, name: string, limits: ImageLimits): Promise<Sharp | undefined> {
  if (!mayBeDeep(file)) return undefined;
  const wide = wideTiff(file);
  if (wide !== undefined) {
    const samples = await readWide(wide, name, limits);
    return ofRaster(samples, samples.isPlain ? { min: 0, max: 255 } : rangeOf(samples));
  }
  const first = firstPage(file);
  const { depth, channels, space, width, height } = await sharp(first, readOptions(limits)).metadata();
  const isGrey = GREY_SPACES.has(space);
  if (depth === 'uchar' || !(isGrey || (COLOUR_SPACES.has(space) && depth !== 'ushort'))) return undefined;
  if (isGrey && INTEGERS.has(depth)) {
    const { channels: statistics } = await sharp(first, readOptions(limits)).stats();
    const image = stretched(openImage(file, name, limits), statistics[0], space === 'grey16' ? 65535 : 255);
    return channels === 1 ? image : image.extractChannel(0);
  }
  if (width * height * (isGrey ? 1 : channels) > MAX_SAMPLES) throw tooManyPixels(name);
  const samples = await readFloats(first, { space, isGrey }, limits);
  const range = rangeOf(samples);
  return space === 'scrgb' && range.min >= 0 && range.max <= 1 ? undefined : ofRaster(samples, range);
}

/** Only PNG and TIFF contain more than 8 bits; for other formats the header need not be read again. */
function mayBeDeep(file: Buffer): boolean {
  const start = file.toString('latin1', 0, 4);
  return start === '\x89PNG' || start.startsWith('II') || start.startsWith('MM');
}

/** @param white the value that is displayed as white in the image's colour space */
function stretched(image: Sharp, { min, max }: Range = { min: 0, max: 0 }, white: number): Sharp {
  const factor = white / (max - min || 1);
  return image.linear(factor, -min * factor);
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** The samples of an image, row by row. */
interface Samples {
  readonly width: number;
  readonly height: number;
  /** In the order of their channels in a pixel; one list for each channel if they are separate. */
  readonly lists: readonly ArrayLike<number | bigint>[];
  /** Number of channels in a list. */
  readonly step: number;
  /** Number of channels to show. */
  readonly shown: 1 | 3;
  /** Whether the samples are shown as they are. */
  readonly isPlain: boolean;
}

async function readFloats(
  file: Buffer,
  { space, isGrey }: { readonly space: string; readonly isGrey: boolean },
  limits: ImageLimits,
): Promise<Samples> {
  const image = sharp(file, { ...readOptions(limits), autoOrient: true }).pipelineColourspace(space);
  const part = isGrey ? image.toColourspace(space).extractChannel(0) : image.toColourspace(space);
  const { data, info } = await part.raw({ depth: 'float' }).toBuffer({ resolveWithObject: true });
  const list = floatsOf(data);
  const { width, height, channels: step } = info;
  return { width, height, lists: [list], step, shown: isGrey || step < 3 ? 1 : 3, isPlain: false };
}

async function readWide(wide: WideTiff, name: string, limits: ImageLimits): Promise<Samples> {
  const { width, height, samples, bits, format, isRgb, planes } = wide;
  const pixels = width * height;
  if (pixels > limits.maxPixels || pixels * samples > MAX_SAMPLES) throw tooManyPixels(name);
  const lists: ArrayLike<number | bigint>[] = [];
  for (const plane of planes) lists.push(await readPlane(plane, wide));
  const shown = isRgb && (lists.length === 3 || samples >= 3) ? 3 : 1;
  const step = lists.length === 1 && (lists[0]?.length ?? 0) >= pixels * samples ? samples : 1;
  return { width, height, lists, step, shown, isPlain: bits === 8 && format === 1 };
}

/** Sharp converts all numbers of up to 32 bits to floats; those of 64 bits come as two halves. */
async function readPlane(plane: Buffer, { bits, format, little }: WideTiff): Promise<ArrayLike<number | bigint>> {
  const image = sharp(plane, readOptions({ maxPixels: MAX_SAMPLES * 2 }));
  const { space } = await image.metadata();
  const depth = bits === 64 ? 'uint' : 'float';
  const read = await image.pipelineColourspace(space).toColourspace(space).raw({ depth }).toBuffer();
  if (bits !== 64) return floatsOf(read);
  const data = Uint8Array.from(read);
  if (!little) swapHalves(new Uint32Array(data.buffer));
  if (format === 3) return new Float64Array(data.buffer);
  return format === 2 ? new BigInt64Array(data.buffer) : new BigUint64Array(data.buffer);
}

function floatsOf(data: Buffer): Float32Array {
  const own = data.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0 ? data : Uint8Array.from(data);
  return new Float32Array(own.buffer, own.byteOffset, own.length / Float32Array.BYTES_PER_ELEMENT);
}

function swapHalves(words: Uint32Array): void {
  for (let at = 0; at + 1 < words.length; at += 2) {
    const first = words[at] ?? 0;
    words[at] = words[at + 1] ?? 0;
    words[at + 1] = first;
  }
}

const isMissing = (value: number): boolean => !(Math.abs(value) < MISSING);

function ofRaster(samples: Samples, { min, max }: Range): Sharp {
  const { width, height, shown } = samples;
  const factor = 255 / (max - min || 1);
  const data = Buffer.alloc(width * height * shown);
  eachSample(samples, (value, at) => {
    // Missing values stay black.
    if (!isMissing(value)) data[at] = Math.round((value - min) * factor);
    else if (value === Infinity) data[at] = 255;
  });
  return sharp(data, { raw: { width, height, channels: shown } });
}

function rangeOf(samples: Samples): Range {
  let [min, max] = [Infinity, -Infinity];
  eachSample(samples, (value) => {
    if (isMissing(value)) return;
    if (value < min) min = value;
    if (value > max) max = value;
  });
  return min > max ? { min: 0, max: 0 } : { min, max };
}

/** @param use receives each sample that is shown, with its position in the result */
function eachSample({ width, height, lists, step, shown }: Samples, use: (value: number, at: number) => void): void {
  for (let channel = 0; channel < shown; channel++) {
    const isSeparate = lists.length > 1;
    const list = lists[isSeparate ? channel : 0] ?? [];
    for (let pixel = 0; pixel < width * height; pixel++) {
      use(Number(list[isSeparate ? pixel : pixel * step + channel]), pixel * shown + channel);
    }
  }
}
