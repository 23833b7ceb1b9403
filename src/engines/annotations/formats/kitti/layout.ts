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

/** Labels may have spaces. The score is optional. */
const LINE = /^(\S.*?)((?:\s+\S+){15}|(?:\s+\S+){14})$/s;
const NUMBERS = /^(\S.*?)((?:\s+[-+.\deE]+){15}|(?:\s+[-+.\deE]+){14})$/s;

/** Whether a line describes a box. */
export const isBox = (text: string): boolean => NUMBERS.test(text);

/** @throws FormatError */
export function parseBox(text: string, location: string): KittiBox {
  const [, label, fields] = NUMBERS.exec(text) ?? LINE.exec(text) ?? [];
  const values = fields?.trim().split(/\s+/).map(decimal) ?? [];
  if (label === undefined || values.some((value) => Number.isNaN(value))) {
    refuse(location, `${shown(text)} is not a label with 14 or 15 numbers`);
  }
  const [truncated = 0, occluded = 0] = values;
  return { label, truncated, occluded: occluded !== 0, points: values.slice(3, 7), score: values[14] ?? 1 };
}
