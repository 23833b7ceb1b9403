import { decimal } from '../../decimal.js';
import { type FormatInfo, refuse, shown } from '../format.js';
import { decimalText } from '../items/items.js';

export const kittiInfo: FormatInfo = {
  name: 'KITTI 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** The folders of a subset. */
export const FOLDERS = {
  boxes: 'label_2',
  colors: 'semantic_rgb',
  classes: 'semantic',
  instances: 'instance',
  images: 'image_2',
} as const;

/** Objects have the number of their label times this in the images of instances. */
export const INSTANCES = 256;

/** A line of a file with boxes. */
export interface KittiBox {
  readonly label: string;
  /** From 0 to 1. */
  readonly truncated: number;
  readonly occluded: boolean;
  readonly points: readonly number[];
  readonly score: number;
}

/** What only 3D boxes have: height, width, length, position and rotation. */
const NO_3D = '-1 -1 -1 -1 -1 -1 -1';

export function boxLine({ label, truncated, occluded, points, score }: KittiBox): string {
  const corners = points.map(decimalText).join(' ');
  return `${label} ${decimalText(truncated)} ${Number(occluded)} -1 ${corners} ${NO_3D} ${decimalText(score)}\n`;
}

/** The numbers after the label, with and without the score. */
const COUNTS = [15, 14] as const;

/** Whether a line describes a box. @param text without spaces around it */
export const isBox = (text: string): boolean => boxIn(text) !== undefined;

/** @param text without spaces around it @throws FormatError */
export const parseBox = (text: string, location: string): KittiBox =>
  boxIn(text) ?? refuse(location, `${shown(text)} is not a label with 14 or 15 numbers`);

/** Labels may have spaces. The score is optional. */
function boxIn(text: string): KittiBox | undefined {
  const words = lastWords(text, COUNTS[0]);
  const count = COUNTS.find((each) => {
    const numbers = words.slice(-each);
    return words.length >= each && numbers[0]?.start !== 0 && numbers.every(({ value }) => !Number.isNaN(value));
  });
  if (count === undefined) return undefined;
  const label = text.slice(0, words.at(-count)?.start).trimEnd();
  const values = words.slice(-count).map(({ value }) => value);
  const [truncated = 0, occluded = 0] = values;
  return { label, truncated, occluded: occluded !== 0, points: values.slice(3, 7), score: values[14] ?? 1 };
}

interface Word {
  readonly start: number;
  /** NaN if it is no number. */
  readonly value: number;
}

/** The last words of a text, from its end: an expression for a label with spaces takes the square of their number. */
function lastWords(text: string, most: number): Word[] {
  const words: Word[] = [];
  const isSpace = (at: number): boolean => /\s/.test(text[at] ?? '');
  for (let end = text.length; end > 0 && words.length < most;) {
    let start = end;
    while (start > 0 && !isSpace(start - 1)) start--;
    words.unshift({ start, value: decimal(text.slice(start, end)) });
    for (end = start; end > 0 && isSpace(end - 1);) end--;
  }
  return words;
}
