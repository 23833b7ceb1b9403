import { readFile } from 'node:fs/promises';
import { firstPage, hasMorePages, layoutOf } from './first-page.js';
import { type JpegHeader, partsOf, type ReadPart, readJpegHeader } from './jpeg/header.js';
import {
  defaultImageLimits,
  isUnknownFormat,
  naming,
  ownFormatOf,
  ownFormatSize,
  readOptions,
  sniffedBytes,
  tooManyPixels,
  withParts,
  type ImageLimits,
} from './image-source.js';
import { sharp } from './libvips.js';
import { unreadableImage } from './media-error.js';
import { wideTiff, type WideTiff } from './wide-tiff.js';

export interface ImageInfo {
  /** Pixels, after applying the EXIF orientation. */
  width: number;
  height: number;
  /** jpeg, png, webp, tiff, gif, heif, bmp or ppm: detected by content, regardless of the name. */
  format: string;
  /** Whether the stored pixels are rotated or mirrored and must be corrected. */
  turned: boolean;
}

/** Information from the beginning of an image. */
export interface ImageStart {
  /** As many bytes as are needed for the formats that libvips does not read. */
  readonly head: Buffer;
  /** Only for typical JPEGs. */
  readonly jpeg: JpegHeader | undefined;
  /** Whether there are pages after the first. */
  readonly hasMorePages: boolean;
}

/**
 * Reads the header of an image.
 * @param file path or content
 * @param name the client's name for the file, for errors
 * @throws MediaError if it is not an image or too large. Truncated pixels are detected only when they are decoded
 */
export function probeImage(
  file: string | Buffer,
  name: string,
  limits: ImageLimits = defaultImageLimits,
): Promise<ImageInfo> {
  return naming(name, async () => {
    const start = typeof file === 'string' ? withParts(file, ({ read }) => readStart(read)) : readStart(partsOf(file));
    return readHeader(start, file, name, limits);
  });
}

export const readStart = (read: ReadPart): ImageStart => ({
  head: read(0, sniffedBytes),
  jpeg: readJpegHeader(read),
  hasMorePages: hasMorePages(read),
});

export async function readHeader(
  { head, jpeg, hasMorePages: isPaged }: ImageStart,
  file: string | Buffer,
  name: string,
  limits: ImageLimits,
): Promise<ImageInfo> {
  if (jpeg) return ofJpeg(jpeg, name, limits);
  const own = ownFormatOf(head);
  if (own) return { ...ownFormatSize(own, head, name, limits), format: own.name, turned: false };
  const whole = async (): Promise<Buffer> => (typeof file === 'string' ? readFile(file) : file);
  try {
    return await readMetadata(isPaged ? firstPage(await whole()) : file, limits);
  } catch (error) {
    const wide = layoutOf(head.subarray(0, 16)) && wideTiff(await whole());
    if (wide !== undefined) return ofWideTiff(wide, name, limits);
    const isKnown = KNOWN_FORMATS.test(head.toString('latin1'));
    throw isKnown && isUnknownFormat(error) ? unreadableImage(name, error) : error;
  }
}

function ofWideTiff({ width, height }: WideTiff, name: string, { maxPixels }: ImageLimits): ImageInfo {
  if (width * height > maxPixels) throw tooManyPixels(name);
  return { width, height, format: 'tiff', turned: false };
}

async function readMetadata(file: string | Buffer, limits: ImageLimits): Promise<ImageInfo> {
  const { autoOrient, format, orientation = 1 } = await sharp(file, readOptions(limits)).metadata();
  return { width: autoOrient.width, height: autoOrient.height, format, turned: orientation > 1 };
}

/** First bytes of the formats of libvips, which does not recognize files that end within their header. */
const KNOWN_FORMATS = /^(\xff\xd8\xff|\x89PNG|GIF8|RIFF[^]{4}WEBP|II[*+]\0|MM\0[*+]|[^]{4}ftyp)/;

function ofJpeg({ width, height, orientation }: JpegHeader, name: string, { maxPixels }: ImageLimits): ImageInfo {
  if (width * height > maxPixels) throw tooManyPixels(name);
  const upright = orientation < 5 ? { width, height } : { width: height, height: width };
  return { ...upright, format: 'jpeg', turned: orientation > 1 };
}
