import type { Bitmap } from '../../../../shared/annotations/mask.js';
import type { DatasetFrame } from '../dataset.js';
import type { FrameShape } from '../annotated-frames.js';
import { type ItemMask, masksOf, mergeGroups, paint, rotatedToPolygons } from './conversions.js';
import { encodePng, type Raster } from './png.js';

/** Everything on a frame that has an area, as masks; groups are united. */
export const areaMasks = (shapes: readonly FrameShape[], frame: DatasetFrame): ItemMask[] =>
  mergeGroups(masksOf(rotatedToPolygons(shapes), frame));

interface Layer {
  readonly bitmap: Bitmap;
  /** One value for each channel. */
  readonly color: readonly number[];
}

interface PixelType {
  readonly channels: 1 | 3;
  readonly bits: 8 | 16;
}

/**
 * Pixels of the frame's size with painted masks.
 * @param layers from the lowest to the highest
 * @param background of every channel
 */
export function paintedRaster(
  { width, height }: DatasetFrame,
  { channels, bits }: PixelType,
  layers: readonly Layer[],
  background = 0,
): Raster {
  const length = width * height * channels;
  const data = bits === 8 ? new Uint8Array(length) : new Uint16Array(length);
  if (background !== 0) data.fill(background);
  for (const { bitmap, color } of layers) paint({ width, data }, bitmap, color);
  return { width, height, channels, data };
}

/** A PNG of the frame's size with painted masks on black. @param layers from the lowest to the highest */
export const paintedPng = (frame: DatasetFrame, type: PixelType, layers: readonly Layer[]): Promise<Uint8Array> =>
  encodePng(paintedRaster(frame, type, layers));

export const RGB = { channels: 3, bits: 8 } as const;
export const GRAY = { channels: 1, bits: 8 } as const;
export const GRAY_16 = { channels: 1, bits: 16 } as const;
