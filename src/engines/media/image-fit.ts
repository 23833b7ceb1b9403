import { probeImage } from './image-probe.js';
import { defaultImageLimits, naming, openImage, type ImageLimits } from './image-source.js';

const quality = 90;

/**
 * An image whose longer side has at most `side` pixels: the file itself where it is so already, else a smaller one in
 * the same format, upright.
 * @param file JPEG or PNG
 * @param name how the client calls the file, for errors
 * @throws MediaError for what is no image or too large
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
