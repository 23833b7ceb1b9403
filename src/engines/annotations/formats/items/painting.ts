import type { Bitmap } from '../../../../shared/annotations/mask.js';
import type { DatasetFrame } from '../dataset.js';
import type { FrameShape } from '../annotated-frames.js';
import { type ItemMask, masksOf, mergeGroups, paint, rotatedToPolygons } from './conversions.js';
import { encodePng } from './png.js';

/** Everything on a frame that has an area, as masks; groups are united. */
export const areaMasks = (shapes: readonly FrameShape[], frame: DatasetFrame): ItemMask[] =>
  mergeGroups(masksOf(rotatedToPolygons(shapes), frame));

interface Layer {
  readonly bitmap: Bitmap;
  /** One value for each channel. */
  readonly color: readonly number[];
}

/**
 * A PNG of the frame's size with painted masks on black.
 * @param layers from the lowest to the highest
 */
export function paintedPng(
  { width, height }: DatasetFrame,
  { channels, bits }: { readonly channels: 1 | 3; readonly bits: 8 | 16 },
  layers: readonly Layer[],
): Uint8Array {
  const length = width * height * channels;
  const data = bits === 8 ? new Uint8Array(length) : new Uint16Array(length);
  for (const { bitmap, color } of layers) paint({ width, data }, bitmap, color);
  return encodePng({ width, height, channels, data });
}

export const RGB = { channels: 3, bits: 8 } as const;
export const GRAY = { channels: 1, bits: 8 } as const;
export const GRAY_16 = { channels: 1, bits: 16 } as const;
