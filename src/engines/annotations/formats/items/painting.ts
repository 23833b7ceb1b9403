import type { Bitmap } from '../../../../shared/annotations/mask.js';
import type { DatasetFrame } from '../dataset.js';
import type { FrameShape } from '../annotated-frames.js';
import type { Rgb } from './colors.js';
import {
  bitmapOf,
  type Canvas,
  fillRun,
  hasArea,
  type ItemMask,
  masksOf,
  mergeGroups,
  paint,
  paintShape,
  rotatedToPolygons,
} from './conversions.js';
import { addRun, eachRun, type Extent, type RunFound } from './mask-images.js';
import { encodePng, type Raster } from './png.js';

/** Everything on a frame that has an area, as masks; groups are united. */
export const areaMasks = (shapes: readonly FrameShape[], frame: DatasetFrame): ItemMask[] =>
  mergeGroups(masksOf(rotatedToPolygons(shapes), frame));

export interface Layer {
  readonly bitmap: Bitmap;
  /** One value for each channel. */
  readonly color: readonly number[];
}

interface PixelType {
  readonly channels: 1 | 3;
  readonly bits: 8 | 16;
}

/**
 * Paints masks on pixels of the frame's size. They are valid until `use` has ended: then their memory is used again.
 * @param layers from the lowest to the highest
 * @param background of every channel
 */
export async function withPainted<T>(
  { width, height }: DatasetFrame,
  { channels, bits }: PixelType,
  layers: Iterable<Layer>,
  use: (raster: Raster) => T | Promise<T>,
  background = 0,
): Promise<T> {
  const length = width * height * channels;
  const buffer = bufferOf((length * bits) / 8);
  const data = bits === 8 ? new Uint8Array(buffer, 0, length) : new Uint16Array(buffer, 0, length);
  data.fill(background);
  for (const { bitmap, color } of layers) paint({ width, data }, bitmap, color);
  try {
    return await use({ width, height, channels, data });
  } finally {
    release(buffer);
  }
}

/** A mask that is drawn when it is needed: those of a frame with many shapes may take more memory than everything else. */
export interface PendingMask {
  readonly shape: FrameShape;
  /** @returns undefined if no pixel is in the image */
  draw(): Bitmap | undefined;
  /** @param color one value for each channel */
  paintOn(canvas: Canvas, color: readonly number[]): void;
}

/** As {@link areaMasks}. Groups are already drawn, because their shape depends on the areas of their members. */
export function pendingMasks(shapes: readonly FrameShape[], frame: DatasetFrame): PendingMask[] {
  const areas = rotatedToPolygons(shapes).filter(hasArea);
  const single = areas.filter(({ group }) => !group);
  const members = areas.filter(({ group }) => group);
  return [
    ...single.map((shape): PendingMask => ({
      shape,
      draw: () => bitmapOf(shape, frame),
      paintOn: (canvas, color) => paintShape(canvas, shape, frame, color),
    })),
    ...mergeGroups(masksOf(members, frame)).map(({ shape, bitmap }): PendingMask => ({
      shape,
      draw: () => bitmap,
      paintOn: (canvas, color) => paint(canvas, bitmap, color),
    })),
  ];
}

interface PaintedLayers {
  /** Encoded outside of the main thread. */
  readonly png: Promise<Uint8Array>;
  /** The pixels of each mask that no upper layer covers, by the position of the mask. */
  readonly visible: ReadonlyMap<number, Extent>;
}

/**
 * Paints masks on black, and finds which pixels of each are visible.
 * @param masks from the lowest to the highest
 * @param colorOf the colour of the mask at a position, not black
 * @returns undefined if no mask has pixels in the image
 */
export function paintedLayers(
  { width, height }: DatasetFrame,
  masks: readonly PendingMask[],
  colorOf: (at: number) => Rgb,
): PaintedLayers | undefined {
  const buffer = bufferOf(width * height * 3);
  const data = new Uint8Array(buffer, 0, width * height * 3).fill(0);
  const visible = new Map<number, Extent>();
  eachVisibleRun(width, height, masks, (at, x, y, end) => {
    addRun(visible, at, x, y, end);
    fillRun(data, (y * width + x) * 3, (y * width + end) * 3, colorOf(at));
  });
  if (visible.size > 0) {
    const png = encodePng({ width, height, channels: 3, data }).finally(() => release(buffer));
    return { png, visible };
  }
  release(buffer);
  return undefined;
}

/**
 * Calls back with every horizontal run of pixels of a mask that no later mask covers. Painting the numbers of the masks
 * first takes less time than finding for each mask what covers it.
 */
function eachVisibleRun(width: number, height: number, masks: readonly PendingMask[], found: RunFound): void {
  const size = width * height;
  const Numbers = masks.length < 2 ** 16 ? Uint16Array : Uint32Array;
  const buffer = bufferOf(size * Numbers.BYTES_PER_ELEMENT);
  const data = new Numbers(buffer, 0, size).fill(0);
  for (const [at, { paintOn }] of masks.entries()) paintOn({ width, data }, [at + 1]);
  eachRun(data, width, (number, x, y, end) => {
    if (number !== 0) found(number - 1, x, y, end);
  });
  release(buffer);
}

/** Memory for images. Allocating it for each one takes as much time as painting. */
const spare: ArrayBuffer[] = [];
const MAX_SPARE = 4;
const MAX_SPARE_BYTES = 2 ** 24;

function release(buffer: ArrayBuffer): void {
  if (spare.length < MAX_SPARE && buffer.byteLength <= MAX_SPARE_BYTES) spare.push(buffer);
}

function bufferOf(bytes: number): ArrayBuffer {
  const at = spare.findIndex(({ byteLength }) => byteLength >= bytes);
  return spare.splice(at, at === -1 ? 0 : 1)[0] ?? new ArrayBuffer(bytes);
}

/** A PNG of the frame's size with painted masks on black. @param layers from the lowest to the highest */
export const paintedPng = (frame: DatasetFrame, type: PixelType, layers: readonly Layer[]): Promise<Uint8Array> =>
  withPainted(frame, type, layers, encodePng);

export const RGB = { channels: 3, bits: 8 } as const;
export const GRAY = { channels: 1, bits: 8 } as const;
export const GRAY_16 = { channels: 1, bits: 16 } as const;
