import {
  defaultImageLimits,
  naming,
  ownFormatOf,
  ownFormatSize,
  readHead,
  readOptions,
  type ImageLimits,
} from './image-source.js';
import { sharp } from './libvips.js';

export interface ImageInfo {
  /** Pixels, after the EXIF orientation has been applied. */
  width: number;
  height: number;
  /** jpeg, png, webp, tiff, gif, heif, bmp or ppm: by the content, whatever the name says. */
  format: string;
  /** Whether the stored pixels are turned or mirrored and have to be set upright. */
  turned: boolean;
}

/**
 * Reads the header of an image.
 * @param file path or content
 * @param name how the client calls the file, for errors
 * @throws MediaError for what is no image or too large; pixels that end early are found only when they are decoded
 */
export function probeImage(
  file: string | Buffer,
  name: string,
  limits: ImageLimits = defaultImageLimits,
): Promise<ImageInfo> {
  return naming(name, async () =>
    readHeader(typeof file === 'string' ? await readHead(file) : file, file, name, limits),
  );
}

/** @param head the beginning of `file`: as much as `readHead` gives */
export async function readHeader(
  head: Buffer,
  file: string | Buffer,
  name: string,
  limits: ImageLimits,
): Promise<ImageInfo> {
  const own = ownFormatOf(head);
  if (own) return { ...ownFormatSize(own, head, name, limits), format: own.name, turned: false };
  const { autoOrient, format, orientation = 1 } = await sharp(file, readOptions(limits)).metadata();
  return { width: autoOrient.width, height: autoOrient.height, format, turned: orientation > 1 };
}
