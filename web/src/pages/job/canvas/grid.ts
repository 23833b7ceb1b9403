import type { GridSettings } from '../settings/settings';
import { type Size, toImage, type View } from './viewport';

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
  const from = toImage(view, { x: 0, y: 0 });
  const to = toImage(view, { x: screen.width, y: screen.height });
  const [left, top] = [Math.max(0, from.x), Math.max(0, from.y)];
  const [right, bottom] = [Math.min(image.width, to.x), Math.min(image.height, to.y)];
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
