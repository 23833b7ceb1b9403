import { posix } from 'node:path';
import type { DatasetLabel } from '../dataset.js';
import { type DatasetFiles, type DatasetImage, type FormatInfo, refuse, shown } from '../format.js';
import { BACKGROUND, BLACK, type Rgb, vocColor } from '../items/colors.js';
import { withoutExtension } from '../import-batch.js';
import { matchesIn, rootOf } from '../items/dataset-root.js';
import { requireFew } from '../label-names.js';
import { readLines } from '../text-pieces.js';

export const vocInfo: FormatInfo = {
  name: 'PASCAL VOC 1.1',
  ext: 'ZIP',
  version: '1.1',
  enabled: true,
  dimension: '2d',
};
export const segmentationMaskInfo: FormatInfo = { ...vocInfo, name: 'Segmentation mask 1.1' };

export interface VocLabel {
  readonly name: string;
  readonly color: Rgb;
}

export const labelMapText = (labels: readonly VocLabel[]): string =>
  ['# label:color_rgb:parts:actions', ...labels.map(({ name, color }) => `${name}:${color.join(',')}::`), ''].join(
    '\n',
  );

/** Archives have the image at this path, possibly in a folder. */
export function imageAt(path: string): DatasetImage | undefined {
  const [, name] = /^(?:[^/]+\/){0,3}?JPEGImages\/(.+)$/s.exec(path) ?? [];
  return name === undefined ? undefined : { name, subset: 'default' };
}

const MEMBER = /^(?:labelmap\.txt$|(?:ImageSets|Annotations|SegmentationClass|SegmentationObject|JPEGImages)\/)/;

export const vocRoot = ({ paths }: DatasetFiles): string => rootOf(paths, MEMBER) ?? '';

/**
 * The labels of `labelmap.txt`. Without it, the labels of the target after a background, in the colours that exports
 * give them.
 */
export async function readLabelMap(
  files: DatasetFiles,
  labels: readonly DatasetLabel[] = [],
): Promise<readonly VocLabel[]> {
  const path = `${vocRoot(files)}labelmap.txt`;
  if (!files.paths.includes(path)) return indexColored(labels);
  const found: { readonly name: string; readonly color: Rgb | undefined }[] = [];
  for await (const { text, line, location } of readLines(files.read(path), path)) {
    const [, name, color] = /^(.+?):([\d,\s]*):[^:]*:[^:]*$/s.exec(text) ?? [];
    if (name !== undefined) found.push({ name, color: color === '' ? undefined : colorOf(color, location) });
    else if (!line.startsWith('#')) refuse(location, `${shown(line)} is not a label with a colour`);
    requireFew(found.length);
  }
  return found.map(({ name, color }, at) => ({ name, color: color ?? vocColor(at) }));
}

function colorOf(text: string | undefined, location: string): Rgb {
  const [red = NaN, green = NaN, blue = NaN, ...more] = (text ?? '')
    .split(',')
    .map((part) => (part.trim() === '' ? NaN : Number(part)));
  const isColor = more.length === 0 && [red, green, blue].every((value) => Number.isInteger(value) && value <= 255);
  return isColor ? [red, green, blue] : refuse(location, `${shown(text ?? '')} is not a colour`);
}

/** The labels after a background, each in the VOC colour of its position. */
export function indexColored<Label extends Pick<DatasetLabel, 'name'>>(
  labels: readonly Label[],
): (VocLabel & { readonly label: Label | undefined })[] {
  const background = labels.find(({ name }) => name === BACKGROUND);
  const others = labels.filter((label) => label !== background);
  return [
    { name: BACKGROUND, color: BLACK, label: background },
    ...others.map((label, at) => ({ name: label.name, color: vocColor(at + 1), label })),
  ];
}

const SETS = /^ImageSets\/(Main|Segmentation|Layout|Action)\/(.+)\.txt$/s;

/** The images of a dataset, by subset, and where their tags are. */
export interface VocSets {
  /** The first subset that lists an image, by id. */
  readonly subsets: ReadonlyMap<string, string>;
  /** Files that tell on which images of a subset a label is. */
  readonly labelFiles: readonly { readonly path: string; readonly label: string }[];
}

/**
 * Reads the lists of images.
 * @param kinds folders of lists
 * @param labels whose tags are in files of their own
 */
export async function readSets(
  files: DatasetFiles,
  kinds: ReadonlySet<string>,
  labels: readonly VocLabel[],
): Promise<VocSets> {
  const lists = [...matchesIn(files.paths, vocRoot(files), SETS)].flatMap(({ path, groups: [kind = '', name = ''] }) =>
    kinds.has(kind) ? [{ path, kind, name }] : [],
  );
  const names = new Set(lists.map(({ kind, name }) => `${kind}/${name}`));
  const indices = new Map([...labels.entries()].toReversed().map(([at, { name }]) => [fileName(name), at]));
  const labelOf = ({ kind, name }: (typeof lists)[number]): string | undefined => {
    if (kind === 'Layout' || kind === 'Segmentation') return undefined;
    const found = splits(name).flatMap(([start, rest]) => (names.has(`${kind}/${rest}`) ? (indices.get(start) ?? []) : [])); // prettier-ignore
    return labels[found.toSorted((a, b) => a - b)[0] ?? -1]?.name;
  };
  const images = imagesIn(files);
  const subsets = new Map<string, string>();
  const labelFiles: { path: string; label: string }[] = [];
  for (const list of lists) {
    const label = labelOf(list);
    if (label !== undefined) {
      labelFiles.push({ path: list.path, label });
      continue;
    }
    for (const id of await readList(files, list.path, list.kind === 'Layout', images)) {
      if (!subsets.has(id)) subsets.set(id, list.name);
    }
  }
  return { subsets, labelFiles };
}

const FOLDER = /(?:^|\/)(?:Annotations|SegmentationClass|JPEGImages)\//i;
const EXTENSION = /(?<=.)\.[a-z]\w*$/is;

/** Ids of the images that the archive has files for. */
export function imagesIn({ paths }: DatasetFiles): ReadonlySet<string> {
  const ids = paths.flatMap((path) => {
    const folder = FOLDER.exec(path);
    const name = folder === null ? '' : path.slice(folder.index + folder[0].length);
    const extension = EXTENSION.exec(name);
    return extension === null ? [] : [name.slice(0, extension.index)];
  });
  return new Set(ids);
}

/** A text before and after each `_`. */
const splits = (text: string): [start: string, rest: string][] =>
  Array.from(text.matchAll(/_/g), ({ index }) => [text.slice(0, index), text.slice(index + 1)]);

/** A label or subset in the name of a file. */
export const fileName = (name: string): string => name.replaceAll(/[/\\\p{Cc}]/gu, '_');

/**
 * The ids of a list. A line is the id of an image if the archive has a file for it, even with spaces around it or a `#`
 * in front; otherwise, spaces, empty lines and comments do not count.
 */
async function readList(
  files: DatasetFiles,
  path: string,
  isLayout: boolean,
  images: ReadonlySet<string>,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { text, line } of readLines(files.read(path), path)) {
    const id = [line, text, withoutExtension(text), withoutExtension(posix.basename(text))].find((each) => images.has(each)); // prettier-ignore
    if (id === undefined && text.startsWith('#')) continue;
    const [, quoted, word] = isLayout ? (/^"([^"]*)"|^(\S+)/.exec(text) ?? []) : [];
    ids.push(id ?? posix.normalize(quoted ?? word ?? text));
  }
  return ids;
}

/**
 * The images that have a label, of one of its files.
 * @param images that the archive has files for, see {@link imagesIn}
 * @throws FormatError
 */
export async function readLabelFile(files: DatasetFiles, path: string, images: ReadonlySet<string>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { text, line } of readLines(files.read(path), path)) {
    const [, exact = '', sign] = /^(.+) ([ -])1$/s.exec(line) ?? [];
    if (images.has(exact)) {
      if (sign === ' ') ids.push(exact);
      continue;
    }
    const value = /\s(-1|0|1)$/.exec(text);
    if (value === null && text.startsWith('#')) continue;
    if (value === null) refuse(path, `${shown(text)} is not an image followed by 1, 0 or -1`);
    const name = text.slice(0, value.index).trimEnd();
    if (value[1] === '1') ids.push(posix.normalize(/^"([^"]*)"$/.exec(name)?.[1] ?? name));
  }
  return ids;
}
