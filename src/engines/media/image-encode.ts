import { firstPage } from './first-page.js';
import { probeImage } from './image-probe.js';
import { defaultImageLimits, type ImageLimits, naming, openImage, readOptions } from './image-source.js';
import { partsOf, readJpegHeader, splitProfile, withProfile } from './jpeg/header.js';
import { type Requantise, requantise as requantiseHere } from './jpeg/requantise.js';
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
 * more than 8 bits are stretched to their full range, since their values seldom use all of it. A JPEG keeps its colour
 * profile and the pixels that go with it, and is not decoded where that is possible; other images become sRGB.
 */
export function encodeCompressedFrame(
  file: Buffer,
  name: string,
  { quality, limits = defaultImageLimits, requantise = requantiseHere }: CompressedFrameOptions,
): Promise<Buffer> {
  const options = { ...fastJpeg, quality: Math.max(1, quality) };
  const encode = async (image: Buffer): Promise<Buffer> =>
    (await displayable(image, name, limits)).jpeg(options).toBuffer();
  return naming(name, async () => {
    const header = readJpegHeader(partsOf(file));
    const split = header && splitProfile(file);
    if (header === undefined || split === undefined) return encode(file);
    const { plain, profile } = split;
    const isUpright = header.orientation === 1 && header.width * header.height <= limits.maxPixels;
    const coarser = isUpright ? await requantise(plain, await modelOf(options)) : undefined;
    return withProfile(coarser ?? (await encode(plain)), profile);
  });
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
 * An image as it stands in original chunks: its own bytes. Only turned images are encoded anew, upright, in their own
 * format and depth.
 */
export function originalFrame(file: Buffer, name: string, limits: ImageLimits = defaultImageLimits): Promise<Buffer> {
  return naming(name, async () => {
    const { format, turned } = await probeImage(file, name, limits);
    if (!turned) return file;
    const { depth, space } = await sharp(firstPage(file), readOptions(limits)).metadata();
    return inFormat(openImage(file, name, limits).keepIccProfile(), { format, depth, space }).toBuffer();
  });
}

/** The same as a JPEG: one that is no JPEG is encoded as one of the best quality. */
export async function originalJpeg(
  file: Buffer,
  name: string,
  limits: ImageLimits = defaultImageLimits,
): Promise<Buffer> {
  const { format } = await naming(name, () => probeImage(file, name, limits));
  return format === 'jpeg'
    ? originalFrame(file, name, limits)
    : encodeCompressedFrame(file, name, { quality: 100, limits });
}

/** The 1×1 black JPEG that stands in a chunk for a frame outside the job. */
export async function placeholderFrame(): Promise<Buffer> {
  return sharp({ create: { width: 1, height: 1, channels: 3, background: 'black' } })
    .jpeg()
    .toBuffer();
}

/** Colour spaces in which pixels are written as they were read; all others (palettes, Lab) become sRGB. */
const KEPT_SPACES: ReadonlySet<string> = new Set(['b-w', 'grey16', 'rgb16', 'scrgb', 'cmyk']);

/**
 * The same pixels in a format that loses nothing of them (JPEG: next to nothing), in the depth and the colour space that
 * they had.
 */
export function inFormat(
  image: Sharp,
  { format, depth, space }: { readonly format: string; readonly depth: string; readonly space: string },
): Sharp {
  if (KEPT_SPACES.has(space)) image.pipelineColourspace(space).toColourspace(space);
  switch (format) {
    case 'tiff':
      // Differences of neighbours are defined for whole numbers only (TIFF 6.0, section 14).
      return image.tiff({ compression: 'lzw', predictor: depth === 'float' ? 'none' : 'horizontal' });
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
  readonly min: number;
  readonly max: number;
  /** What is shown as white in the image's colour space. */
  readonly white: number;
}

/** The values used in a single-channel image of more than 8 bits; null for all others. */
async function deepGreyRange(file: Buffer, limits: ImageLimits): Promise<Range | null> {
  if (!mayBeDeep(file)) return null;
  const first = firstPage(file);
  const { depth, channels, space } = await sharp(first, readOptions(limits)).metadata();
  if (depth === 'uchar' || channels !== 1) return null;
  const { channels: statistics } = await sharp(first, readOptions(limits)).stats();
  const [{ min, max } = { min: 0, max: 0 }] = statistics;
  return { min, max, white: space === 'grey16' ? 65535 : 255 };
}

/** Only PNG and TIFF hold deep greys: for the others the header need not be read once more. */
function mayBeDeep(file: Buffer): boolean {
  const start = file.toString('latin1', 0, 4);
  return start === '\x89PNG' || start.startsWith('II') || start.startsWith('MM');
}

function stretch(image: Sharp, { min, max, white }: Range): void {
  const factor = white / (max - min || 1);
  image.linear(factor, -min * factor);
}
