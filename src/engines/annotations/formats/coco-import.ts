import { posix } from 'node:path';
import { ArchiveSample } from './archive-sample.js';
import type { LabeledData } from '../../../shared/annotations/model.js';
import { type CocoRle, decompressCounts, fromCocoRle, rleFault } from './coco-mask.js';
import { categoryOf, imageOf, isCaption, withId } from './coco-references.js';
import type { DatasetFrame, DatasetLabel } from './dataset.js';
import {
  datasetNotFound,
  FormatError,
  type FileLocation,
  refuse,
  type DatasetFiles,
  type DatasetImage,
  type FoundLabel,
  type ImportFormat,
  type ImportTarget,
} from './format.js';
import { FoundLabels } from './label-names.js';
import { type ImportNotes, isOtherSubset, MISSING } from './import-notes.js';
import type { FoundAnnotation } from './items/found-annotation.js';
import { ItemImport } from './items/item-import.js';
import { imagesByFiles } from './items/subset-folders.js';
import { idOf, nameOnce } from './items/unique-names.js';
import { hasKeypoints, isCoco, SEGMENTS } from './json-datasets.js';
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
  async recognize(sample) {
    if (!(await sample.some(/\.json$/i, isCoco)) || (await sample.contain(/\.json$/i, SEGMENTS))) return 0;
    return (await hasKeypoints(sample)) ? 2 : 3;
  },
  imageAt,
  imagesIn: imagesByFiles('instances_'),
  labels,
  async *read(files, target) {
    const paths = await annotationPaths(files, target);
    const items = new ItemImport(target, { tracks: 'keyframes' });
    let isFound = paths.length === 0;
    for (const path of paths) {
      const lists = new Set<string>();
      yield* readInstances(files, path, { items, notes: target.notes }, lists);
      isFound ||= lists.has('annotations');
      if (!lists.has('annotations')) target.notes?.ignore(path, 'it has no list annotations');
    }
    yield* items.finish();
    if (!isFound)
      throw new FormatError(
        `${paths.map((path) => posix.basename(path)).join(', ')}: this is not COCO: it has no list annotations`,
      );
  },
};

/** Categories become labels; `attributes` of annotations become attributes of these labels. */
async function labels(files: DatasetFiles): Promise<FoundLabel[]> {
  const found = new FoundLabels();
  for (const path of await annotationPaths(files)) {
    const file = posix.basename(path);
    const names = new Map<unknown, string>();
    for await (const { value, location } of readJsonLists(files.read(path), file, ['categories'])) {
      const category = objectOf(value, location);
      const name = textOf(category, 'name', location);
      nameOnce(names, idOf('category', category['id']), name, location);
      found.add(name);
    }
    for await (const { value, location } of readJsonLists(files.read(path), file, ['annotations'])) {
      const { category_id: id, attributes } = objectOf(value, location);
      const name = withId(names, id);
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
async function annotationPaths(files: DatasetFiles, target?: ImportTarget): Promise<string[]> {
  const json = files.paths.filter((path) => /\.json$/i.test(path));
  if (json.length === 0) throw datasetNotFound('The archive holds no JSON file with annotations.');
  const instances = json.filter((path) => posix.basename(path).startsWith('instances_'));
  if (instances.length === 0) return likeCoco(files, json);
  return instances.filter((path) => !isOtherSubset(posix.basename(path).slice('instances_'.length, -'.json'.length), path, target)); // prettier-ignore
}

/** The files that have lists of COCO at their beginning or, if none has, all of them. */
export async function likeCoco(files: DatasetFiles, json: readonly string[]): Promise<string[]> {
  const sample = new ArchiveSample(files);
  const found: string[] = [];
  for (const path of json) if (isCoco(await sample.text(path))) found.push(path);
  return found.length > 0 ? found : [...json];
}

/** Annotations may precede what they refer to, so a file is read twice, the first time only as far as needed. */
async function* readInstances(
  files: DatasetFiles,
  path: string,
  { items, notes }: { readonly items: ItemImport; readonly notes: ImportNotes | undefined },
  lists: Set<string>,
): AsyncGenerator<LabeledData> {
  const file = posix.basename(path);
  const reader = new InstanceReader(items, notes);
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

  constructor(
    private readonly items: ItemImport,
    private readonly notes: ImportNotes | undefined,
  ) {}

  /** Whether images and categories have been read; both lists precede the annotations in most files. */
  get hasHead(): boolean {
    return this.categories.size > 0 && this.images.size > 0;
  }

  addCategory(category: JsonObject, location: FileLocation): void {
    nameOnce(this.categories, idOf('category', category['id']), textOf(category, 'name', location), location);
  }

  addImage(image: JsonObject, location: FileLocation): void {
    nameOnce(this.images, idOf('image', image['id']), textOf(image, 'file_name', location), location);
  }

  /** Reads one annotation. Its polygons form a group, and only the first one belongs to a track. */
  *read(annotation: JsonObject, location: FileLocation): Generator<LabeledData> {
    if (isCaption(annotation, location, this.notes)) return;
    const frame = this.items.frames.named(imageOf(this.images, annotation, location), location);
    const label = this.items.labels.named(categoryOf(this.categories, annotation, location), location);
    const attributes = attributesOf(annotation, label, location);
    const parts = geometriesOf(annotation, frame, location);
    this.note(annotation, label, parts.length === 0 && frame.frame !== MISSING, location);
    const group = parts.length > 1 ? 1 : 0;
    const found = parts.map((part, at): FoundAnnotation => {
      const own = at === 0 ? attributes : attributes.filter(([name]) => name !== 'track_id');
      return Object.assign(part, { label, group, attributes: own, location });
    });
    yield* this.items.add(frame, found);
  }

  /** Notes what the annotation has and the format does not. */
  private note(annotation: JsonObject, { name }: DatasetLabel, isEmpty: boolean, location: FileLocation): void {
    if (isEmpty) this.notes?.skip('annotation', name, location, 'its mask has no pixels');
    if (isWithKeypoints(annotation))
      this.notes?.skip(
        'annotation',
        `keypoints of ${name}`,
        location,
        'COCO 1.0 has no keypoints, use COCO Keypoints 1.0',
      );
  }
}

/** Whether an annotation has keypoints, not all of which are missing. */
const isWithKeypoints = ({ keypoints }: JsonObject): boolean =>
  Array.isArray(keypoints) && keypoints.some((value) => value !== 0);

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

export function boxOf(annotation: JsonObject, location: FileLocation): number[] {
  const box = numbersOf(annotation['bbox'], 'bbox', location);
  if (box.length !== 4) refuse(location, 'bbox does not have four numbers');
  const [left = NaN, top = NaN, width = NaN, height = NaN] = box;
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
