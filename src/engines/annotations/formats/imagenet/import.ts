import { mediaKind } from '../../../../shared/media-kind.js';
import type { LabeledData } from '../../../../shared/annotations/model.js';
import { folderName } from '../dataset.js';
import { type DatasetFiles, type ImportFormat, refuse, shown } from '../format.js';
import { ItemImport } from '../items/item-import.js';
import { FoundLabels } from '../label-names.js';
import { readLines, type TextLine } from '../text-pieces.js';
import { imageNetInfo, LABELS_FILE, NO_LABEL } from './layout.js';

/** An archive has either lists of images with the numbers of their labels, or a folder of images for each label. */
export const imageNetImport: ImportFormat = {
  info: imageNetInfo,
  imageAt: (path) => (path.includes('/') ? { name: path, subset: 'default' } : undefined),
  async labels(files) {
    const found = new FoundLabels();
    const names = listsIn(files).length > 0 ? await labelNames(files) : labelledImages(files).map(({ label }) => label);
    for (const name of names) found.add(name);
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    const lists = listsIn(files);
    if (lists.length > 0) yield* readLists(files, lists, items);
    else {
      for (const { path, label: name, image } of labelledImages(files)) {
        const label = items.labels.named(name, path, folderName);
        yield* items.add(items.frames.namedAny([path, image], path), [{ type: 'tag', label, location: path }]);
      }
    }
    yield* items.finish();
  },
};

const listsIn = ({ paths }: DatasetFiles): string[] => paths.filter((path) => /^[^/]+\.txt$/i.test(path));

async function labelNames(files: DatasetFiles): Promise<string[]> {
  if (!files.paths.includes(LABELS_FILE)) refuse(LABELS_FILE, 'the list of labels is missing');
  const names: string[] = [];
  for await (const { text } of readLines(files.read(LABELS_FILE), LABELS_FILE)) names.push(text);
  return names;
}

async function* readLists(
  files: DatasetFiles,
  lists: readonly string[],
  items: ItemImport,
): AsyncGenerator<LabeledData> {
  const names = await labelNames(files);
  for (const path of lists) {
    if (path === LABELS_FILE) continue;
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

function labelledImages({ paths }: DatasetFiles): { path: string; label: string; image: string }[] {
  return paths.flatMap((path) => {
    const [, label = '', image = ''] = /^([^/]+)\/(.+)$/s.exec(path) ?? [];
    return label === '' || label === NO_LABEL || mediaKind(path) !== 'image' ? [] : [{ path, label, image }];
  });
}
