import { probeImage } from './image-probe.js';
import { defaultImageLimits, type ImageLimits, naming, openImage } from './image-source.js';

const quality = 90;

/**
 * Limits the longer side of an image to `side` pixels. Returns the file itself if it fits, else a smaller upright image
 * in the same format.
 * @param file JPEG or PNG
 * @param name the client's name for the file, for errors
 * @throws MediaError if it is not an image or too large
 */
export function fitImage(
  file: Buffer,
  name: string,
  side: number,
  limits: ImageLimits = defaultImageLimits,
): Promise<Buffer> {
  return naming(name, async () => {
    const { width, height, format } = await probeImage(file, name, limits);
    if (Math.max(width, height) <= side) return file;
    const image = openImage(file, name, limits).resize({ width: side, height: side, fit: 'inside' });
    return format === 'png' ? image.png().toBuffer() : image.jpeg({ quality }).toBuffer();
  });
}

const SIGNATURES: readonly (readonly [type: FileType, offset: number, bytes: string])[] = [
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBP'],
  ['application/pdf', 0, '%PDF-'],
];

export type FileType = 'image/jpeg' | 'image/png' | 'image/webp' | 'image/gif' | 'application/pdf';

/** Detects the type of a file that a browser displays safely, by its first bytes; undefined for all others. */
export function fileTypeOf(content: Buffer): FileType | undefined {
  const head = content.toString('latin1', 0, 12);
  const found = SIGNATURES.find(([, offset, bytes]) => head.startsWith(bytes, offset))?.[0];
  return found === 'image/webp' && !head.startsWith('RIFF') ? undefined : found;
}
