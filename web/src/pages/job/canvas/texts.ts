import { numberOf } from '../scene/object-list';
import type { Bounds } from '../scene/drawing';
import type { SceneObject } from '../scene/scene';
import type { TextSettings } from '../settings/settings';

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

/**
 * Draws lines above an object or in its centre.
 * @param scale screen pixels per pixel of the image
 */
export function drawText(
  context: Context,
  lines: readonly string[],
  bounds: Bounds,
  scale: number,
  style: TextStyle,
): void {
  if (lines.length === 0) return;
  const size = style.size / scale;
  context.font = `${size}px sans-serif`;
  context.textBaseline = 'top';
  const padding = size * PADDING;
  const width = Math.max(...lines.map((line) => context.measureText(line).width)) + 2 * padding;
  const height = lines.length * size * LINE_HEIGHT + padding;
  const { left, top, right, bottom } = bounds;
  const x = style.where === 'above' ? left : (left + right - width) / 2;
  const y = style.where === 'above' ? top - height - padding : (top + bottom - height) / 2;
  context.fillStyle = 'rgb(20 24 27 / 75%)';
  context.fillRect(x, y, width, height);
  context.fillStyle = '#ffffff';
  for (const [at, line] of lines.entries()) context.fillText(line, x + padding, y + padding + at * size * LINE_HEIGHT);
}
