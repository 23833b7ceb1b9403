import { posix } from 'node:path';
import { stringify } from 'yaml';
import { trainSubsets } from '../dataset.js';
import { type DatasetFiles, datasetNotFound, type FileSink, FormatError, refuse, shown } from '../format.js';
import { type DatasetItem, type DatasetItems, itemsWith } from '../items/items.js';
import { requireDistinctIds, requireListable } from '../items/names.js';
import { readLines, readSmallText } from '../text-pieces.js';
import { readYaml } from '../yaml.js';

/** Keys of the configuration that cannot be names of subsets. */
const RESERVED = new Set(['backup', 'classes', 'names', 'path', 'kpt_shape', 'flip_idx']);

/** Keys of configurations of other tools that name no subset. */
const IGNORED = new Set([...RESERVED, 'nc', 'download']);

/** The items of a dataset; those of tasks without a subset belong to the subset `train`. */
export const ultralyticsItems = itemsWith(({ tasks }) => trainSubsets(tasks));

export const imagePathOf = ({ subset, image }: DatasetItem): string => `images/${subset}/${image}`;

export const labelsPathOf = ({ subset, id }: DatasetItem): string => `labels/${subset}/${id}.txt`;

/**
 * Writes `data.yaml` and a list of images for each subset.
 * @param names of the classes, in the order of their numbers
 * @param keypoints the largest number of points of a skeleton; only for poses
 * @throws FormatError if a subset is named like a key of the configuration
 */
export async function writeConfig(
  items: DatasetItems,
  { names, keypoints }: { readonly names: readonly string[]; readonly keypoints?: number },
  sink: FileSink,
): Promise<void> {
  requireListable('Ultralytics YOLO', items);
  requireDistinctIds('Ultralytics YOLO', items);
  const subsets = items.bySubset();
  for (const subset of subsets.keys()) {
    if (!RESERVED.has(subset)) continue;
    throw new FormatError(`Can't export ${shown(subset)} subset in YOLO format, this word is reserved.`);
  }
  const config = {
    ...(keypoints !== undefined && { kpt_shape: [keypoints, 3] }),
    names: new Map(names.map((name, at) => [at, name])),
    path: '.',
    ...Object.fromEntries([...subsets.keys()].map((subset) => [subset, `${subset}.txt`])),
  };
  await sink.addFile('data.yaml', Buffer.from(stringify(config, { sortMapEntries: byKey })));
  for (const [subset, members] of subsets) {
    const list = members.map((item) => `data/${imagePathOf(item)}\n`).join('');
    await sink.addFile(`${subset}.txt`, Buffer.from(list));
  }
}

/** Sorts names by code points, and numbers by value. */
function byKey({ key: a }: { key: unknown }, { key: b }: { key: unknown }): number {
  const [left, right] = [scalarOf(a), scalarOf(b)];
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return String(left) < String(right) ? -1 : 1;
}

const scalarOf = (key: unknown): unknown =>
  typeof key === 'object' && key !== null && 'value' in key ? key.value : key;

/** In characters. */
const MAX_CONFIG = 4 * 2 ** 20;

/** What a reader needs of a configuration. */
export interface UltralyticsConfig {
  readonly path: string;
  /** By number. */
  readonly names: ReadonlyMap<number, string>;
  /** Number of points, and of values per point. */
  readonly keypointShape: readonly [number, number] | undefined;
  /** Folders, lists of images, or images by subset. */
  readonly subsets: ReadonlyMap<string, readonly string[]>;
}

/** @throws FormatError if there is no configuration, or it is broken */
export async function readConfig(files: DatasetFiles): Promise<UltralyticsConfig> {
  const candidates = files.paths.filter((path) => /^(?:[^/]+\/){0,3}[^/]+\.ya?ml$/i.test(path));
  const path = candidates.find((each) => posix.basename(each) === 'data.yaml') ?? candidates[0];
  if (path === undefined) return listedClasses(files);
  const text = await readSmallText(files.read(path), path, MAX_CONFIG);
  const config = readYaml(text, path);
  if (typeof config !== 'object' || config === null || Array.isArray(config)) refuse(path, 'the file has no keys');
  return configOf(config as Record<string, unknown>, path);
}

/** The names of classes in `classes.txt`, which some tools write instead. @throws FormatError if there is none */
async function listedClasses(files: DatasetFiles): Promise<UltralyticsConfig> {
  const path = files.paths.find((each) => posix.basename(each) === 'classes.txt');
  if (path === undefined) throw datasetNotFound(['*.yaml']);
  const names = new Map<number, string>();
  for await (const { text } of readLines(files.read(path), path)) names.set(names.size, text);
  return { path, names, keypointShape: undefined, subsets: new Map() };
}

function configOf(config: Record<string, unknown>, path: string): UltralyticsConfig {
  const subsets = new Map<string, string[]>();
  for (const [key, value] of Object.entries(config)) {
    const entries: unknown[] = Array.isArray(value) ? value : [value];
    const paths = entries.filter((entry) => typeof entry === 'string');
    if (!IGNORED.has(key) && paths.length > 0) subsets.set(key, paths);
  }
  return { path, names: namesOf(config['names'], path), keypointShape: shapeOf(config['kpt_shape'], path), subsets };
}

function namesOf(names: unknown, path: string): Map<number, string> {
  if (typeof names !== 'object' || names === null) refuse(path, '"names" is not a list or map of labels');
  return new Map(
    Object.entries(names).map(([number, name]) =>
      /^\d+$/.test(number) && (typeof name === 'string' || typeof name === 'number')
        ? [Number(number), String(name)]
        : refuse(path, `"names" has an entry that is not a number and a label: ${shown(number)}`),
    ),
  );
}

function shapeOf(shape: unknown, path: string): [number, number] | undefined {
  if (shape === undefined) return undefined;
  const [points, values]: unknown[] = Array.isArray(shape) ? shape : [];
  const isValid = Number.isInteger(points) && Number(points) >= 0 && (values === 2 || values === 3);
  return isValid ? [Number(points), values] : refuse(path, 'kpt_shape is not a number of points, and 2 or 3');
}
