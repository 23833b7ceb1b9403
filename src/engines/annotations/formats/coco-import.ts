import { posix } from 'node:path';
import type { AttributeValue, LabeledData, Shape } from '../../../shared/annotations/model.js';
import { type Bitmap, maskPoints } from '../../../shared/annotations/mask.js';
import { maskOutlines } from '../../../shared/annotations/mask-outlines.js';
import { type CocoRle, decompressCounts, fromCocoRle, rleFault } from './coco-mask.js';
import type { DatasetFrame, DatasetLabel } from './dataset.js';
import {
  datasetNotFound,
  fileShape,
  FormatError,
  type FileLocation,
  refuse,
  shown,
  type DatasetFiles,
  type DatasetImage,
  type FoundLabel,
  type ImportFormat,
  type ImportTarget,
} from './format.js';
import { attributeValues, FoundLabels, LabelNames } from './label-names.js';
import { MISSING } from './import-notes.js';
import { FrameMatcher, ImportBatch } from './import-batch.js';
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
    const seen: Seen = { lists: new Set(), groups: 0 };
    for (const path of paths) yield* readInstances(files, path, target, seen);
    if (paths.length > 0 && seen.lists.size === 0)
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
  const [, subset = '', name] = /^images\/(?:([^/]+)\/)?(.+)$/.exec(path) ?? [];
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

/** What has been read from all files so far. */
interface Seen {
  /** The names of the lists in the current file. */
  readonly lists: Set<string>;
  /** The number of groups created for objects of several polygons. */
  groups: number;
}

/** Annotations may precede what they refer to, so a file is read twice, the first time only as far as needed. */
async function* readInstances(
  files: DatasetFiles,
  path: string,
  target: ImportTarget,
  seen: Seen,
): AsyncGenerator<LabeledData> {
  const file = posix.basename(path);
  const reader = new InstanceReader(target, seen);
  const head = readJsonLists(files.read(path), file, LISTS, seen.lists);
  for await (const { list, value, location } of head) {
    if (list === 'categories') reader.addCategory(objectOf(value, location), location);
    else if (list === 'images') reader.addImage(objectOf(value, location), location);
    else if (reader.hasHead) break;
  }
  for await (const { value, location } of readJsonLists(files.read(path), file, ['annotations'])) {
    reader.addAnnotation(objectOf(value, location), location);
    if (reader.batch.isFull) yield reader.batch.take();
  }
  if (!reader.batch.isEmpty) yield reader.batch.take();
}

class InstanceReader {
  readonly batch = new ImportBatch();
  private readonly labels: LabelNames;
  private readonly matcher: FrameMatcher;
  private readonly categories = new Map<unknown, string>();
  private readonly images = new Map<unknown, string>();

  constructor(
    private readonly target: ImportTarget,
    private readonly seen: Seen,
  ) {
    this.labels = new LabelNames(target.labels, target.notes);
    this.matcher = new FrameMatcher(target);
  }

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

  addAnnotation(annotation: JsonObject, location: FileLocation): void {
    const frame = this.frameOf(annotation, location);
    const label = this.labelOf(annotation, location);
    const { segmentation } = annotation;
    const notes = annotation['attributes'] === undefined ? {} : objectOf(annotation['attributes'], location);
    const blank = blankShape(label, frame, notes, location);
    // Tools that support only boxes write an outline without points.
    const outlines = Array.isArray(segmentation) ? segmentation.filter((part) => !isEmpty(part)) : [];
    if (outlines.length > 0) this.addPolygons(outlines, blank, location);
    else if (isRle(segmentation)) this.addMask(segmentation, blank, frame, location);
    else this.addBox(annotation, blank, notes, location);
  }

  private frameOf(annotation: JsonObject, location: FileLocation): DatasetFrame {
    const name = this.images.get(annotation['image_id']);
    if (name === undefined) refuse(location, `there is no image ${shown(String(annotation['image_id']))}`);
    return this.matcher.named(name);
  }

  private labelOf(annotation: JsonObject, location: FileLocation): DatasetLabel {
    const name = this.categories.get(annotation['category_id']);
    if (name === undefined) refuse(location, `there is no category ${shown(String(annotation['category_id']))}`);
    return this.labels.named(name, location);
  }

  private addPolygons(parts: readonly unknown[], blank: Shape, location: FileLocation): void {
    const outlines = parts.map((part) => numbersOf(part, 'segmentation', location));
    this.addOutlines(outlines, blank, location);
  }

  private addOutlines(outlines: readonly number[][], blank: Shape, location: FileLocation): void {
    const group = outlines.length > 1 ? ++this.seen.groups : 0;
    for (const points of outlines) {
      this.batch.addShape({ ...blank, group, type: 'polygon', points }, location);
    }
  }

  private addMask(segmentation: JsonObject, blank: Shape, frame: DatasetFrame, location: FileLocation): void {
    const bitmap = maskIn(segmentation, frame, location);
    if (bitmap === undefined) return;
    if (this.target.masksToPolygons !== true) {
      this.batch.addShape({ ...blank, type: 'mask', points: maskPoints(bitmap) }, location);
      return;
    }
    const outlines = maskOutlines(bitmap) ?? refuse(location, 'the outline of the mask is too long for polygons');
    this.addOutlines(outlines, blank, location);
  }

  private addBox(annotation: JsonObject, blank: Shape, notes: JsonObject, location: FileLocation): void {
    const box = numbersOf(annotation['bbox'], 'bbox', location);
    if (box.length !== 4) refuse(location, 'bbox does not have four numbers');
    const [left = NaN, top = NaN, width = NaN, height = NaN] = box;
    if (width < 0 || height < 0) refuse(location, 'a box has a negative width or height');
    const points = [left, top, left + width, top + height];
    const rotation = typeof notes['rotation'] === 'number' ? notes['rotation'] : 0;
    this.batch.addShape({ ...blank, rotation, points }, location);
  }
}

/** A rectangle without coordinates, with the properties that all shapes of an annotation share. */
const blankShape = (label: DatasetLabel, frame: DatasetFrame, notes: JsonObject, location: FileLocation): Shape =>
  fileShape({
    label_id: label.id,
    frame: frame.frame,
    points: [],
    occluded: notes['occluded'] === true,
    attributes: valuesOf(label, notes, location),
  });

const valuesOf = (label: DatasetLabel, notes: JsonObject, location: FileLocation): AttributeValue[] =>
  attributeValues(label, textsOf(notes), location);

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
export function maskIn(segmentation: JsonObject, frame: DatasetFrame, location: FileLocation): Bitmap | undefined {
  if (frame.frame === MISSING) return undefined;
  const rle = rleOf(segmentation, location);
  const [height, width] = rle.size;
  if (height !== frame.height || width !== frame.width) {
    refuse(
      location,
      `the mask is made for ${width} x ${height} pixels, the image has ${frame.width} x ${frame.height}`,
    );
  }
  const fault = rleFault(rle);
  return fault === undefined ? fromCocoRle(rle) : refuse(location, fault);
}

function rleOf(segmentation: JsonObject, location: FileLocation): CocoRle {
  const [height = 0, width = 0] = numbersOf(segmentation['size'], 'the size of the mask', location);
  const { counts } = segmentation;
  if (typeof counts !== 'string') return { size: [height, width], counts: numbersOf(counts, 'counts', location) };
  const decompressed = decompressCounts(counts) ?? refuse(location, 'counts are not compressed run lengths');
  return { size: [height, width], counts: decompressed };
}
