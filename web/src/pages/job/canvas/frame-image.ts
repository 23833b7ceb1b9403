import type { Size } from './viewport';

/** Above this scale, pixels of the image are drawn as squares. */
const SQUARES = 4;

/**
 * Draws the image of a frame with the current transformation of the context.
 * @param size of the original frame, the unit of annotations
 * @param scale screen pixels per pixel of the image
 * @param isSmooth whether the image is smoothed at every scale
 */
export function drawFrameImage(
  context: CanvasRenderingContext2D,
  image: ImageBitmap,
  { width, height }: Size,
  scale: number,
  isSmooth: boolean,
): void {
  context.imageSmoothingEnabled = isSmooth || scale <= SQUARES;
  context.drawImage(image, 0, 0, width, height);
}
