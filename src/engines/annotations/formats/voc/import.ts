import { posix } from 'node:path';
import type { DatasetFrame } from '../dataset.js';
import { type DatasetFiles, datasetNotFound, type ImportFormat, type ImportTarget, refuse, shown } from '../format.js';
import { BACKGROUND, BLACK, colorKey, type Rgb } from '../items/colors.js';
import { labelOfPixels } from '../items/label-colors.js';
import { bitmapsByValue, readMaskImage } from '../items/mask-images.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { twoDecimals } from '../items/items.js';
import { FoundLabels } from '../label-names.js';
import { readXml } from '../xml.js';
import {
  imageAt,
  imagesIn,
  readLabelFile,
  readLabelMap,
  readSets,
  segmentationMaskInfo,
  vocInfo,
  type VocLabel,
  vocRoot,
  type VocSets,
} from './layout.js';
import { FLAGS, objectOf, type VocObject } from './xml.js';

export const segmentationMaskImport: ImportFormat = {
  info: segmentationMaskInfo,
  imageAt,
  subsets: async (files) => (await segmentationSets(files, await readLabelMap(files))).subsets,
  async labels(files) {
    const found = new FoundLabels();
    for (const { name } of await readLabelMap(files)) found.add(name);
    return found.list();
  },
  async *read(files, target) {
    const labels = await readLabelMap(files, target.labels);
    const items = new ItemImport(target);
    const archive = new VocArchive(files, labels, items);
    for (const id of idsIn(await segmentationSets(files, labels), target)) {
      const masks = await archive.masks(id);
      if (masks !== undefined) yield* items.add(masks.frame, masks.annotations);
    }
    yield* items.finish();
  },
};

async function segmentationSets(files: DatasetFiles, labels: readonly VocLabel[]): Promise<VocSets> {
  const sets = await readSets(files, new Set(['Segmentation']), labels);
  if (sets.subsets.size === 0 && !files.paths.some((path) => /(?:^|\/)ImageSets\/[^/]+\/[^/]+\.txt$/.test(path))) {
    throw datasetNotFound('Dataset must contain a file: "ImageSets/Segmentation/*.txt"');
  }
  return sets;
}

export const vocImport: ImportFormat = {
  info: vocInfo,
  imageAt,
  subsets: async (files) => (await vocSets(files, await readLabelMap(files))).subsets,
  labels: vocLabels,
  async *read(files, target) {
    const labels = await readLabelMap(files, target.labels);
    const items = new ItemImport(target, { tracks: 'keyframes', implied: FLAGS });
    const sets = await vocSets(files, labels);
    const tags = await tagsOf(files, sets);
    const archive = new VocArchive(files, labels, items);
    for (const id of idsIn(sets, target)) {
      const annotations = (tags.get(id) ?? []).map(({ label, location }): FoundAnnotation => ({
        type: 'tag',
        label: items.labels.named(label, location),
        location,
      }));
      for (const box of await archive.boxes(id)) annotations.push(box);
      const masks = await archive.masks(id);
      for (const mask of masks?.annotations ?? []) annotations.push(mask);
      const [first] = annotations;
      if (first !== undefined) yield* items.add(masks?.frame ?? items.frames.named(id, first.location), annotations);
    }
    yield* items.finish();
  },
};

const ALL_SETS = new Set(['Main', 'Segmentation', 'Layout', 'Action']);

/** The lists of images; without any, all annotation files belong to the subset `train`. */
async function vocSets(files: DatasetFiles, labels: readonly VocLabel[]): Promise<VocSets> {
  const sets = await readSets(files, ALL_SETS, labels);
  if (sets.subsets.size > 0) return sets;
  return { ...sets, subsets: new Map([...annotationFiles(files).keys()].map((id) => [id, 'train'])) };
}

/** Annotation files by id. Without a folder for them, they can be anywhere, with their names as ids. */
function annotationFiles(files: DatasetFiles): Map<string, string> {
  const folder = `${vocRoot(files)}Annotations/`;
  const xml = files.paths.filter((path) => /\.xml$/i.test(path));
  const inFolder = xml.filter((path) => path.startsWith(folder));
  if (inFolder.length > 0) return new Map(inFolder.map((path) => [path.slice(folder.length, -'.xml'.length), path]));
  return new Map(xml.map((path) => [posix.basename(path).slice(0, -'.xml'.length), path]));
}

async function vocLabels(files: DatasetFiles): Promise<ReturnType<FoundLabels['list']>> {
  const found = new FoundLabels();
  for (const { name } of await readLabelMap(files)) found.add(name);
  for (const path of annotationFiles(files).values()) {
    for await (const { label, attributes } of objectsIn(files, path)) {
      found.add(label);
      for (const [name, value] of attributes) found.addAttribute(label, name, value);
    }
  }
  return found.list();
}

const idsIn = ({ subsets }: VocSets, { subset }: ImportTarget): string[] =>
  [...subsets].filter(([, own]) => subset === undefined || own === subset).map(([id]) => id);

type Tags = Map<string, { readonly label: string; readonly location: string }[]>;

async function tagsOf(files: DatasetFiles, { labelFiles }: VocSets): Promise<Tags> {
  const tags: Tags = new Map();
  const images = imagesIn(files);
  for (const { path, label } of labelFiles) {
    for (const id of await readLabelFile(files, path, images)) {
      const known = tags.get(id);
      if (known === undefined) tags.set(id, [{ label, location: path }]);
      else known.push({ label, location: path });
    }
  }
  return tags;
}

async function* objectsIn(files: DatasetFiles, path: string): AsyncGenerator<VocObject> {
  for await (const events of readXml(files.read(path), path, { wholeAt: 2, skip: 'part' })) {
    for (const event of events) {
      if (event.kind === 'open' && event.element.name !== 'annotation')
        refuse(path, 'this is not a PASCAL VOC annotation');
      const object = event.kind === 'whole' && event.element.name === 'object' ? objectOf(event.element) : undefined;
      if (object !== undefined) yield object;
    }
  }
}

/** Colour of the pixels around objects that belong to none. */
const VOID: Rgb = [224, 224, 192];

class VocArchive {
  private readonly paths: ReadonlySet<string>;
  private readonly root: string;
  private readonly annotations: ReadonlyMap<string, string>;
  private readonly byColor: ReadonlyMap<number, VocLabel>;

  constructor(
    private readonly files: DatasetFiles,
    labels: readonly VocLabel[],
    private readonly items: ItemImport,
  ) {
    this.paths = new Set(files.paths);
    this.root = vocRoot(files);
    this.annotations = annotationFiles(files);
    this.byColor = new Map(labels.toReversed().map((label) => [colorKey(label.color), label]));
  }

  async boxes(id: string): Promise<FoundAnnotation[]> {
    const path = this.annotations.get(id);
    const boxes: FoundAnnotation[] = [];
    if (path === undefined) return boxes;
    for await (const { label, points, attributes, location } of objectsIn(this.files, path)) {
      boxes.push({
        type: 'rectangle',
        label: this.items.labels.named(label, location),
        points: points.map(twoDecimals),
        attributes,
        location,
      });
    }
    return boxes;
  }

  /** The masks of an image: one for each object or, if the archive has only classes, for each class. */
  async masks(
    id: string,
  ): Promise<{ readonly frame: DatasetFrame; readonly annotations: FoundAnnotation[] } | undefined> {
    const path = `${this.root}SegmentationClass/${id}.png`;
    const objectsPath = `${this.root}SegmentationObject/${id}.png`;
    if (!this.paths.has(path)) {
      return this.paths.has(objectsPath)
        ? refuse(objectsPath, `the classes of its objects, ${path}, are missing`)
        : undefined;
    }
    const frame = this.items.frames.named(id, path);
    const classes = await readMaskImage(this.files, path, 'colors', frame);
    const objects = this.paths.has(objectsPath)
      ? await readMaskImage(this.files, objectsPath, 'colors', frame)
      : classes;
    const annotations: FoundAnnotation[] = [];
    for (const [object, bitmap] of bitmapsByValue(objects, objectsPath)) {
      if (object === colorKey(BLACK) || object === colorKey(VOID)) continue;
      const [row = 0, column = 0] = bitmap.runs;
      const first = row * classes.width + column;
      const name = this.labelOf(classes.values[first] ?? 0, path);
      if (name === BACKGROUND && objects === classes) continue;
      const label = labelOfPixels(this.items.labels, name, path);
      if (label !== undefined) annotations.push({ type: 'pixels', label, bitmap, location: path });
    }
    return { frame, annotations };
  }

  private labelOf(key: number, path: string): string {
    const color = [key >> 16, (key >> 8) & 255, key & 255].join(',');
    return this.byColor.get(key)?.name ?? refuse(path, `labelmap.txt has no label with the colour ${shown(color)}`);
  }
}
