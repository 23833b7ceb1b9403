import type { GridSettings } from '../settings/settings';
import { inSight, type Size, type View } from './viewport';

/** Nearer lines, in screen pixels, would hide the image. */
const NEAREST = 4;

/** Draws a grid over the visible part of the image, with the current transformation of the context. */
export function drawGrid(
  context: CanvasRenderingContext2D,
  { isShown, size, opacity }: GridSettings,
  image: Size,
  view: View,
  screen: Size,
): void {
  if (!isShown || size * view.scale < NEAREST) return;
  const seen = inSight(view, screen);
  const [left, top] = [Math.max(0, seen.left), Math.max(0, seen.top)];
  const [right, bottom] = [Math.min(image.width, seen.right), Math.min(image.height, seen.bottom)];
  context.beginPath();
  for (let x = Math.ceil(left / size) * size; x <= right; x += size) {
    context.moveTo(x, top);
    context.lineTo(x, bottom);
  }
  for (let y = Math.ceil(top / size) * size; y <= bottom; y += size) {
    context.moveTo(left, y);
    context.lineTo(right, y);
  }
  context.globalAlpha = opacity;
  context.strokeStyle = '#ffffff';
  context.setLineDash([]);
  context.lineWidth = 1 / view.scale;
  context.stroke();
  context.globalAlpha = 1;
}
