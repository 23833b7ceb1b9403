import type { Bounds } from '../scene/drawing';
import type { Display } from '../settings/settings';
import { type CanvasContent, DOT, painted } from './content';
import type { Painter } from './painter';
import { drawText, textOf } from './texts';
import type { Projection } from './viewport';

interface Marked {
  readonly selected: readonly string[];
  readonly hovered: string | null;
}

const STRONGER = 1.8;
const GAP = 5;

/** Highlights the selected objects and the one under the pointer. */
export function drawMarks(
  context: CanvasRenderingContext2D,
  painter: Painter,
  { objects }: CanvasContent,
  { selectedFill, outline, texts }: Display,
  { selected, hovered }: Marked,
  view: Projection,
): void {
  const selectedKeys = new Set(selected);
  const style = { fill: selectedFill, line: outline * STRONGER, dot: DOT * 1.4, text: texts };
  for (const shown of objects) {
    const { key, bounds } = shown.object;
    if (!selectedKeys.has(key) && key !== hovered) continue;
    for (const shape of painted(shown)) painter.draw(context, shape, view.scale, style);
    if (bounds === undefined) continue;
    if (texts.which === 'selected') drawText(context, textOf(shown.object, texts), bounds, view, texts);
    if (selectedKeys.has(key)) drawFrameAround(context, bounds, 1 / view.scale);
  }
}

/** @param unit size of a screen pixel in pixels of the image */
function drawFrameAround(context: CanvasRenderingContext2D, bounds: Bounds, unit: number): void {
  const { left, top, right, bottom } = bounds;
  const gap = GAP * unit;
  context.setLineDash([4 * unit, 3 * unit]);
  context.lineWidth = unit;
  context.strokeStyle = '#ffffff';
  context.strokeRect(left - gap, top - gap, right - left + 2 * gap, bottom - top + 2 * gap);
  context.setLineDash([]);
}
