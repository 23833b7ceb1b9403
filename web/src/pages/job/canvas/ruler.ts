import type { Point } from '#shared/annotations/editing/geometry';
import type { Bounds } from '../scene/drawing';
import { drawLabel } from './texts';

export interface Measurement {
  readonly from: Point;
  readonly to: Point;
}

const SIZE = 13;
const COLOR = '#ffb020';

/** Draws a measured distance, in pixels of the image, with the current transformation of the context. */
export function drawRuler(context: CanvasRenderingContext2D, { from, to }: Measurement, scale: number): void {
  const unit = 1 / scale;
  context.setLineDash([]);
  context.strokeStyle = COLOR;
  context.lineWidth = 2 * unit;
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
  const [width, height] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  const text = `${rounded(Math.hypot(width, height))} px (${rounded(width)} × ${rounded(height)})`;
  drawLabel(context, [text], { x: to.x + 10 * unit, y: to.y + 10 * unit }, scale, SIZE);
}

/** Shows the width and height of a box while it is drawn. */
export function drawSize(context: CanvasRenderingContext2D, { left, top, right, bottom }: Bounds, scale: number): void {
  const text = `${rounded(right - left)} × ${rounded(bottom - top)}`;
  drawLabel(context, [text], { x: right + 10 / scale, y: bottom + 10 / scale }, scale, SIZE);
}

const rounded = (value: number): string => (Math.round(value * 10) / 10).toString();
