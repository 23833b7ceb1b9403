import { posix } from 'node:path';
import type { LabeledData } from '../../../shared/annotations/model.js';
import { type CocoRle, decompressCounts, fromCocoRle, rleFault } from './coco-mask.js';
import type { DatasetFrame, DatasetLabel } from './dataset.js';
import {
  datasetNotFound,
  FormatError,
  type FileLocation,
  refuse,
  shown,
  type DatasetFiles,
  type DatasetImage,
  type FoundLabel,
  type ImportFormat,
} from './format.js';
import { FoundLabels } from './label-names.js';
import { MISSING } from './import-notes.js';
import type { FoundAnnotation } from './items/found-annotation.js';
import { ItemImport } from './items/item-import.js';
import { type RunBitmap, TooManyRuns } from '../run-bitmap.js';
import { readJsonLists } from './json-lists.js';
import { type JsonObject, numbersOf, objectOf, textsOf } from './json-values.js';

const LISTS = ['categories', 'images', 'annotations'];

/**
 * Reads COCO instances. Polygons become polygons (several of one object share a group), run lengths become masks or, if
 * requested, polygons, and boxes become rectangles.
 */
export const cocoImport: ImportFormat = {
  info: { name: 'COCO 1.0', ext: 'JSON, ZIP', version: '1.0', enabled: true, dimension: '2d' },
  imageAt,
  labels,
  async *read(files, target) {
    const paths = annotationPaths(files, target.subset);
    const lists = new Set<string>();
    const items = new ItemImport(target, { tracks: 'keyframes' });
    for (const path of paths) yield* readInstances(files, path, items, lists);
    yield* items.finish();
    if (paths.length > 0 && lists.size === 0)
      throw new FormatError(
        `${paths.map((path) => posix.basename(path)).join(', ')}: this is not COCO: it has none of the lists ${LISTS.join(', ')}`,
      );
  },
};

/** Categories become labels; `attributes` of annotations become attributes of these labels. */
async function labels(files: DatasetFiles): Promise<FoundLabel[]> {
  const found = new FoundLabels();
  for (const path of annotationPaths(files, undefined)) {
    const file = posix.basename(path);
    const names = new Map<unknown, string>();
    for await (const { value, location } of readJsonLists(files.read(path), file, ['categories'])) {
      const category = objectOf(value, location);
      const name = textOf(category, 'name', location);
      names.set(category['id'], name);
      found.add(name);
    }
    for await (const { value, location } of readJsonLists(files.read(path), file, ['annotations'])) {
      const { category_id: id, attributes } = objectOf(value, location);
      const name = names.get(id);
      if (name === undefined || attributes === undefined) continue;
      for (const [attribute, text] of textsOf(objectOf(attributes, location)))
        found.addAttribute(name, attribute, text);
    }
  }
  return found.list();
}

function imageAt(path: string): DatasetImage | undefined {
  const [, subset = '', name] = /^images\/(?:([^/]+)\/)?(.+)$/s.exec(path) ?? [];
  return name === undefined ? undefined : { name, subset: subset || 'default' };
}

/** The files of instances, or any JSON file if none has that name. */
function annotationPaths(files: DatasetFiles, subset: string | undefined): string[] {
  const json = files.paths.filter((path) => /\.json$/i.test(path));
  if (json.length === 0) throw datasetNotFound('The archive holds no JSON file with annotations.');
  const instances = json.filter((path) => posix.basename(path).startsWith('instances_'));
  const wanted = subset === undefined ? '' : `instances_${subset}.json`;
  if (instances.length === 0) return json;
  return wanted === '' ? instances : instances.filter((path) => posix.basename(path) === wanted);
}

/** Annotations may precede what they refer to, so a file is read twice, the first time only as far as needed. */
async function* readInstances(
  files: DatasetFiles,
  path: string,
  items: ItemImport,
  lists: Set<string>,
): AsyncGenerator<LabeledData> {
  const file = posix.basename(path);
  const reader = new InstanceReader(items);
  const head = readJsonLists(files.read(path), file, LISTS, lists);
  for await (const { list, value, location } of head) {
    if (list === 'categories') reader.addCategory(objectOf(value, location), location);
    else if (list === 'images') reader.addImage(objectOf(value, location), location);
    else if (reader.hasHead) break;
  }
  for await (const { value, location } of readJsonLists(files.read(path), file, ['annotations'])) {
    yield* reader.read(objectOf(value, location), location);
  }
}

class InstanceReader {
  private readonly categories = new Map<unknown, string>();
  private readonly images = new Map<unknown, string>();

  constructor(private readonly items: ItemImport) {}

  /** Whether images and categories have been read; both lists precede the annotations in most files. */
  get hasHead(): boolean {
    return this.categories.size > 0 && this.images.size > 0;
  }

  addCategory(category: JsonObject, location: FileLocation): void {
    this.categories.set(category['id'], textOf(category, 'name', location));
  }

  addImage(image: JsonObject, location: FileLocation): void {
    this.images.set(image['id'], textOf(image, 'file_name', location));
  }

  /** Reads one annotation. Its polygons form a group, and only the first one belongs to a track. */
  *read(annotation: JsonObject, location: FileLocation): Generator<LabeledData> {
    const frame = this.frameOf(annotation, location);
    const label = this.labelOf(annotation, location);
    const attributes = attributesOf(annotation, label, location);
    const parts = geometriesOf(annotation, frame, location);
    const group = parts.length > 1 ? 1 : 0;
    const found = parts.map((part, at): FoundAnnotation => {
      const own = at === 0 ? attributes : attributes.filter(([name]) => name !== 'track_id');
      return Object.assign(part, { label, group, attributes: own, location });
    });
    yield* this.items.add(frame, found);
  }

  private frameOf(annotation: JsonObject, location: FileLocation): DatasetFrame {
    const name = this.images.get(annotation['image_id']);
    if (name === undefined) refuse(location, `there is no image ${shown(String(annotation['image_id']))}`);
    return this.items.frames.named(name, location);
  }

  private labelOf(annotation: JsonObject, location: FileLocation): DatasetLabel {
    const name = this.categories.get(annotation['category_id']);
    if (name === undefined) refuse(location, `there is no category ${shown(String(annotation['category_id']))}`);
    return this.items.labels.named(name, location);
  }
}

type Attributes = (readonly [name: string, value: string])[];

/** The attributes of an annotation. Whether it is a crowd is one if the label has it. */
function attributesOf(
  { attributes = {}, iscrowd }: JsonObject,
  label: DatasetLabel,
  location: FileLocation,
): Attributes {
  const found = textsOf(objectOf(attributes, location));
  if (!label.attributes.some(({ name }) => name === 'is_crowd')) return found;
  return [['is_crowd', String(iscrowd === 1)], ...found];
}

type Geometry = Pick<FoundAnnotation, 'type' | 'points' | 'bitmap'>;

function geometriesOf(annotation: JsonObject, frame: DatasetFrame, location: FileLocation): Geometry[] {
  const { segmentation } = annotation;
  // Tools that support only boxes write an outline without points.
  const outlines = Array.isArray(segmentation) ? segmentation.filter((part) => !isEmpty(part)) : [];
  if (outlines.length > 0) {
    return outlines.map((part) => ({ type: 'polygon', points: numbersOf(part, 'segmentation', location) }));
  }
  if (!isRle(segmentation)) return [{ type: 'rectangle', points: boxOf(annotation, location) }];
  const bitmap = maskIn(segmentation, frame, location);
  return bitmap === undefined ? [] : [{ type: 'pixels', bitmap }];
}

function boxOf(annotation: JsonObject, location: FileLocation): number[] {
  const box = numbersOf(annotation['bbox'], 'bbox', location);
  if (box.length !== 4) refuse(location, 'bbox does not have four numbers');
  const [left = NaN, top = NaN, width = NaN, height = NaN] = box;
  if (width < 0 || height < 0) refuse(location, 'a box has a negative width or height');
  return [left, top, left + width, top + height];
}

const isEmpty = (part: unknown): boolean => Array.isArray(part) && part.length === 0;

function textOf(object: JsonObject, key: string, location: FileLocation): string {
  const value = object[key];
  return typeof value === 'string' ? value : refuse(location, `${key} is not a string`);
}

export const isRle = (segmentation: unknown): segmentation is JsonObject =>
  typeof segmentation === 'object' && segmentation !== null && 'counts' in segmentation;

/**
 * The pixels of a run-length encoded mask; undefined if there are none.
 * @param frame whose size the mask must have, which also limits the number of pixels
 * @throws FormatError
 */
export function maskIn(segmentation: JsonObject, frame: DatasetFrame, location: FileLocation): RunBitmap | undefined {
  if (frame.frame === MISSING) return undefined;
  const rle = rleOf(segmentation, location);
  const [height, width] = rle.size;
  if (height !== frame.height || width !== frame.width) {
    refuse(
      location,
      `the mask is made for ${width} x ${height} pixels, the image has ${frame.width} x ${frame.height}`,
    );
  }
  return bitmapOfRle(rle, location);
}

/** @throws FormatError if the run lengths do not fit the size, or there are too many runs */
export function bitmapOfRle(rle: CocoRle, location: FileLocation): RunBitmap | undefined {
  const fault = rleFault(rle);
  if (fault !== undefined) refuse(location, fault);
  try {
    return fromCocoRle(rle);
  } catch (error) {
    if (error instanceof TooManyRuns) refuse(location, error.message, error);
    throw error;
  }
}

function rleOf(segmentation: JsonObject, location: FileLocation): CocoRle {
  const [height = 0, width = 0] = numbersOf(segmentation['size'], 'the size of the mask', location);
  const { counts } = segmentation;
  if (typeof counts !== 'string') return { size: [height, width], counts: numbersOf(counts, 'counts', location) };
  const decompressed = decompressCounts(counts) ?? refuse(location, 'counts are not compressed run lengths');
  return { size: [height, width], counts: decompressed };
}
