import { posix } from 'node:path';
import type { DatasetFrame } from '../dataset.js';
import { type DatasetFiles, datasetNotFound, type ImportFormat, type ImportTarget, refuse, shown } from '../format.js';
import { mediaKind } from '../../../../shared/media-kind.js';
import { type ImportNotes, isOtherSubset } from '../import-notes.js';
import { BACKGROUND, BLACK, colorKey, type Rgb } from '../items/colors.js';
import { matchesIn } from '../items/dataset-root.js';
import { labelOfPixels, labelsByColor } from '../items/label-colors.js';
import { bitmapsByValue, readMaskImage } from '../items/mask-images.js';
import type { FoundAnnotation } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { twoDecimals } from '../items/items.js';
import { FoundLabels } from '../label-names.js';
import { readXml, rootIn } from '../xml.js';
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

const SEGMENTATION_LISTS = ['ImageSets/Segmentation/*.txt'] as const;
const MASKS = /(?:^|\/)Segmentation(?:Class|Object)\//;

export const segmentationMaskImport: ImportFormat = {
  info: segmentationMaskInfo,
  requires: SEGMENTATION_LISTS,
  auxiliary: /(?:^|\/)(?:labelmap\.txt|ImageSets\/Segmentation\/[^]*\.txt)$/,
  masks: MASKS,
  recognize({ paths }) {
    const has = (folder: RegExp): boolean => paths.some((path) => folder.test(path));
    if (has(/(?:^|\/)Annotations\//)) return has(MASKS) ? 1 : 0;
    return has(MASKS) ? 3 : has(/(?:^|\/)ImageSets\/Segmentation\//) ? 2 : 0;
  },
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
    const archive = new VocArchive(files, { labels, items, target });
    for (const id of archive.idsIn(await segmentationSets(files, labels))) {
      const masks = await archive.masks(id);
      if (masks === undefined) archive.noteMissing(`SegmentationClass/${id}.png`);
      else yield* items.add(masks.frame, masks.annotations);
    }
    yield* items.finish();
  },
};

async function segmentationSets(files: DatasetFiles, labels: readonly VocLabel[]): Promise<VocSets> {
  const sets = await readSets(files, new Set(['Segmentation']), labels);
  if (sets.subsets.size === 0 && !files.paths.some((path) => /(?:^|\/)ImageSets\/[^/]+\/[^/]+\.txt$/.test(path))) {
    throw datasetNotFound(SEGMENTATION_LISTS);
  }
  return sets;
}

export const vocImport: ImportFormat = {
  info: vocInfo,
  auxiliary: /(?:^|\/)(?:labelmap\.txt|ImageSets\/(?:Main|Segmentation|Layout|Action)\/[^]*\.txt)$/,
  masks: MASKS,
  async recognize(sample) {
    if (await sample.some(/\.xml$/i, isVoc)) return 3;
    return sample.paths.some((path) => /(?:^|\/)ImageSets\//.test(path)) ? 1 : 0;
  },
  imageAt,
  subsets: async (files) => (await vocSets(files, await readLabelMap(files))).subsets,
  labels: vocLabels,
  async *read(files, target) {
    const labels = await readLabelMap(files, target.labels);
    const items = new ItemImport(target, { tracks: 'keyframes', implied: FLAGS });
    const sets = await vocSets(files, labels);
    const tags = await tagsOf(files, sets);
    const archive = new VocArchive(files, { labels, items, target });
    for (const id of archive.idsIn(sets)) {
      const annotations = (tags.get(id) ?? []).map(({ label, location }): FoundAnnotation => ({
        type: 'tag',
        label: items.labels.named(label, location),
        location,
      }));
      for (const box of await archive.boxes(id)) annotations.push(box);
      const masks = await archive.masks(id);
      for (const mask of masks?.annotations ?? []) annotations.push(mask);
      if (annotations.length === 0 && masks === undefined && !archive.hasBoxes(id)) archive.noteMissing(`Annotations/${id}.xml`); // prettier-ignore
      const [first] = annotations;
      if (first !== undefined) yield* items.add(masks?.frame ?? items.frames.named(id, first.location), annotations);
    }
    yield* items.finish();
  },
};

/** Whether the beginning of a file is that of this format, which shares its root with LabelMe. */
const isVoc = (text: string): boolean =>
  rootIn(text) === 'annotation' && !/<(?:polygon|segm|imagesize|sourceImage|submittedBy)\b/.test(text);

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

async function* objectsIn(files: DatasetFiles, path: string, notes?: ImportNotes): AsyncGenerator<VocObject> {
  for await (const events of readXml(files.read(path), path, { wholeAt: 2, skip: 'part' })) {
    for (const event of events) {
      if (event.kind === 'open' && event.element.name !== 'annotation')
        refuse(path, 'this is not a PASCAL VOC annotation');
      if (event.kind !== 'whole' || event.element.name !== 'object') continue;
      const object = objectOf(event.element);
      if (object !== undefined) yield object;
      else notes?.skip('annotation', 'object', event.element.location, 'it has no bndbox');
    }
  }
}

/** The masks in a folder, by id. A PNG is preferred to other images. */
function masksById(files: DatasetFiles, folder: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const { path, groups } of matchesIn(
    files.paths,
    vocRoot(files),
    new RegExp(`^${folder}/(.+)\\.([a-z]+)$`, 'is'),
  )) {
    const [id = '', extension = ''] = groups;
    if (mediaKind(path) === 'image' && (extension.toLowerCase() === 'png' || !found.has(id))) found.set(id, path);
  }
  return found;
}

/** Colour of the pixels around objects that belong to none. */
const VOID: Rgb = [224, 224, 192];

interface VocContext {
  readonly labels: readonly VocLabel[];
  readonly items: ItemImport;
  readonly target: ImportTarget;
}

class VocArchive {
  private readonly annotations: ReadonlyMap<string, string>;
  private readonly classes: ReadonlyMap<string, string>;
  private readonly objects: ReadonlyMap<string, string>;
  private readonly labels: readonly VocLabel[];
  private byColor: ReadonlyMap<number, string> | undefined;
  private readonly items: ItemImport;
  private readonly target: ImportTarget;

  constructor(
    private readonly files: DatasetFiles,
    { labels, items, target }: VocContext,
  ) {
    this.items = items;
    this.target = target;
    this.annotations = annotationFiles(files);
    this.labels = labels;
    this.classes = masksById(files, 'SegmentationClass');
    this.objects = masksById(files, 'SegmentationObject');
  }

  /** The images to import. Files of other images are reported. */
  idsIn({ subsets }: VocSets): string[] {
    for (const paths of [this.annotations, this.classes]) {
      for (const [id, path] of paths) {
        if (!subsets.has(id)) this.target.notes?.ignore(path, 'no list in ImageSets names its image');
      }
    }
    const fileOf = (id: string): string => this.annotations.get(id) ?? this.classes.get(id) ?? id;
    return [...subsets].filter(([id, subset]) => !isOtherSubset(subset, fileOf(id), this.target)).map(([id]) => id);
  }

  /** Whether there is a file with the boxes of an image. */
  hasBoxes(id: string): boolean {
    return this.annotations.has(id);
  }

  /** Reports the file of an image that a list names. */
  noteMissing(path: string): void {
    this.target.notes?.skip('file', path, null, 'a list in ImageSets names its image, but the file is missing');
  }

  async boxes(id: string): Promise<FoundAnnotation[]> {
    const path = this.annotations.get(id);
    const boxes: FoundAnnotation[] = [];
    if (path === undefined) return boxes;
    const objects = objectsIn(this.files, path, this.target.notes);
    for await (const { label, points, attributes, location } of objects) {
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
    const [path, objectsPath] = [this.classes.get(id), this.objects.get(id)];
    if (path === undefined) {
      if (objectsPath === undefined) return undefined;
      const missing = objectsPath.replace('SegmentationObject/', 'SegmentationClass/');
      refuse(objectsPath, `the classes of its objects, ${missing}, are missing`);
    }
    const frame = this.items.frames.named(id, path);
    const classes = await readMaskImage(this.files, path, 'colors', frame);
    const objects = objectsPath === undefined ? classes : await readMaskImage(this.files, objectsPath, 'colors', frame);
    const annotations: FoundAnnotation[] = [];
    for (const [object, bitmap] of bitmapsByValue(objects, objectsPath ?? path)) {
      if (object === colorKey(BLACK) || object === colorKey(VOID)) continue;
      const [row = 0, column = 0] = bitmap.runs;
      const first = row * classes.width + column;
      const name = this.labelOf(classes.values[first] ?? 0, path);
      if (name === BACKGROUND && objects === classes) continue;
      const label = labelOfPixels(this.items.labels, name, path);
      if (label !== undefined) annotations.push({ type: 'pixels', label, bitmap, location: path });
      else this.target.notes?.skip('annotation', 'object', objectsPath ?? path, 'its class is the background');
    }
    return { frame, annotations };
  }

  private labelOf(key: number, path: string): string {
    const color = [key >> 16, (key >> 8) & 255, key & 255].join(',');
    // Archives with boxes alone may give all labels the same colour.
    this.byColor ??= labelsByColor(this.labels, `${vocRoot(this.files)}labelmap.txt`);
    return this.byColor.get(key) ?? refuse(path, `labelmap.txt has no label with the colour ${shown(color)}`);
  }
}
