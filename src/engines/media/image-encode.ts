import { probeImage } from './image-probe.js';
import { defaultImageLimits, naming, openImage, readOptions, type ImageLimits } from './image-source.js';
import { readJpegHeader } from './jpeg/header.js';
import { type Requantise, requantise as requantiseHere } from './jpeg/requantise.js';
import { partsOf } from './jpeg/segments.js';
import { sharp, type Sharp } from './libvips.js';

const previewSize = 256;
const previewQuality = 75;

/** One pass over the pixels instead of two: files grow by about 5 %, the rate by about half. */
const fastJpeg = { optimiseCoding: false } as const;

export interface CompressedFrameOptions {
  /** 0 to 100. */
  readonly quality: number;
  readonly limits?: ImageLimits;
  readonly requantise?: Requantise;
}

/**
 * An image as it stands in compressed chunks: JPEG, upright, without alpha and metadata. Single-channel images of
 * more than 8 bits are stretched to their full range, since their values seldom use all of it. A JPEG that stands
 * upright already is not decoded, where that is possible.
 */
export function encodeCompressedFrame(
  file: Buffer,
  name: string,
  { quality, limits = defaultImageLimits, requantise = requantiseHere }: CompressedFrameOptions,
): Promise<Buffer> {
  const options = { ...fastJpeg, quality: Math.max(1, quality) };
  return naming(name, async () => {
    if (isUprightJpeg(file, limits)) {
      const coarser = await requantise(file, await modelOf(options));
      if (coarser !== undefined) return coarser;
    }
    return (await displayable(file, name, limits)).jpeg(options).toBuffer();
  });
}

function isUprightJpeg(file: Buffer, { maxPixels }: ImageLimits): boolean {
  const header = readJpegHeader(partsOf(file));
  return header !== undefined && header.orientation === 1 && header.width * header.height <= maxPixels;
}

const models = new Map<number, Promise<Buffer>>();

/** The smallest image that the encoder makes: its steps and codes are those of all others of this quality. */
function modelOf(options: { readonly quality: number }): Promise<Buffer> {
  const known = models.get(options.quality);
  if (known !== undefined) return known;
  const black = sharp({ create: { width: 1, height: 1, channels: 3, background: 'black' } });
  const model = black.jpeg(options).toBuffer();
  models.set(options.quality, model);
  return model;
}

/** An image fitted into 256×256 pixels, its aspect kept, never enlarged, as JPEG. */
export function encodePreview(file: Buffer, name: string, limits: ImageLimits = defaultImageLimits): Promise<Buffer> {
  return naming(name, async () => {
    const image = await displayable(file, name, limits);
    const box = { width: previewSize, height: previewSize, fit: 'inside', withoutEnlargement: true } as const;
    return image
      .resize(box)
      .jpeg({ ...fastJpeg, quality: previewQuality })
      .toBuffer();
  });
}

/**
 * An image as it stands in original chunks: its own bytes. Only turned images (set upright) and TIFF are encoded
 * anew, in their own format and depth.
 */
export function originalFrame(file: Buffer, name: string, limits: ImageLimits = defaultImageLimits): Promise<Buffer> {
  return naming(name, async () => {
    const { format, turned } = await probeImage(file, name, limits);
    if (!turned && format !== 'tiff') return file;
    const { depth, channels } = await sharp(file, readOptions(limits)).metadata();
    return inFormat(openImage(file, name, limits).keepIccProfile(), { format, depth, channels }).toBuffer();
  });
}

/** The 1×1 black JPEG that stands in a chunk for a frame outside the job. */
export async function placeholderFrame(): Promise<Buffer> {
  return sharp({ create: { width: 1, height: 1, channels: 3, background: 'black' } })
    .jpeg()
    .toBuffer();
}

/** The same pixels in a format that loses nothing of them (JPEG: next to nothing), in the depth that they had. */
export function inFormat(
  image: Sharp,
  { format, depth, channels }: { readonly format: string; readonly depth: string; readonly channels: number },
): Sharp {
  if (depth === 'ushort') image.toColourspace(channels < 3 ? 'grey16' : 'rgb16');
  switch (format) {
    case 'tiff':
      return image.tiff({ compression: 'lzw', predictor: 'horizontal' });
    case 'png':
      return image.png();
    case 'webp':
      return image.webp({ lossless: true });
    case 'heif':
      return image.avif({ lossless: true });
    default:
      return image.jpeg({ quality: 100, chromaSubsampling: '4:4:4' });
  }
}

/** Pixels as a screen shows them: 8 bits, no alpha (dropped, not blended). */
async function displayable(file: Buffer, name: string, limits: ImageLimits): Promise<Sharp> {
  const image = openImage(file, name, limits);
  const range = await deepGreyRange(file, limits);
  if (range) stretch(image, range);
  return image.removeAlpha();
}

interface Range {
  min: number;
  max: number;
}

/** The values used in a single-channel 16-bit image; null for all others. */
async function deepGreyRange(file: Buffer, limits: ImageLimits): Promise<Range | null> {
  if (!mayBeDeep(file)) return null;
  const { depth, channels } = await sharp(file, readOptions(limits)).metadata();
  if (depth !== 'ushort' || channels !== 1) return null;
  const { channels: statistics } = await sharp(file, readOptions(limits)).stats();
  return statistics[0] ?? null;
}

/** Only PNG and TIFF hold 16-bit grey: for the others the header need not be read once more. */
function mayBeDeep(file: Buffer): boolean {
  const start = file.toString('latin1', 0, 4);
  return start === '\x89PNG' || start.startsWith('II') || start.startsWith('MM');
}

function stretch(image: Sharp, { min, max }: Range): void {
  const factor = 65535 / Math.max(1, max - min);
  image.linear(factor, -min * factor);
}
