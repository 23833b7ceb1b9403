import type { FormatInfo } from '../format.js';

export const panopticInfo: FormatInfo = {
  name: 'COCO Panoptic 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** Numbers of segments are colours: red is the lowest byte. */
export const colorOf = (segment: number): readonly [red: number, green: number, blue: number] => [
  segment & 0xff,
  (segment >> 8) & 0xff,
  (segment >> 16) & 0xff,
];

/** The colour of a segment as one number, in which red is the highest byte. */
export function colorValue(segment: number): number {
  const [red, green, blue] = colorOf(segment);
  return (red << 16) | (green << 8) | blue;
}
