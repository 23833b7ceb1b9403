import { maskOutlines } from '../../../../shared/annotations/mask-outlines.js';
import type { ShapeType } from '../../../../shared/annotations/model.js';
import { TooManyCrossings } from '../../polygon-crossings.js';
import type { FrameShape } from '../annotated-frames.js';
import { type DatasetFrame, groupedBy } from '../dataset.js';
import { DrawingBudget } from './drawing-budget.js';
import { ellipseBitmap } from './ellipse.js';
import { cornersOf } from './items.js';
import { maskBitmap, polygonBitmap } from '../../rasterize.js';
import { areaOf, eachRunOf, type RunBitmap, toBitmap, TooManyRuns, unionOf } from '../../run-bitmap.js';

/** A shape as pixels. */
export interface ItemMask {
  /** The shape that the pixels come from: its label, attributes, group and z-order. */
  readonly shape: FrameShape;
  readonly bitmap: RunBitmap;
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

/**
 * The pixels of a shape within the image; undefined if there are none, and for shapes without an area.
 * @throws FormatError if drawing the shapes of the image takes too much time or memory
 */
export function bitmapOf(shape: FrameShape, frame: DatasetFrame, budget: DrawingBudget): RunBitmap | undefined {
  try {
    budget.spend(shape.points.length, 0);
    const bitmap = drawn(shape, frame, (work) => budget.spend(work, 0));
    budget.spend(0, (bitmap?.runs.length ?? 0) / 3);
    return bitmap;
  } catch (error) {
    if (error instanceof TooManyCrossings || error instanceof TooManyRuns) budget.refuse(error.message, error);
    throw error;
  }
}

function drawn(shape: FrameShape, frame: DatasetFrame, spend: (work: number) => void): RunBitmap | undefined {
  switch (shape.type) {
    case 'mask':
      return maskBitmap(shape.points, frame);
    case 'rectangle':
      return polygonBitmap(cornersOf(shape), frame, spend);
    case 'polygon':
      return polygonBitmap(shape.points, frame, spend);
    case 'ellipse':
      return ellipseBitmap(shape.points, shape.rotation, frame);
    case 'polyline':
    case 'points':
    case 'cuboid':
    case 'skeleton':
      return undefined;
  }
}

/**
 * The outlines of masks that are drawn on one image.
 * @returns undefined if an outline is too long
 * @throws FormatError, see {@link bitmapOf}
 */
export function outlinesOf(bitmap: RunBitmap, budget: DrawingBudget): number[][] | undefined {
  const { left, top, right, bottom } = bitmap;
  budget.spend(((right - left + 1) * (bottom - top + 1)) / PIXELS_AT_ONCE, 0);
  return maskOutlines(toBitmap(bitmap));
}

/** Pixels that are looked at in the time of one row or column of drawing. */
const PIXELS_AT_ONCE = 16;

/** The shapes of these types as pixels, in the same order. @throws FormatError, see {@link bitmapOf} */
export function masksOf(
  shapes: readonly FrameShape[],
  frame: DatasetFrame,
  types: ReadonlySet<ShapeType> = AREAS,
  budget = new DrawingBudget(frame),
): ItemMask[] {
  return shapes.flatMap((shape) => {
    const bitmap = types.has(shape.type) ? bitmapOf(shape, frame, budget) : undefined;
    return bitmap === undefined ? [] : [{ shape, bitmap }];
  });
}

const AREAS: ReadonlySet<ShapeType> = new Set(['rectangle', 'polygon', 'ellipse', 'mask']);

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
  const [first] = members;
  if (first === undefined) throw new Error('a group without masks');
  if (members.length === 1) return first;
  const sized = members.map((mask) => ({ mask, area: areaOf(mask.bitmap) }));
  const largest = sized.reduce((best, each) => (each.area > best.area ? each : best));
  return { shape: largest.mask.shape, bitmap: unionOf(members.map(({ bitmap }) => bitmap)) ?? first.bitmap };
}

/** In the order in which masks are painted: later ones cover earlier ones. */
export const byLayer = <Mask extends Pick<ItemMask, 'shape'>>(masks: readonly Mask[]): Mask[] =>
  masks.toSorted((a, b) => a.shape.z_order - b.shape.z_order);

/** Pixels to paint on. */
export interface Canvas {
  readonly width: number;
  readonly data: Uint8Array | Uint16Array;
}

/** Paints the foreground of a mask. @param color one value for each channel */
export function paint({ width, data }: Canvas, mask: RunBitmap, color: readonly number[]): void {
  eachRunOf(mask, (row, start, end) => fillRun(data, row * width + start, row * width + end, color));
}

/**
 * Paints a run of pixels.
 * @param start, end in pixels
 * @param color one value for each channel
 */
export function fillRun(data: Canvas['data'], start: number, end: number, color: readonly number[]): void {
  const channels = color.length;
  const [from, to] = [start * channels, end * channels];
  if (channels === 1) {
    data.fill(color[0] ?? 0, from, to);
    return;
  }
  if (from === to) return;
  data.set(color, from);
  // Copies twice as much each time, which is far faster than pixel by pixel.
  for (let done = channels; done < to - from; done *= 2)
    data.copyWithin(from + done, from, Math.min(from + done, to - done));
}
