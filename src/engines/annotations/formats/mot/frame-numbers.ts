import type { DatasetFrame } from '../dataset.js';
import { withoutExtension } from '../import-batch.js';

/** A number without zeros in front, as text: names of images can have more digits than numbers. */
export const plainNumber = (digits: string): string => digits.replace(/^0+(?=\d)/, '');

/**
 * The frame numbers of images. An image that is called like a number has this number, as in CVAT; others have their
 * position, from 1. If two images would have the same number, all have their positions.
 * @param ids names of the images without extension
 */
export function frameNumbers(ids: readonly string[]): readonly string[] {
  const positions = ids.map((_, at) => String(at + 1));
  const numbers = ids.map((id, at) => (/^\d+$/.test(id) ? plainNumber(id) : String(at + 1)));
  return new Set(numbers).size === ids.length ? numbers : positions;
}

/** The frames by the numbers that an export gives them. */
export const numberedFrames = (frames: readonly DatasetFrame[]): Map<string, DatasetFrame> => {
  const numbers = frameNumbers(frames.map(({ name }) => withoutExtension(name)));
  return new Map(frames.map((frame, at) => [numbers[at] ?? '', frame]));
};
