import { boxOf, type Point, type Size } from '#shared/annotations/editing/geometry';
import type { Geometry } from '#shared/annotations/model';
import { handlePositions, isBox } from '../editing/handles';
import { BOXES } from '../editing/sketch';
import { boundsOf, drawingsOf } from '../scene/drawing';
import type { Display } from '../settings/settings';
import { DOT } from './content';
import { Painter } from './painter';
import { drawSize } from './ruler';
import type { Projection } from './viewport';

const HANDLE = 4.5;
const HANDLE_COLOR = '#ffffff';
const ROTATION_COLOR = '#ffb020';
/** Of the first vertex of an outline. */
const FIRST_COLOR = '#30d158';
const SNAP_COLOR = '#ffb020';
const SNAP_RING = 7;
const BOX_DASHES = [4, 4];

/** What the shapes under the pointer are painted on, and how. */
export interface Surface {
  image(): Size;
  view(): Projection;
  display(): Display;
}

/** Paints a shape that is being drawn or dragged, with the size of its box. */
export function paintShape(context: CanvasRenderingContext2D, shape: Geometry, color: string, surface: Surface): void {
  const { type, points, rotation } = shape;
  const { selectedFill, outline, texts } = surface.display();
  const style = { fill: selectedFill, line: outline * 1.4, dot: DOT, text: texts };
  const drawings = drawingsOf({ type: type === 'skeleton' ? 'points' : type, points, rotation });
  const bounds = boundsOf(drawings) ?? { left: 0, top: 0, right: 0, bottom: 0 };
  const { scale } = surface.view();
  new Painter(surface.image()).draw(context, { color, isDashed: false, drawings, bounds, text: [] }, scale, style);
  const box = isBox(shape) ? boxOf(shape) : [bounds.left, bounds.top, bounds.right, bounds.bottom];
  if (BOXES.has(type)) drawSize(context, box, bounds, surface.view());
}

/** @param unit a screen pixel in pixels of the image */
export function paintHandles(context: CanvasRenderingContext2D, geometry: Geometry, unit: number): void {
  const { points, rotation, box } = handlePositions(geometry, unit);
  if (box !== undefined) paintBox(context, box, unit);
  context.lineWidth = unit;
  context.strokeStyle = '#000000';
  const dot = (x: number, y: number, color: string): void => {
    context.beginPath();
    context.arc(x, y, HANDLE * unit, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    context.stroke();
  };
  const isOutline = geometry.type === 'polygon' || geometry.type === 'polyline';
  for (let i = 0; i < points.length; i += 2) {
    dot(points[i] ?? 0, points[i + 1] ?? 0, isOutline && i === 0 ? FIRST_COLOR : HANDLE_COLOR);
  }
  if (rotation !== undefined) dot(...rotation, ROTATION_COLOR);
}

/** Marks where the pointer snaps to an outline. */
export function paintSnap(context: CanvasRenderingContext2D, { x, y }: Point, unit: number): void {
  context.beginPath();
  context.arc(x, y, SNAP_RING * unit, 0, 2 * Math.PI);
  context.lineWidth = 2 * unit;
  context.strokeStyle = SNAP_COLOR;
  context.stroke();
}

/** Draws the box around a skeleton. */
function paintBox(
  context: CanvasRenderingContext2D,
  [left = 0, top = 0, right = 0, bottom = 0]: readonly number[],
  unit: number,
): void {
  context.lineWidth = unit;
  context.strokeStyle = HANDLE_COLOR;
  context.setLineDash(BOX_DASHES.map((length) => length * unit));
  context.strokeRect(left, top, right - left, bottom - top);
  context.setLineDash([]);
}
