import { posix } from 'node:path';
import { mediaKind } from '../../../../shared/media-kind.js';
import { type DatasetFrame, folderName } from '../dataset.js';
import { type DatasetFiles, type ExportFormat, type FormatInfo, type ImportFormat, refuse } from '../format.js';
import { FreeNumbers } from '../free-numbers.js';
import { withoutExtension } from '../import-batch.js';
import { ArchiveSample } from '../archive-sample.js';
import { isOtherSubset } from '../import-notes.js';
import { matchesIn, subsetsIn } from '../items/dataset-root.js';
import { ItemImport } from '../items/item-import.js';
import { annotatedItems, type AnnotatedItem, subsetParts } from '../items/items.js';
import { readJsonEntries } from '../json-lists.js';
import { listOf, objectOf } from '../json-values.js';
import { requireDistinctIds } from '../items/names.js';
import { FoundLabels, LabelNames } from '../label-names.js';
import { inPieces, readLines } from '../text-pieces.js';
import { ultralyticsItems } from './layout.js';

const info: FormatInfo = {
  name: 'Ultralytics YOLO Classification 1.0',
  ext: 'ZIP',
  version: '1.0',
  enabled: true,
  dimension: '2d',
};

/** The folder of images without tags. */
const NO_LABEL = 'no_label';

/** The labels of all images of a subset, as the names of folders are not always those of labels and images. */
const LABELS_FILE = 'labels.json';

/** A folder for each label, with a copy of every image that has its tag. */
export const classificationExport: ExportFormat = {
  info,
  imagePath(frame, _task, dataset) {
    const { subset, image } = ultralyticsItems(dataset).of(frame);
    return `${subset}/${NO_LABEL}/${posix.basename(image)}`;
  },
  async write(dataset, source, sink) {
    const items = ultralyticsItems(dataset);
    requireDistinctIds(info.name, items);
    const names = new LabelNames(dataset.labels);
    const paths = new Map<DatasetFrame, string[]>();
    for (const { subset, dataset: part } of subsetParts(dataset, items)) {
      const taken = new Set<string>();
      const numbers = new FreeNumbers();
      const entries = async function* (): AsyncGenerator<string> {
        let separator = '{';
        for await (const item of annotatedItems(part, source, items)) {
          const labels = [...new Set(item.tags.map(({ label_id }) => names.get(label_id).name))];
          const own = (labels.length === 0 ? [NO_LABEL] : labels).map((label) => freePath(label, item, taken, numbers));
          paths.set(item.frame, own.map((path) => `${subset}/${path}`)); // prettier-ignore
          yield `${separator}${JSON.stringify(item.id)}:${JSON.stringify({ labels, path: own.at(-1) })}`;
          separator = ',';
        }
        yield separator === '{' ? '{}' : '}';
      };
      await sink.addFile(`${subset}/${LABELS_FILE}`, inPieces(entries()));
    }
    return (frame) => paths.get(frame) ?? [];
  },
};

/** Images of different folders can have one name, so later ones get a number before the extension. */
function freePath(label: string, { id, image }: AnnotatedItem, taken: Set<string>, numbers: FreeNumbers): string {
  const [stem, extension] = [`${folderName(label)}/${posix.basename(id)}`, image.slice(id.length)];
  const own = `${stem}${extension}`;
  let free = own;
  while (taken.has(free)) free = `${stem}.${numbers.take(own, 0)}${extension}`;
  taken.add(free);
  return free;
}

export const classificationImport: ImportFormat = {
  info,
  async recognize(sample) {
    if (sample.paths.some((path) => posix.basename(path) === LABELS_FILE)) return 3;
    const inFolders = sample.paths.filter((path) => mediaKind(path) === 'image' && /^[^/]+\/[^/]+\/./.test(path));
    return inFolders.length === 0 ? 0 : inFolders.every((path) => /^(?:train|val|valid|test)\//.test(path)) ? 2 : 1;
  },
  imageAt(path) {
    const [, subset, name] = /^([^/]+)\/([^/]+\/.+)$/s.exec(path) ?? [];
    return subset === undefined || name === undefined ? undefined : { subset, name };
  },
  subsets: async (files) => subsetsIn(files.paths, (await layoutOf(files)).root),
  async labels(files) {
    const found = new FoundLabels();
    for await (const { labels } of classifiedImages(files, await layoutOf(files))) {
      for (const name of labels) found.add(name);
    }
    return found.list();
  },
  async *read(files, target) {
    const items = new ItemImport(target);
    const isProject = target.subset !== undefined;
    const byName = new Map(isProject ? target.frames.map((frame) => [frame.name, frame]) : []);
    for await (const { file, subset, id, paths, labels, location } of classifiedImages(files, await layoutOf(files))) {
      if (isOtherSubset(subset, file, target)) continue;
      files.markRead?.(file);
      if (labels.length === 0) continue;
      const [first = id] = paths;
      const frame = items.frames.namedAny(isProject ? [first, id] : [id, first], location);
      // An image with several tags is in several folders.
      const copies = new Set([frame, ...paths.flatMap((path) => byName.get(path) ?? [])]);
      for (const copy of copies) {
        yield* items.add(
          copy,
          labels.map((name) => ({ type: 'tag', label: items.labels.named(name, location), location }) as const),
        );
      }
    }
    yield* items.finish();
  },
};

interface ClassifiedImage {
  /** The file that tells its labels. */
  readonly file: string;
  readonly subset: string;
  readonly id: string;
  /** Where the image may be in the folder of the subset, the most likely path first. */
  readonly paths: readonly string[];
  readonly labels: readonly string[];
  readonly location: string;
}

interface Layout {
  /** The folder of the dataset. */
  readonly root: string;
  /** Files with the labels of a subset, and lists of names in the folders of labels. */
  readonly maps: ReadonlySet<string>;
  readonly lists: ReadonlySet<string>;
}

async function layoutOf(files: DatasetFiles): Promise<Layout> {
  const [maps, lists] = [new Set<string>(), new Set<string>()];
  const sample = new ArchiveSample(files);
  for (const path of files.paths) {
    if (posix.basename(path) !== LABELS_FILE) continue;
    const isMap = /^(?:$|\{)/.test(await sample.line(path));
    (isMap ? maps : lists).add(path);
  }
  const [[map], [list]] = [maps, lists];
  const folders = map?.split('/').slice(0, -2) ?? list?.split('/').slice(0, -3) ?? [];
  return { root: folders.map((folder) => `${folder}/`).join(''), maps, lists };
}

/** The images of subsets with a map of labels, and those in the folders of labels of other subsets. */
async function* classifiedImages(files: DatasetFiles, { root, maps, lists }: Layout): AsyncGenerator<ClassifiedImage> {
  const mapped = new Set<string>();
  /** The images in maps. Copies of an image, one for each label, have numbers after its name. */
  const named = new Set<string>();
  for (const {
    path,
    groups: [subset = ''],
  } of matchesIn([...maps], root, /^([^/]+)\/[^/]+$/)) {
    mapped.add(subset);
    for await (const { key, value, location } of readJsonEntries(files.read(path), path)) {
      const image = mappedImage(value, location);
      for (const each of [key, ...image.paths]) named.add(`${subset}/${stemOf(each)}`);
      yield { file: path, subset, id: key, ...image };
    }
  }
  for (const { path, groups } of matchesIn(files.paths, root, /^([^/]+)\/([^/]+)\/(.+)$/s)) {
    const [subset = '', label = '', name = ''] = groups;
    if (mapped.has(subset) && (mediaKind(path) !== 'image' || named.has(`${subset}/${stemOf(name)}`))) continue;
    const labels = label === NO_LABEL ? [] : [label];
    const image = (own: string, location: string): ClassifiedImage => {
      return { file: path, subset, id: withoutExtension(own), paths: [`${label}/${own}`], labels, location };
    };
    if (mediaKind(path) === 'image') yield image(name, path);
    if (!lists.has(path)) continue;
    for await (const { text, location } of readLines(files.read(path), path)) yield image(text, location);
  }
}

/** The name of an image without folder, extension and number of a copy. */
const stemOf = (path: string): string => withoutExtension(posix.basename(path)).replace(/\.\d+$/, '');

function mappedImage(value: unknown, location: string): Pick<ClassifiedImage, 'paths' | 'labels' | 'location'> {
  const { labels: list, path = '' } = objectOf(value, location);
  if (typeof path !== 'string') refuse(location, 'path is not a text');
  const labels = listOf(list, 'labels', location).map((label) =>
    typeof label === 'string' ? label : refuse(location, 'a label is not a text'),
  );
  const copies = labels.map((label) => `${folderName(label)}/${posix.basename(path)}`);
  return { paths: path === '' ? copies : [path, ...copies], labels, location };
}
