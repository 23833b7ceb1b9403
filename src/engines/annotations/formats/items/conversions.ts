import { type Bitmap, emptyBitmap, maskBitmap, pixelCount } from '../../../../shared/annotations/mask.js';
import type { ShapeType } from '../../../../shared/annotations/model.js';
import type { FrameShape } from '../annotated-frames.js';
import { type DatasetFrame, groupedBy } from '../dataset.js';
import { cornersOf } from './items.js';
import { eachPolygonRun, ellipseBitmap, polygonBitmap } from './rasterize.js';

/** A shape as pixels. */
export interface ItemMask {
  /** The shape that the pixels come from: its label, attributes, group and z-order. */
  readonly shape: FrameShape;
  readonly bitmap: Bitmap;
}

const isRotated = ({ type, rotation }: FrameShape): boolean => type === 'rectangle' && rotation % 360 !== 0;

/** Turns rotated rectangles into polygons, which stand after all other shapes. */
export function rotatedToPolygons(shapes: readonly FrameShape[]): FrameShape[] {
  const rotated = shapes.filter(isRotated).map((shape) => ({
    ...shape,
    type: 'polygon' as const,
    points: cornersOf(shape),
    rotation: 0,
  }));
  return [...shapes.filter((shape) => !isRotated(shape)), ...rotated];
}

/** The pixels of a shape within the image; undefined if there are none, and for shapes without an area. */
export function bitmapOf(shape: FrameShape, { width, height }: DatasetFrame): Bitmap | undefined {
  switch (shape.type) {
    case 'mask':
      return maskBitmap(shape.points, { left: 0, top: 0, right: width - 1, bottom: height - 1 });
    case 'rectangle':
      return polygonBitmap(cornersOf(shape), width, height);
    case 'polygon':
      return polygonBitmap(shape.points, width, height);
    case 'ellipse':
      return ellipseBitmap(shape.points, shape.rotation, width, height);
    case 'polyline':
    case 'points':
    case 'cuboid':
    case 'skeleton':
      return undefined;
  }
}

/** The shapes of these types as pixels, in the same order. */
export function masksOf(
  shapes: readonly FrameShape[],
  frame: DatasetFrame,
  types: ReadonlySet<ShapeType> = AREAS,
): ItemMask[] {
  return shapes.flatMap((shape) => {
    const bitmap = types.has(shape.type) ? bitmapOf(shape, frame) : undefined;
    return bitmap === undefined ? [] : [{ shape, bitmap }];
  });
}

const AREAS: ReadonlySet<ShapeType> = new Set(['rectangle', 'polygon', 'ellipse', 'mask']);

export const hasArea = ({ type }: FrameShape): boolean => AREAS.has(type);

/**
 * Unites the masks of each group. Masks without a group come first, then the groups in the order of their numbers. A
 * united mask has the label, attributes and z-order of the one with the largest area.
 */
export function mergeGroups(masks: readonly ItemMask[]): ItemMask[] {
  const groups = groupedBy(masks, ({ shape }) => shape.group ?? 0);
  const numbers = [...groups.keys()].toSorted((a, b) => a - b);
  return numbers.flatMap((number) => {
    const members = groups.get(number) ?? [];
    return number === 0 ? members : [united(members)];
  });
}

function united(members: readonly ItemMask[]): ItemMask {
  const largest = members.reduce((best, mask) => (pixelCount(mask.bitmap) > pixelCount(best.bitmap) ? mask : best));
  if (members.length === 1) return largest;
  const bitmap = emptyBitmap({
    left: Math.min(...members.map((mask) => mask.bitmap.left)),
    top: Math.min(...members.map((mask) => mask.bitmap.top)),
    right: Math.max(...members.map((mask) => mask.bitmap.right)),
    bottom: Math.max(...members.map((mask) => mask.bitmap.bottom)),
  });
  const canvas = { ...bitmap, data: bitmap.pixels };
  for (const mask of members) paint(canvas, mask.bitmap, [1]);
  return { shape: largest.shape, bitmap };
}

/** In the order in which masks are painted: later ones cover earlier ones. */
export const byLayer = <Mask extends Pick<ItemMask, 'shape'>>(masks: readonly Mask[]): Mask[] =>
  masks.toSorted((a, b) => a.shape.z_order - b.shape.z_order);

/** Pixels to paint on; the position of the first is 0, 0 if absent. */
export interface Canvas {
  readonly width: number;
  readonly left?: number;
  readonly top?: number;
  readonly data: Uint8Array | Uint16Array | Uint32Array;
}

/** Paints the foreground of a mask. @param color one value for each channel */
export function paint({ width, left = 0, top = 0, data }: Canvas, mask: Bitmap, color: readonly number[]): void {
  const { pixels } = mask;
  const channels = color.length;
  for (let row = 0; row < mask.height; row++) {
    const first = row * mask.width;
    const end = first + mask.width;
    const offset = (mask.top - top + row) * width + mask.left - left - first;
    for (let at = first; at < end; at++) {
      if (pixels[at] !== 1) continue;
      const start = at;
      while (at < end && pixels[at] === 1) at++;
      fillRun(data, (offset + start) * channels, (offset + at) * channels, color);
    }
  }
}

/** As {@link bitmapOf} and {@link paint}, but without bitmaps of polygons, which take longer than painting them. */
export function paintShape(canvas: Canvas, shape: FrameShape, frame: DatasetFrame, color: readonly number[]): void {
  if (shape.type === 'polygon' || shape.type === 'rectangle') {
    const { width, left = 0, top = 0, data } = canvas;
    const points = shape.type === 'polygon' ? shape.points : cornersOf(shape);
    eachPolygonRun(points, frame.width, frame.height, (row, start, end) => {
      const first = (row - top) * width - left;
      fillRun(data, (first + start) * color.length, (first + end) * color.length, color);
    });
    return;
  }
  const bitmap = bitmapOf(shape, frame);
  if (bitmap !== undefined) paint(canvas, bitmap, color);
}

/** @param color one value for each channel */
export function fillRun(data: Canvas['data'], start: number, end: number, color: readonly number[]): void {
  const [red = 0, green = 0, blue = 0] = color;
  if (color.length === 1) data.fill(red, start, end);
  else if (color.length === 3) {
    for (let at = start; at < end; at += 3) {
      data[at] = red;
      data[at + 1] = green;
      data[at + 2] = blue;
    }
  } else for (let at = start; at < end; at += color.length) data.set(color, at);
}
