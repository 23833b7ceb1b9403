import type { DatasetFrame } from '../dataset.js';
import type { FrameShape } from '../annotated-frames.js';
import type { Rgb } from './colors.js';
import { fillRun, type ItemMask, masksOf, mergeGroups, rotatedToPolygons } from './conversions.js';
import { FreeSpans } from './free-spans.js';
import { addRun, type Extent } from './mask-images.js';
import { encodePng, type Raster } from './png.js';
import { eachRunOf, type RunBitmap } from '../../run-bitmap.js';

/** Everything on a frame that has an area, as masks; groups are united. @throws FormatError if there is too much */
export const areaMasks = (shapes: readonly FrameShape[], frame: DatasetFrame): ItemMask[] =>
  mergeGroups(masksOf(rotatedToPolygons(shapes), frame));

export interface Layer {
  readonly bitmap: RunBitmap;
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
  layers: readonly Layer[],
  use: (raster: Raster) => T | Promise<T>,
  background = 0,
): Promise<T> {
  const length = width * height * channels;
  const buffer = bufferOf((length * bits) / 8);
  const data = bits === 8 ? new Uint8Array(buffer, 0, length) : new Uint16Array(buffer, 0, length);
  data.fill(background);
  eachVisibleRun({ width, height }, layers, ({ color }, row, start, end) =>
    fillRun(data, row * width + start, row * width + end, color),
  );
  try {
    return await use({ width, height, channels, data });
  } finally {
    release(buffer);
  }
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
  masks: readonly ItemMask[],
  colorOf: (at: number) => Rgb,
): PaintedLayers | undefined {
  const buffer = bufferOf(width * height * 3);
  const data = new Uint8Array(buffer, 0, width * height * 3).fill(0);
  const visible = new Map<number, Extent>();
  const layers = masks.map(({ bitmap }, at) => ({ bitmap, at, color: colorOf(at) }));
  eachVisibleRun({ width, height }, layers, ({ at, color }, row, start, end) => {
    addRun(visible, at, start, row, end);
    fillRun(data, row * width + start, row * width + end, color);
  });
  if (visible.size > 0) {
    const png = encodePng({ width, height, channels: 3, data }).finally(() => release(buffer));
    return { png, visible };
  }
  release(buffer);
  return undefined;
}

/** Calls back with every horizontal run of pixels of a layer that no later layer covers. */
function eachVisibleRun<Each extends { readonly bitmap: RunBitmap }>(
  { width, height }: Pick<DatasetFrame, 'width' | 'height'>,
  layers: readonly Each[],
  found: (layer: Each, row: number, start: number, end: number) => void,
): void {
  const free = new FreeSpans(width, height);
  for (const layer of layers.toReversed()) {
    const take = (row: number, start: number, end: number): void => found(layer, row, start, end);
    eachRunOf(layer.bitmap, (row, start, end) => free.take(row, start, end, take));
  }
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
