import type { DatasetLabel } from '../dataset.js';

/** Red, green, blue, each from 0 to 255. */
export type Rgb = readonly [number, number, number];

export const BLACK: Rgb = [0, 0, 0];

export const BACKGROUND = 'background';

/** A label of a label map; the background that is only part of the map has no id. */
export interface ColoredLabel {
  readonly id: number | null;
  readonly name: string;
  readonly color: Rgb;
}

/**
 * The labels with their own colours, after a black `background` if no label has this name. A label with the colour of an
 * earlier one gets another, so that the pixels of both can be told apart.
 */
export function labelColors(labels: readonly DatasetLabel[]): ColoredLabel[] {
  const colored = labels.map(({ id, name, color }) => ({ id, name, color: hexColor(color) }));
  return distinctColors(
    labels.some(({ name }) => name === BACKGROUND)
      ? colored
      : [{ id: null, name: BACKGROUND, color: BLACK }, ...colored],
  );
}

function distinctColors(labels: readonly ColoredLabel[]): ColoredLabel[] {
  const own = new Set(labels.map(({ color }) => colorKey(color)));
  const taken = new Set<number>();
  let next = 1;
  return labels.map((label) => {
    let { color } = label;
    if (taken.has(colorKey(color))) {
      do color = vocColor(next++);
      while (own.has(colorKey(color)));
    }
    taken.add(colorKey(color));
    return { ...label, color };
  });
}

export function hexColor(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** The colour of an index in the colour map of PASCAL VOC: its bits are spread over the channels, lowest first. */
export function vocColor(index: number): Rgb {
  const color = [0, 0, 0];
  for (let bit = 7, rest = index; bit >= 0; bit--, rest >>= 3) {
    for (let channel = 0; channel < 3; channel++) {
      color[channel] = (color[channel] ?? 0) | (((rest >> channel) & 1) << bit);
    }
  }
  const [red = 0, green = 0, blue = 0] = color;
  return [red, green, blue];
}

/** A colour as one number, for maps. */
export const colorKey = ([red, green, blue]: Rgb): number => (red << 16) | (green << 8) | blue;

/** A label map sorted by name, with the background, or else a black label, in front. */
export function sortedLabelColors(labels: readonly DatasetLabel[]): ColoredLabel[] {
  const sorted = labelColors(labels).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const first = sorted.find(({ name }) => name === BACKGROUND) ?? sorted.find(({ color }) => colorKey(color) === 0);
  return first === undefined ? sorted : [first, ...sorted.filter((label) => label !== first)];
}
