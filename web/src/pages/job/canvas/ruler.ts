import type { Point } from '#shared/annotations/editing/geometry';
import type { Bounds } from '../scene/drawing';
import { drawLabel } from './texts';
import { inverse, type Projection, turned, turnedBounds } from './viewport';

export interface Measurement {
  readonly from: Point;
  readonly to: Point;
}

const SIZE = 13;
/** Distance of a label from what it describes, in screen pixels. */
const GAP = 10;
const COLOR = '#ffb020';

/** Draws a measured distance, in pixels of the image, with the current transformation of the context. */
export function drawRuler(context: CanvasRenderingContext2D, { from, to }: Measurement, view: Projection): void {
  const unit = 1 / view.scale;
  context.setLineDash([]);
  context.strokeStyle = COLOR;
  context.lineWidth = 2 * unit;
  context.beginPath();
  context.moveTo(from.x, from.y);
  context.lineTo(to.x, to.y);
  context.stroke();
  const [width, height] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
  const text = `${rounded(Math.hypot(width, height))} px (${rounded(width)} × ${rounded(height)})`;
  const { x, y } = turned({ x: GAP * unit, y: GAP * unit }, inverse(view.angle));
  drawLabel(context, [text], { x: to.x + x, y: to.y + y }, view, SIZE);
}

/**
 * Shows the width and height of a box while it is drawn.
 * @param box left, top, right and bottom before its rotation
 * @param bounds after its rotation
 */
export function drawSize(
  context: CanvasRenderingContext2D,
  [left = 0, top = 0, right = 0, bottom = 0]: readonly number[],
  bounds: Bounds,
  view: Projection,
): void {
  const { right: x, bottom: y } = turnedBounds(bounds, view.angle);
  const at = turned({ x: x + GAP / view.scale, y: y + GAP / view.scale }, inverse(view.angle));
  drawLabel(context, [`${rounded(right - left)} × ${rounded(bottom - top)}`], at, view, SIZE);
}

const rounded = (value: number): string => (Math.round(value * 10) / 10).toString();
