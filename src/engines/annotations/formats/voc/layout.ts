import { posix } from 'node:path';
import type { DatasetLabel } from '../dataset.js';
import { type DatasetFiles, type DatasetImage, type FormatInfo, refuse, shown } from '../format.js';
import { BACKGROUND, BLACK, type Rgb, vocColor } from '../items/colors.js';
import { withoutExtension } from '../import-batch.js';
import { matchesIn, rootOf } from '../items/dataset-root.js';
import { readSmallText } from '../text-pieces.js';

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

/** In characters. */
const MAX_TEXT = 64 * 2 ** 20;

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
  const text = await readSmallText(files.read(path), path, MAX_TEXT);
  const found = text.split(/\r?\n/).flatMap((line, at) => {
    const [, name, color] = /^(.+?):([\d,\s]*):[^:]*:[^:]*$/s.exec(line.trim()) ?? [];
    if (name !== undefined)
      return [{ name, color: color === '' ? undefined : colorOf(color, `${path}, line ${at + 1}`) }];
    if (line.trim() === '' || line.startsWith('#')) return [];
    return refuse(`${path}, line ${at + 1}`, `${shown(line)} is not a label with a colour`);
  });
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
  const labelOf = ({ kind, name }: (typeof lists)[number]): string | undefined =>
    kind === 'Layout' || kind === 'Segmentation'
      ? undefined
      : labels.find((label) => {
          const prefix = `${fileName(label.name)}_`;
          return name.startsWith(prefix) && names.has(`${kind}/${name.slice(prefix.length)}`);
        })?.name;
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

const IMAGE = /(?:^|\/)(?:Annotations|SegmentationClass|JPEGImages)\/(.+)\.[a-z]\w*$/is;

/** Ids of the images that the archive has files for. */
export const imagesIn = ({ paths }: DatasetFiles): ReadonlySet<string> =>
  new Set(paths.flatMap((path) => IMAGE.exec(path)?.[1] ?? []));

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
  const text = await readSmallText(files.read(path), path, MAX_TEXT);
  return text.split(/\r?\n/).flatMap((line) => {
    const trimmed = line.trim();
    const id = [line, trimmed, withoutExtension(trimmed), withoutExtension(posix.basename(trimmed))].find((each) => images.has(each)); // prettier-ignore
    if (id !== undefined) return [id];
    const plain = line.trim();
    if (plain === '' || plain.startsWith('#')) return [];
    const [, quoted, word] = isLayout ? (/^"([^"]*)"|^(\S+)/.exec(plain) ?? []) : [];
    return [posix.normalize(quoted ?? word ?? plain)];
  });
}

/**
 * The images that have a label, of one of its files.
 * @param images that the archive has files for, see {@link imagesIn}
 * @throws FormatError
 */
export async function readLabelFile(files: DatasetFiles, path: string, images: ReadonlySet<string>): Promise<string[]> {
  const text = await readSmallText(files.read(path), path, MAX_TEXT);
  return text.split(/\r?\n/).flatMap((line) => {
    const [, exact = '', sign] = /^(.+) ([ -])1$/s.exec(line) ?? [];
    if (images.has(exact)) return sign === ' ' ? [exact] : [];
    const plain = line.trim();
    const [, quoted, name, value] = /^(?:"([^"]*)"|(.+?))\s+(-1|0|1)$/s.exec(plain) ?? [];
    if (plain === '' || (value === undefined && plain.startsWith('#'))) return [];
    const id = quoted ?? name ?? refuse(path, `${shown(plain)} is not an image followed by 1, 0 or -1`);
    return value === '1' ? [posix.normalize(id)] : [];
  });
}
