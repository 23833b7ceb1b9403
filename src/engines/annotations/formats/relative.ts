import { type FileLocation, refuse } from './format.js';

/** How far annotations may reach beyond the image, in images. Pixels are beyond that. */
const BEYOND = 1;

/**
 * Checks coordinates and sizes that a format gives as parts of the image.
 * @throws FormatError that names the first one which is more than an image away from it
 */
export function requireRelative(values: readonly number[], location: FileLocation): void {
  const wrong = values.find((value) => value < -BEYOND || value > 1 + BEYOND);
  if (wrong === undefined) return;
  refuse(location, `${wrong} is beyond the image: coordinates are parts of its width and height, from 0 to 1`);
}
