import { posix } from 'node:path';
import { mediaKind } from '../../../../shared/media-kind.js';
import type { LabeledData } from '../../../../shared/annotations/model.js';
import { type DatasetLabel, folderName } from '../dataset.js';
import { type DatasetFiles, type ImportFormat, refuse, shown } from '../format.js';
import { matchesIn, rootOf } from '../items/dataset-root.js';
import { ItemImport } from '../items/item-import.js';
import { FoundLabels } from '../label-names.js';
import { readLines, type TextLine } from '../text-pieces.js';
import { imageNetInfo, LABELS_FILE, NO_LABEL } from './layout.js';

/** An archive has either lists of images with the numbers of their labels, or a folder of images for each label. */
export const imageNetImport: ImportFormat = {
  info: imageNetInfo,
  auxiliary: /(?:^|\/)synsets\.txt$/,
  recognize(sample) {
    if (listsIn(sample).length > 1 && sample.paths.includes(`${rootIn(sample)}${LABELS_FILE}`)) return 3;
    return labelledImages(sample, []).length > 0 ? 1 : 0;
  },
  imageAt: (path) => (path.includes('/') ? { name: path, subset: 'default' } : undefined),
  async labels(files) {
    const found = new FoundLabels();
    const names =
      listsIn(files).length > 0 ? await labelNames(files) : labelledImages(files, []).map(({ label }) => label);
    for (const name of names) found.add(name);
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    const lists = listsIn(files);
    if (lists.length > 0) yield* readLists(files, lists, items);
    else {
      for (const { path, label: name, image } of labelledImages(files, target.labels)) {
        const label = items.labels.named(name, path, folderName);
        files.markRead?.(path);
        yield* items.add(items.frames.namedAny([path, image], path), [{ type: 'tag', label, location: path }]);
      }
    }
    yield* items.finish();
  },
};

type Archive = Pick<DatasetFiles, 'paths'>;

const rootIn = ({ paths }: Archive): string => rootOf(paths, LABELS) ?? '';

const LABELS = new RegExp(`^${LABELS_FILE}$`);

const listsIn = (files: Archive): string[] =>
  Array.from(matchesIn(files.paths, rootIn(files), /^[^/]+\.txt$/i), ({ path }) => path);

async function labelNames(files: DatasetFiles): Promise<string[]> {
  const path = `${rootIn(files)}${LABELS_FILE}`;
  if (!files.paths.includes(path)) refuse(LABELS_FILE, 'the list of labels is missing');
  const names: string[] = [];
  for await (const { text } of readLines(files.read(path), path)) names.push(text);
  return names;
}

async function* readLists(
  files: DatasetFiles,
  lists: readonly string[],
  items: ItemImport,
): AsyncGenerator<LabeledData> {
  const names = await labelNames(files);
  for (const path of lists) {
    if (posix.basename(path) === LABELS_FILE) continue;
    for await (const line of readLines(files.read(path), path)) {
      const { image, numbers } = listedImage(line);
      const { location } = line;
      const labels = numbers.map((number) => {
        const name = names[number] ?? refuse(location, `${LABELS_FILE} has no label ${number}`);
        return items.labels.named(name, location);
      });
      const tags = labels.map((label) => ({ type: 'tag', label, location }) as const);
      yield* items.add(items.frames.named(image, location), tags);
    }
  }
}

/** A name, in quotes if it has spaces, and the numbers of labels. Names can have quotes themselves. */
const LISTED = /^(?:"(.*)"([^\s"]*)|(\S+))((?:\s+\d+)*)$/s;

function listedImage({ text, location }: TextLine): { image: string; numbers: number[] } {
  const [, quoted = '', extension = '', plain = quoted + extension, numbers] = LISTED.exec(text) ?? [];
  if (numbers === undefined) refuse(location, `${shown(text)} is not an image with the numbers of its labels`);
  return { image: plain, numbers: numbers.split(/\s+/).filter(Boolean).map(Number) };
}

/** Folders of subsets around the folders of labels. */
const SUBSET = /^(?:train|training|val|valid|validation|test|testing)$/i;

/**
 * The images in folders of labels, which may be in folders of subsets.
 * @param labels a folder of this name is that of a label
 */
function labelledImages(
  { paths }: Archive,
  labels: readonly DatasetLabel[],
): { path: string; label: string; image: string }[] {
  const known = new Set(labels.map(({ name }) => folderName(name)));
  return paths.flatMap((path) => {
    if (mediaKind(path) !== 'image') return [];
    const [first = '', ...rest] = path.split('/');
    const isInSubset = rest.length > 1 && SUBSET.test(first) && !known.has(first);
    const [label = '', ...image] = isInSubset ? rest : [first, ...rest];
    return image.length === 0 || label === NO_LABEL ? [] : [{ path, label, image: image.join('/') }];
  });
}
