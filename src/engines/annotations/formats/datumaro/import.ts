import { posix } from 'node:path';
import { decimal } from '../../decimal.js';
import { bitmapOfRle } from '../coco-import.js';
import { decompressCounts } from '../coco-mask.js';
import { noteCaption } from '../coco-references.js';
import type { DatasetFrame, DatasetLabel } from '../dataset.js';
import {
  type DatasetFiles,
  datasetNotFound,
  type FileLocation,
  type FoundLabel,
  type FormatInfo,
  type ImportFormat,
  refuse,
  shown,
} from '../format.js';
import { ArchiveSample } from '../archive-sample.js';
import { withoutExtension } from '../import-batch.js';
import { type ImportNotes, isOtherSubset } from '../import-notes.js';
import { cuboidPoints, type Triple } from '../items/clouds.js';
import type { FoundAnnotation, FoundElement } from '../items/found-annotation.js';
import { ItemImport } from '../items/item-import.js';
import { maskPointsOf } from '../../run-bitmap.js';
import { skeletonsOf } from '../items/skeletons.js';
import { imagesByFiles } from '../items/subset-folders.js';
import { isDatumaro } from '../json-datasets.js';
import { readJsonLists, readJsonValue } from '../json-lists.js';
import { type JsonObject, listOf, numbersOf, objectOf, textsOf } from '../json-values.js';
import { FoundLabels } from '../label-names.js';

const FILES = ['annotations/*.json'] as const;
const CLOUD = /"type"\s*:\s*"cuboid_3d"/;

const importOf = (info: FormatInfo, images: Pick<ImportFormat, 'imageAt' | 'imagesIn'>): ImportFormat => ({
  info,
  ...images,
  requires: FILES,
  async recognize(sample) {
    if (!(await sample.some(/\.json$/i, isDatumaro))) return 0;
    const isCloud =
      sample.paths.some((path) => /(?:^|\/)point_clouds\//.test(path)) || (await sample.contain(/\.json$/i, CLOUD));
    return isCloud === (info.dimension === '3d') ? 3 : 2;
  },
  labels: labelsOf,
  async *read(files, target) {
    const items = new ItemImport(target, { tracks: 'keyframes' });
    for (const { path, subset } of await annotationFiles(files)) {
      if (isOtherSubset(subset, path, target)) continue;
      const { names, parents } = await categoriesIn(files, path);
      const reader = new AnnotationReader(items, target.labels, { names, parents, isCloud: info.dimension === '3d' });
      const lists = new Set<string>();
      for await (const { value, location } of readJsonLists(files.read(path), path, ['items'], lists)) {
        const item = objectOf(value, location);
        const annotations = annotationsOf(item, location, target.notes);
        if (annotations.length === 0) continue;
        const frame = reader.frameOf(item, location);
        yield* items.add(
          frame,
          annotations.map((each) => reader.annotation(each, frame, location)),
        );
      }
      if (!lists.has('items')) refuse(path, 'this is not Datumaro: it has no list items');
    }
    yield* items.finish();
  },
});

async function labelsOf(files: DatasetFiles): Promise<FoundLabel[]> {
  const found = new FoundLabels();
  for (const { path } of await annotationFiles(files)) {
    const { names } = await categoriesIn(files, path);
    for (const name of names) found.add(name);
    for await (const { value, location } of readJsonLists(files.read(path), path, ['items'])) {
      for (const { label_id: label, attributes = {} } of annotationsOf(objectOf(value, location), location)) {
        const name = names[labelNumber(label)];
        if (name === undefined) continue;
        for (const [attribute, text] of textsOf(objectOf(attributes, location)))
          found.addAttribute(name, attribute, text);
      }
    }
  }
  return found.list();
}

/** The annotations of an item, except captions. */
const annotationsOf = (item: JsonObject, location: FileLocation, notes?: ImportNotes): JsonObject[] =>
  listOf(item['annotations'], 'annotations', location)
    .map((each) => objectOf(each, location))
    .filter(({ type }) => {
      if (type === 'caption') noteCaption(location, notes);
      return type !== 'caption';
    });

/** Reads Datumaro's own format. */
export const datumaroImport = importOf(
  { name: 'Datumaro 1.0', ext: 'JSON, ZIP', version: '1.0', enabled: true, dimension: '2d' },
  {
    imageAt(path) {
      const [, subset, name] = /^(?:[^/]+\/)??images\/([^/]+)\/(.+)$/s.exec(path) ?? [];
      return subset === undefined || name === undefined ? undefined : { subset, name };
    },
    imagesIn: imagesByFiles(''),
  },
);

/** Reads the same for point clouds. */
export const datumaro3dImport = importOf(
  { name: 'Datumaro 3D 1.0', ext: 'JSON, ZIP', version: '1.0', enabled: true, dimension: '3d' },
  {
    imageAt(path) {
      const [, folder, subset, name] =
        /^(?:[^/]+\/){0,3}?(point_clouds|related_images)\/([^/]+)\/(.+)$/s.exec(path) ?? [];
      if (subset === undefined || name === undefined) return undefined;
      if (folder === 'point_clouds') return { subset, name };
      return { subset, name: posix.basename(name), contextOf: posix.dirname(name) };
    },
  },
);

/** Files in a folder `annotations`, a single JSON file, or those that look like Datumaro. */
async function annotationFiles(files: DatasetFiles): Promise<{ path: string; subset: string }[]> {
  const json = files.paths.filter((path) => /\.json$/i.test(path));
  const own = json.filter((path) => /^(?:[^/]+\/){0,3}annotations\/[^/]+$/.test(path));
  if (own.length === 0 && json.length === 1 && files.paths.length === 1)
    return json.map((path) => ({ path, subset: 'default' }));
  const found = own.length > 0 ? own : await likeDatumaro(files, json);
  if (found.length === 0) throw datasetNotFound(FILES);
  return found.map((path) => ({ path, subset: posix.basename(path).replace(/\.json$/i, '') }));
}

/** The files that begin as those of Datumaro do. */
async function likeDatumaro(files: DatasetFiles, json: readonly string[]): Promise<string[]> {
  const sample = new ArchiveSample(files);
  const found: string[] = [];
  for (const path of json) if (isDatumaro(await sample.text(path))) found.push(path);
  return found;
}

/** Names of the labels by number, and those of the skeletons that elements belong to. */
async function categoriesIn(files: DatasetFiles, path: string): Promise<{ names: string[]; parents: string[] }> {
  const value = await readJsonValue(files.read(path), path, 'categories');
  const labels = objectOf(objectOf(value ?? {}, path)['label'] ?? {}, path);
  const list = labels['labels'] === undefined ? [] : listOf(labels['labels'], 'labels', path);
  const textOf = (label: unknown, key: string): string => {
    const text = objectOf(label, path)[key] ?? '';
    return typeof text === 'string' ? text : refuse(path, `the ${key} of a label is not a text`);
  };
  return { names: list.map((label) => textOf(label, 'name')), parents: list.map((label) => textOf(label, 'parent')) };
}

/** The position of a label in its list, which some tools write as a text. */
const labelNumber = (id: unknown): number => decimal(String(id));

/** Turns the annotations of one file into annotations of the target. */
class AnnotationReader {
  constructor(
    private readonly items: ItemImport,
    private readonly labels: readonly DatasetLabel[],
    private readonly file: {
      readonly names: readonly string[];
      readonly parents: readonly string[];
      readonly isCloud: boolean;
    },
  ) {}

  /** The frame of an item, by its name or the number in its attributes. */
  frameOf(item: JsonObject, location: FileLocation): DatasetFrame {
    const { id } = item;
    if (typeof id !== 'string' && typeof id !== 'number') refuse(location, 'id is not a text');
    const { frame } = objectOf(item['attr'] ?? {}, location);
    const number = typeof frame === 'number' ? frame : undefined;
    const { frames } = this.items;
    const name = String(id);
    if (this.file.isCloud) return frames.namedOrNumbered(name, location, number);
    // The id has no extension, so only the path tells images apart that differ in it.
    const { path } = objectOf(item['image'] ?? {}, location);
    const extension = typeof path === 'string' ? path.slice(withoutExtension(path).length) : '';
    return frames.namedExactly(name + extension) ?? frames.named(name, location, number);
  }

  annotation(found: JsonObject, frame: DatasetFrame, location: FileLocation): FoundAnnotation {
    const label = this.labelOf(found, location);
    const { group = 0, z_order: zOrder = 0, attributes = {} } = found;
    return {
      ...this.geometry(found, label, frame, location),
      label,
      group: numberOf(group, 'group', location),
      zOrder: numberOf(zOrder, 'z_order', location),
      attributes: textsOf(objectOf(attributes, location)),
      location,
    };
  }

  private labelOf({ label_id: id }: JsonObject, location: FileLocation): DatasetLabel {
    const name = this.file.names[labelNumber(id)];
    if (name === undefined) refuse(location, `there is no label number ${shown(String(id))} in the file`);
    if (this.file.parents[labelNumber(id)]) refuse(location, `the label ${shown(name)} belongs to a skeleton`);
    return this.items.labels.named(name, location);
  }

  private geometry(
    found: JsonObject,
    label: DatasetLabel,
    frame: DatasetFrame,
    location: FileLocation,
  ): Pick<FoundAnnotation, 'type' | 'points' | 'elements'> {
    const { type } = found;
    if (this.file.isCloud) return cloudGeometry(found, location);
    const points = (): number[] => numbersOf(found['points'], 'points', location);
    switch (type) {
      case 'label':
        return { type: 'tag' };
      case 'bbox': {
        const [x = 0, y = 0, width = 0, height = 0] = countedNumbers(found['bbox'], 4, 'bbox', location);
        return { type: 'rectangle', points: [x, y, sum(x, width), sum(y, height)] };
      }
      case 'polygon':
      case 'polyline':
      case 'points':
        return { type, points: points() };
      case 'ellipse': {
        const [left = 0, top = 0, right = 0, bottom = 0] = countedNumbers(found['points'], 4, 'points', location);
        return { type, points: [(left + right) / 2, (top + bottom) / 2, right, top] };
      }
      case 'mask':
        return { type, points: maskOf(found, frame, location) };
      case 'skeleton':
        return { type, points: [], elements: this.elements(found, label, location) };
      default:
        return refuse(location, `there is no type ${shown(String(type))} of annotations`);
    }
  }

  private elements(found: JsonObject, label: DatasetLabel, location: FileLocation): FoundElement[] {
    const skeleton = skeletonsOf(this.labels).get(label.id);
    if (skeleton === undefined) refuse(location, `the label ${shown(label.name)} is not a skeleton`);
    const values = numbersOf(found['points'], 'points', location);
    if (values.length !== skeleton.elements.length * 3) {
      refuse(
        location,
        `the skeleton ${shown(label.name)} has ${skeleton.elements.length} points, not ${values.length / 3}`,
      );
    }
    const attributes =
      found['points_attributes'] === undefined ? [] : listOf(found['points_attributes'], 'points_attributes', location);
    return skeleton.elements.map((element, at) => {
      const [x = 0, y = 0, visibility = 0] = values.slice(at * 3);
      return {
        label: element,
        points: [x, y],
        outside: visibility === 0,
        occluded: visibility === 1,
        attributes: textsOf(objectOf(attributes[at] ?? {}, location)),
      };
    });
  }
}

function cloudGeometry(found: JsonObject, location: FileLocation): Pick<FoundAnnotation, 'type' | 'points'> {
  const { type } = found;
  if (type === 'label') return { type: 'tag' };
  if (type !== 'cuboid_3d') refuse(location, `there is no type ${shown(String(type))} of annotations of point clouds`);
  const triple = (name: string): Triple => {
    const [x = 0, y = 0, z = 0] = countedNumbers(found[name], 3, name, location);
    return [x, y, z];
  };
  const cuboid = { position: triple('position'), rotation: triple('rotation'), scale: triple('scale') };
  return { type: 'cuboid', points: cuboidPoints(cuboid) };
}

/** The size must be that of the frame, which also limits the number of pixels. */
function maskOf(found: JsonObject, { width, height }: DatasetFrame, location: FileLocation): number[] {
  const { counts, size } = objectOf(found['rle'], location);
  const [rows = 0, columns = 0] = countedNumbers(size, 2, 'the size of the mask', location);
  if (rows !== height || columns !== width) {
    refuse(location, `the mask is made for ${columns} x ${rows} pixels, the image has ${width} x ${height}`);
  }
  const decompressed = typeof counts === 'string' ? decompressCounts(counts) : undefined;
  if (decompressed === undefined) refuse(location, 'counts are not compressed run lengths');
  const rle = { size: [rows, columns] as [number, number], counts: decompressed };
  return maskPointsOf(bitmapOfRle(rle, location) ?? refuse(location, 'the mask is empty'));
}

const numberOf = (value: unknown, what: string, location: FileLocation): number =>
  typeof value === 'number' ? value : refuse(location, `${what} is not a number`);

function countedNumbers(value: unknown, length: number, what: string, location: FileLocation): number[] {
  const numbers = numbersOf(value, what, location);
  return numbers.length === length ? numbers : refuse(location, `${what} does not have ${length} numbers`);
}

/** Without the error of binary fractions. */
const sum = (a: number, b: number): number => Math.round((a + b) * 1e9) / 1e9;
