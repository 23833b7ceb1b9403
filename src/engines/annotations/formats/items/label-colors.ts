import type { DatasetLabel } from '../dataset.js';
import { type DatasetFiles, type FileLocation, type FoundLabel, refuse, shown } from '../format.js';
import { FoundLabels, type LabelNames, requireFew } from '../label-names.js';
import { readLines } from '../text-pieces.js';
import { BACKGROUND, colorKey, type ColoredLabel, type Rgb, sortedLabelColors } from './colors.js';
import { nameOnce } from './unique-names.js';

/** The label map of several formats that store classes as colours or numbers. */
export const LABEL_COLORS = 'label_colors.txt';

export interface NamedColor {
  readonly name: string;
  readonly color: Rgb;
}

export const labelColorsText = (labels: readonly NamedColor[]): string =>
  labels.map(({ name, color }) => `${color.join(' ')} ${name}\n`).join('');

/** The labels by colour. @throws FormatError if two labels have one colour, or one name and different colours */
export function labelsByColor(labels: readonly NamedColor[], file: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  const colors = new Map<string, string>();
  for (const { name, color } of labels) {
    nameOnce(names, [colorKey(color), `the colour ${color.join(' ')}`], name, file);
    nameOnce(colors, [name, `the label ${shown(name)}`], `the colour ${color.join(' ')}`, file);
  }
  return names;
}

/** The numbers and colours of labels, by id. */
export const labelNumbers = (labels: readonly ColoredLabel[]): ReadonlyMap<number, { number: number; color: Rgb }> =>
  new Map(labels.flatMap(({ id, color }, number) => (id === null ? [] : [[id, { number, color }] as const])));

/**
 * Reads the label map of an archive: a line with three numbers and a name for each label.
 * @param root the folder of the dataset
 * @returns undefined if there is none
 * @throws FormatError
 */
export async function readLabelColors(files: DatasetFiles, root: string): Promise<NamedColor[] | undefined> {
  const path = `${root}${LABEL_COLORS}`;
  if (!files.paths.includes(path)) return undefined;
  const found = new Map<string, Rgb>();
  for await (const { text, location } of readLines(files.read(path), path)) {
    const [, red, green, blue, name] = /^(\d{1,3})\s+(\d{1,3})\s+(\d{1,3})\s+(.+)$/s.exec(text) ?? [];
    const color: Rgb = [Number(red), Number(green), Number(blue)];
    if (name === undefined || Math.max(...color) > 255) refuse(location, `${shown(text)} is not a colour with a label`);
    const other = found.get(name)?.join(' ');
    if (other !== undefined) {
      refuse(location, `the label ${shown(name)} is listed twice, with the colours ${other} and ${color.join(' ')}`);
    }
    found.set(name, color);
    requireFew(found.size);
  }
  return Array.from(found, ([name, color]) => ({ name, color }));
}

/**
 * The names of labels by number: those of the label map or, without one, those of the target as exports sort them.
 * @throws FormatError
 */
export async function numberedLabels(
  files: DatasetFiles,
  root: string,
  labels: readonly DatasetLabel[],
): Promise<readonly string[]> {
  const listed = (await readLabelColors(files, root)) ?? sortedLabelColors(labels);
  return listed.map(({ name }) => name);
}

/**
 * The labels of a dataset of masks, with the attribute that says whether a mask shows several objects. The background
 * is left out: otherwise every pixel without an object would become one.
 * @throws FormatError if there is no label map
 */
export async function crowdLabels(files: DatasetFiles, root: string): Promise<FoundLabel[]> {
  const labels =
    (await readLabelColors(files, root)) ??
    refuse(LABEL_COLORS, 'the list of labels is missing. Add it, or create the labels of the project first');
  const found = new FoundLabels();
  for (const { name } of labels) {
    if (name === BACKGROUND) continue;
    found.add(name);
    found.addAttribute(name, 'is_crowd', 'false');
  }
  return found.list();
}

/**
 * The label of the pixels in a mask image.
 * @returns undefined for the background, unless the target has a label with this name
 * @throws FormatError if there is no such label
 */
export const labelOfPixels = (labels: LabelNames, name: string, location: FileLocation): DatasetLabel | undefined =>
  name === BACKGROUND ? labels.find(name) : labels.named(name, location);
