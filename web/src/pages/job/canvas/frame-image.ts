import type { Size } from './viewport';

/** From this scale on, pixels of the image are drawn as squares. */
const SQUARES = 3;

/**
 * Draws the image of a frame with the current transformation of the context.
 * @param size of the original frame, the unit of annotations
 * @param scale screen pixels per pixel of the image
 */
export function drawFrameImage(
  context: CanvasRenderingContext2D,
  image: ImageBitmap,
  { width, height }: Size,
  scale: number,
): void {
  context.imageSmoothingEnabled = scale < SQUARES;
  context.drawImage(image, 0, 0, width, height);
}
