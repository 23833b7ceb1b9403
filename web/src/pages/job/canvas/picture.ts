import type { Size } from './viewport';

/** Pixels of the image are shown as squares from this scale on. */
const SQUARES = 3;

/**
 * Draws the picture of a frame with the transformation that the context has.
 * @param size in the pixels that annotations count in
 * @param scale screen pixels for a pixel of the image
 */
export function drawPicture(
  context: CanvasRenderingContext2D,
  picture: ImageBitmap,
  { width, height }: Size,
  scale: number,
): void {
  context.imageSmoothingEnabled = scale < SQUARES;
  context.drawImage(picture, 0, 0, width, height);
}
