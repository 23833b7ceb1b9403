import type { Point } from '#shared/annotations/editing/geometry';
import { numberOf } from '../scene/object-list';
import type { Bounds } from '../scene/drawing';
import type { SceneObject } from '../scene/scene';
import type { TextSettings } from '../settings/settings';
import { inverse, type Projection, turned, turnedBounds } from './viewport';

type Context = OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D;

/** Size and position of the texts next to objects. */
export interface TextStyle {
  /** In screen pixels. */
  readonly size: number;
  readonly where: TextSettings['where'];
}

const LINE_HEIGHT = 1.25;
const PADDING = 0.3;

/** @returns the lines next to an object */
export function textOf(object: SceneObject, { hasLabel, hasId, hasAttributes, hasSource }: TextSettings): string[] {
  const { labelName, id, source, attributes } = object;
  const first = [...(hasLabel ? [labelName] : []), ...(hasId ? [numberOf(id)] : []), ...(hasSource ? [source] : [])];
  return [
    ...(first.length > 0 ? [first.join(' ')] : []),
    ...(hasAttributes ? attributes.map(({ name, value }) => `${name}: ${value}`) : []),
  ];
}

/** Draws upright lines above an object or in its centre. */
export function drawText(
  context: Context,
  lines: readonly string[],
  bounds: Bounds,
  view: Projection,
  { size, where }: TextStyle,
): void {
  if (lines.length === 0) return;
  const { scale, angle } = view;
  const { left, top, right, bottom } = turnedBounds(bounds, angle);
  const { width, height } = sizeOf(context, lines, size / scale);
  const at =
    where === 'above'
      ? { x: left, y: top - height - (size * PADDING) / scale }
      : { x: (left + right - width) / 2, y: (top + bottom - height) / 2 };
  drawLabel(context, lines, turned(at, inverse(angle)), view, size);
}

/**
 * Draws upright lines on a dark ground.
 * @param at the top left corner, in pixels of the image
 * @param size in screen pixels
 */
export function drawLabel(
  context: Context,
  lines: readonly string[],
  at: Point,
  { scale, angle }: Projection,
  size: number,
): void {
  const em = size / scale;
  context.save();
  context.translate(at.x, at.y);
  context.rotate((-angle * Math.PI) / 180);
  const { width, height } = sizeOf(context, lines, em);
  context.textBaseline = 'top';
  context.fillStyle = 'rgb(20 24 27 / 75%)';
  context.fillRect(0, 0, width, height);
  context.fillStyle = '#ffffff';
  for (const [row, line] of lines.entries()) {
    context.fillText(line, em * PADDING, em * (PADDING + row * LINE_HEIGHT));
  }
  context.restore();
}

/** Selects the font, and measures lines in it. @param em size of the font, in pixels of the image */
function sizeOf(context: Context, lines: readonly string[], em: number): { width: number; height: number } {
  context.font = `${em}px sans-serif`;
  const width = Math.max(...lines.map((line) => context.measureText(line).width));
  return { width: width + 2 * em * PADDING, height: em * (lines.length * LINE_HEIGHT + PADDING) };
}
